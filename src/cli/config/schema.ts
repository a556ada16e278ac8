// The schema of stet.config.json: every key with its meaning; the shipped JSON Schema is made from it.
import * as z from "zod";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { POLICY_ALIASES, POLICY_OF_EDITORS } from "../../kernel/policy/input.ts";
import { exactHost, exactOrigin, isLoopback } from "../../serve/http/access/address.ts";
import { complaintAbout, type GivenToken } from "../../serve/http/access/tokens.ts";
import { databaseRoot } from "./database.ts";

export const SURFACE_NAMES = ["workspace", "tracked", "compact", "files", "anchors", "filesystem"] as const;

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

const key = <T extends z.ZodType>(schema: T, about: string) => schema.optional().describe(about);
const text = z.string().min(1);
const count = z.int().positive();
const yes = z.boolean();
const names = SURFACE_NAMES.join("|");

/** Only its keys: the kernel judges the rest, with the root that it is for. */
const policyKeys = [...Object.keys(POLICY_OF_EDITORS.shape), ...Object.keys(POLICY_ALIASES)];
const policy = z.strictObject(Object.fromEntries(policyKeys.map((name) => [name, z.unknown().optional()])));

const root = z.strictObject({
  path: text.describe("A directory, relative to this file, or a workspace in a database: postgres://…."),
  name: key(
    z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits, dots, hyphens and underscores"),
    "How callers name this workspace. Default: the name of the directory.",
  ),
  readOnly: key(yes, "Deny every change in this root."),
  policy: key(policy, "Instead of the common policy."),
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

const claims = z.strictObject({
  principal: key(text, "Who calls. Default: sub."),
  tenant: key(text, "Whose workspaces. Default: stet_tenant."),
  role: key(text, "read, write or owner. Default: stet_role."),
  workspaces: key(text, "Names, * for any characters: a list, or with spaces between. Default: stet_workspaces."),
});

const oauth = z.strictObject({
  issuer: webAddress.describe("Who signs the tokens, as their claim iss says it."),
  audience: webAddress.describe("The address of these servers as clients know it; the claim aud must name it."),
  jwks: webAddress.describe("Where the keys of the issuer are published."),
  tenant: key(text, "All tokens of the issuer are of this tenant."),
  claims: key(claims, "Which claims say what a caller may do."),
  writeScope: key(
    z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/),
    "The scope that clients ask the issuer for to get a role that may change files.",
  ),
});

const database = z.strictObject({
  url: databaseUrl.describe("postgres://USER@HOST:PORT/DATABASE; the password is better in PGPASSWORD or ~/.pgpass."),
  mirror: key(text, "A directory for copies of workspaces to search in, relative to this file."),
  mirrorBytes: key(count, "Larger workspaces have no copy. Default: 4294967296."),
  mirrorTotalBytes: key(
    count,
    "All copies of a server together: those searched longest ago are dropped. Default: 17179869184.",
  ),
  connections: key(z.int().min(2), "Connections that one server may have open. Default: 20."),
  idleMs: key(count, "A workspace unused for so long is closed. Default: 600000."),
  oauth: key(oauth, "An identity provider whose tokens are taken, too."),
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
  callsPerSecond: key(z.number().positive(), "In the long run."),
  burst: key(z.number().min(1), "At once."),
});

const http = z.strictObject({
  host: key(text, "The address to listen on. Default: 127.0.0.1."),
  port: key(z.int().min(0).max(65535), "The port to listen on; 0 takes a free one. Default: 4100."),
  tokenFile: key(text, "A file whose lines are the bearer tokens, relative to this file."),
  tokens: key(
    z
      .array(z.union([token, z.strictObject({ name: z.string().min(1), token })], "expected a text or { name, token }"))
      .min(1)
      .superRefine(refuseUnfit),
    "Bearer tokens, at most one without a name; a file is the better place for them.",
  ),
  allowedHosts: key(z.array(judged(z.string().min(1), exactHost)), "More values of the Host header, with their port."),
  allowedOrigins: key(
    z.array(judged(z.string().min(1), exactOrigin)),
    "Web pages that may call, as scheme://host:port.",
  ),
  rateLimit: key(rateLimit, "What one token may ask for."),
  maxBodyBytes: key(count, "Largest request body. Default: maxMessageBytes."),
  metricsToken: key(
    token.superRefine((given, context) => refuseUnfit([given], context)),
    "A token for GET /metrics, and for nothing else. Default: no metrics.",
  ),
  drainMs: key(z.int().positive().max(60_000), "How long a server that is ending takes calls, while /readyz says no."),
});

const files = z.strictObject({
  legacy: key(yes, "Also the older tools: read_file, write_file, edit_file, ls, delete_file."),
});

export const configSchema = z.strictObject({
  $schema: key(z.string(), "Where editors find this schema."),
  roots: key(
    z.array(z.union([text, root], "expected a path or { path, … }")).min(1),
    "The directories to serve, or workspaces in a database, each a workspace of its own. Default: the directory this file lies in.",
  ),
  database: key(
    z.union([databaseUrl, database], "expected postgres://… or { url, … }"),
    "A PostgreSQL database of workspaces, in place of roots; stet serve finds them by name.",
  ),
  surface: key(
    z
      .string()
      .regex(
        new RegExp(`^ *(?:${names})(?: *, *(?:${names}))* *$`),
        `expected ${SURFACE_NAMES.join(", ")}, or several joined by commas`,
      ),
    `The tools that agents get: ${SURFACE_NAMES.join(", ")}, or several joined by commas. Default: workspace.`,
  ),
  results: key(
    z.enum(["text", "structured"]),
    'What tools answer over MCP: "text" for models (the default), or "structured": also data after an output schema, for programs.',
  ),
  readOnly: key(yes, "Deny every change in every root."),
  policy: key(policy, "What agents may do, and where."),
  limits: key(limits, "Numbers of the kernel."),
  onStale: key(
    z.enum(["reject", "rebase"]),
    'A change of a file that has changed since it was seen: "reject" it (the default), or "rebase": merge it into the newer version.',
  ),
  strict: key(yes, "Refuse what is otherwise allowed with a warning."),
  durability: key(
    z.enum(["full", "fast"]),
    '"full" (the default) survives a power failure, "fast" the crash of a process only.',
  ),
  files: key(files, "For the surface files."),
  maxMessageBytes: key(
    count,
    "Longest message of a client; a longer one is refused, and the connection goes on. Default: 50331648.",
  ),
  http: key(http, "For stet serve."),
});

/** Every path is compared with all of them. */
const MAX_GLOBS = 1000;
/** From the root: an absolute one would open a directory outside. */
const ownGlobs = z
  .array(z.string().regex(/^(?![/\\~]|[A-Za-z]:)/, "a path outside the project"))
  .max(MAX_GLOBS, `more than ${MAX_GLOBS} globs`);

/** What a file may say that lay in a project and was not named: it may have come with it, so it can only narrow. */
export const projectSchema = configSchema.pick({ $schema: true, surface: true, readOnly: true, onStale: true }).extend({
  policy: z
    .strictObject({ allowedActions: z.unknown(), allowedPaths: ownGlobs, deniedPaths: ownGlobs })
    .partial()
    .optional(),
});

const PARTS: Readonly<Record<string, z.ZodObject>> = {
  ...{ roots: root, database, oauth, claims, policy, limits, files, http, rateLimit },
};

/** What may stand beside an unknown key, by the key that holds it. */
export function knownKeys(above: string): readonly string[] {
  return Object.keys((PARTS[above] ?? configSchema).shape);
}

export type Config = z.infer<typeof configSchema>;

/** The text of stet.schema.json. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== policy) return;
      const { $schema: _$schema, ...known } = z.toJSONSchema(POLICY_OF_EDITORS, { io: "input" });
      Object.assign(jsonSchema, known);
    },
  });
  const clean = JSON.stringify(
    { $schema: schema.$schema, title: "stet.config.json", ...schema },
    (key, value: unknown) => (key === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value),
    2,
  );
  return `${clean}\n`;
}
