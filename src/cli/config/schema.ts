// The schema of stet.config.json: every key with its meaning; the shipped JSON Schema is made from it.
import * as z from "zod";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { ACTIONS } from "../../kernel/policy/protected.ts";
import { exactHost, exactOrigin, isLoopback } from "../../serve/http/access/address.ts";
import { complaintAbout, type GivenToken } from "../../serve/http/access/tokens.ts";
import { databaseRoot } from "./database.ts";

export const SURFACE_NAMES = ["workspace", "tracked", "compact", "files", "anchors"] as const;

/** What another part of stet judges: its refusal is said of the place in the file. */
function judged<T extends z.ZodType>(schema: T, judge: (value: z.output<T>) => unknown): T {
  return schema.superRefine((value, { addIssue }) => {
    try {
      judge(value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      addIssue(`${error.failure.message} ${error.failure.suggestedAction ?? ""}`.trim());
    }
  });
}

const path = z.string().min(1);
const globs = z.array(z.string().min(1));
const names = SURFACE_NAMES.join("|");

const protectRule = z.strictObject({
  name: z.string().min(1).describe("A name of its own, shown in refusals."),
  paths: globs.describe("Globs from the root; what lies below a match is denied too."),
  except: globs.optional().describe("Paths that are spared."),
  deny: z.enum(["all", "changes"]).optional().describe('"changes" still allows reading. Default: "all".'),
  reason: z.string().min(1).optional().describe("Shown in refusals."),
});

const protectChanges = z.strictObject({
  add: z.array(protectRule).optional().describe("Rules besides the default ones."),
  remove: z.array(z.string()).optional().describe("Names of default rules that shall not hold."),
});

const actions = z.array(z.enum([...ACTIONS, "glob", "grep"]));

const policy = z.strictObject({
  allowedActions: actions.optional().describe("Everything else is denied. Default: all."),
  allowedPaths: globs.optional().describe("When given, whatever matches none of them is denied."),
  deniedPaths: globs.optional().describe("Whatever matches one of them, and everything below it, is denied."),
  maxFileBytes: z.int().positive().optional().describe("Largest file that tools change; a larger one may be read."),
  readOnly: z.boolean().optional().describe("Deny every change."),
  protect: z
    .union(
      [z.literal(false), z.array(protectRule), protectChanges],
      "expected false, a list of rules, or { add, remove }",
    )
    .optional()
    .describe("Changes to the protected list; false drops it, a list replaces it."),
  allowed_actions: actions.optional().describe("The same as allowedActions."),
  allowed_paths: globs.optional().describe("The same as allowedPaths."),
  denied_paths: globs.optional().describe("The same as deniedPaths."),
  max_file_size: z.int().positive().optional().describe("The same as maxFileBytes."),
  readonly: z.boolean().optional().describe("The same as readOnly."),
});

const root = z.strictObject({
  path: path.describe("A directory, relative to this file, or a workspace in a database: postgres://…."),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits, dots, hyphens and underscores")
    .optional()
    .describe("How callers name this workspace. Default: the name of the directory."),
  readOnly: z.boolean().optional().describe("Deny every change in this root."),
  policy: policy.optional().describe("Instead of the common policy."),
});

const databaseUrl = z
  .string()
  .regex(/^postgres(?:ql)?:\/\//i, "expected postgres://USER@HOST:PORT/DATABASE")
  .refine(isWholeDatabase, "expected postgres://USER@HOST:PORT/DATABASE, and nothing behind it");

function isWholeDatabase(url: string): boolean {
  try {
    return databaseRoot(url).workspace === undefined;
  } catch (error) {
    return ifRefused(false)(error);
  }
}

/** Who can change what comes from there could sign anything. */
const webAddress = z.url({ protocol: /^https?$/ }).refine((address) => {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}, "must begin with https://");
const claim = z.string().min(1).optional();

const claims = z.strictObject({
  principal: claim.describe("Who calls. Default: sub."),
  tenant: claim.describe("Whose workspaces. Default: stet_tenant."),
  role: claim.describe("read, write or owner. Default: stet_role."),
  workspaces: claim.describe("Names, * for any characters: a list, or with spaces between. Default: stet_workspaces."),
});

const oauth = z.strictObject({
  issuer: webAddress.describe("Who signs the tokens, as their claim iss says it."),
  audience: webAddress.describe("The address of these servers as clients know it; the claim aud must name it."),
  jwks: webAddress.describe("Where the keys of the issuer are published."),
  tenant: z.string().min(1).optional().describe("All tokens of the issuer are of this tenant."),
  claims: claims.optional().describe("Which claims say what a caller may do."),
  writeScope: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/)
    .optional()
    .describe("The scope that clients ask the issuer for to get a role that may change files."),
});

const database = z.strictObject({
  url: databaseUrl.describe("postgres://USER@HOST:PORT/DATABASE; the password is better in PGPASSWORD or ~/.pgpass."),
  mirror: path.optional().describe("A directory for copies of workspaces to search in, relative to this file."),
  mirrorBytes: z.int().positive().optional().describe("Larger workspaces have no copy. Default: 4294967296."),
  mirrorTotalBytes: z
    .int()
    .positive()
    .optional()
    .describe("All copies of a server together: those searched longest ago are dropped. Default: 17179869184."),
  connections: z.int().min(2).optional().describe("Connections that one server may have open. Default: 20."),
  idleMs: z.int().positive().optional().describe("A workspace unused for so long is closed. Default: 600000."),
  oauth: oauth.optional().describe("An identity provider whose tokens are taken, too."),
});

const limits = z.strictObject(
  Object.fromEntries(
    Object.entries(LIMITS).map(([name, value]) => [name, z.int().positive().optional().describe(`Default: ${value}.`)]),
  ),
);

const token = z.string().min(16);

const asGiven = (given: string | GivenToken): GivenToken => (typeof given === "string" ? { token: given } : given);

function refuseUnfit(given: readonly (string | GivenToken)[], context: z.core.$RefinementCtx): void {
  const complaint = complaintAbout(given.map(asGiven));
  if (complaint !== undefined) context.addIssue({ code: "custom", path: [complaint.index], message: complaint.what });
}

const rateLimit = z.strictObject({
  callsPerSecond: z.number().positive().optional().describe("In the long run."),
  burst: z.number().min(1).optional().describe("At once."),
});

const http = z.strictObject({
  host: z.string().min(1).optional().describe("The address to listen on. Default: 127.0.0.1."),
  port: z.int().min(0).max(65535).optional().describe("The port to listen on; 0 takes a free one. Default: 4100."),
  tokenFile: path.optional().describe("A file whose lines are the bearer tokens, relative to this file."),
  tokens: z
    .array(z.union([token, z.strictObject({ name: z.string().min(1), token })], "expected a text or { name, token }"))
    .min(1)
    .superRefine(refuseUnfit)
    .optional()
    .describe("Bearer tokens, at most one without a name; a file is the better place for them."),
  allowedHosts: z
    .array(judged(z.string().min(1), exactHost))
    .optional()
    .describe("More values of the Host header, with their port."),
  allowedOrigins: z
    .array(judged(z.string().min(1), exactOrigin))
    .optional()
    .describe("Web pages that may call, as scheme://host:port."),
  rateLimit: rateLimit.optional().describe("What one token may ask for."),
  maxBodyBytes: z.int().positive().optional().describe("Largest request body. Default: maxMessageBytes."),
  metricsToken: token
    .superRefine((given, context) => refuseUnfit([given], context))
    .optional()
    .describe("A token for GET /metrics, and for nothing else. Default: no metrics."),
  drainMs: z
    .int()
    .positive()
    .max(60_000)
    .optional()
    .describe("How long a server that is ending takes calls, while /readyz says no."),
});

const files = z.strictObject({
  legacy: z.boolean().optional().describe("Also the older tools: read_file, write_file, edit_file, ls, delete_file."),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("Where editors find this schema."),
  roots: z
    .array(z.union([path, root], "expected a path or { path, … }"))
    .min(1)
    .optional()
    .describe(
      "The directories to serve, or workspaces in a database, each a workspace of its own. Default: the directory this file lies in.",
    ),
  database: z
    .union([databaseUrl, database], "expected postgres://… or { url, … }")
    .optional()
    .describe("A PostgreSQL database of workspaces, in place of roots; stet serve finds them by name."),
  surface: z
    .string()
    .regex(
      new RegExp(`^ *(?:${names})(?: *, *(?:${names}))* *$`),
      `expected ${SURFACE_NAMES.join(", ")}, or several joined by commas`,
    )
    .optional()
    .describe(
      `The tools that agents get: ${SURFACE_NAMES.join(", ")}, or several joined by commas. Default: workspace.`,
    ),
  results: z
    .enum(["text", "structured"])
    .optional()
    .describe(
      'What tools answer over MCP: "text" for models (the default), or "structured": also data after an output schema, for programs.',
    ),
  readOnly: z.boolean().optional().describe("Deny every change in every root."),
  policy: policy.optional().describe("What agents may do, and where."),
  limits: limits.optional().describe("Numbers of the kernel."),
  onStale: z
    .enum(["reject", "rebase"])
    .optional()
    .describe(
      'A change of a file that has changed since it was seen: "reject" it (the default), or "rebase": merge it into the newer version.',
    ),
  strict: z.boolean().optional().describe("Refuse what is otherwise allowed with a warning."),
  durability: z
    .enum(["full", "fast"])
    .optional()
    .describe('"full" (the default) survives a power failure, "fast" the crash of a process only.'),
  files: files.optional().describe("For the surface files."),
  maxMessageBytes: z
    .int()
    .positive()
    .optional()
    .describe("Longest message of a client; a longer one is refused, and the connection goes on. Default: 50331648."),
  http: http.optional().describe("For stet serve."),
});

/** Every path is compared with all of them. */
const MAX_GLOBS = 1000;
/** From the root: an absolute one would open a directory outside. */
const ownGlobs = z
  .array(z.string().regex(/^(?![/\\~]|[A-Za-z]:)/, "a path outside the project"))
  .max(MAX_GLOBS, `more than ${MAX_GLOBS} globs`);

/** What a file may say that lay in a project and was not named: it may have come with it, so it can only narrow. */
export const projectSchema = configSchema.pick({ $schema: true, surface: true, readOnly: true, onStale: true }).extend({
  policy: policy
    .pick({ allowedActions: true })
    .extend({ allowedPaths: ownGlobs.optional(), deniedPaths: ownGlobs.optional() })
    .optional(),
});

/** What may stand beside an unknown key, by the key that holds it. */
export const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(configSchema.shape),
  roots: Object.keys(root.shape),
  database: Object.keys(database.shape),
  oauth: Object.keys(oauth.shape),
  claims: Object.keys(claims.shape),
  policy: Object.keys(policy.shape).filter((key) => key !== "readonly" && !key.includes("_")),
  limits: Object.keys(limits.shape),
  files: Object.keys(files.shape),
  http: Object.keys(http.shape),
  rateLimit: Object.keys(rateLimit.shape),
  protect: Object.keys(protectChanges.shape),
  add: Object.keys(protectRule.shape),
};

export type Config = z.infer<typeof configSchema>;

/** The text of stet.schema.json. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const clean = JSON.stringify(
    { $schema: schema.$schema, title: "stet.config.json", ...schema },
    (key, value: unknown) => (key === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value),
    2,
  );
  return `${clean}\n`;
}
