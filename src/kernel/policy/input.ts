// Validates what an owner writes as policy: anything malformed or unknown is refused, so that a typo never opens a door.
import { z } from "zod";
import { formatValue } from "../../api/options.ts";
import type { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { LIMITS } from "../../core/limits.ts";
import { refuse } from "../../words/index.ts";
import type { GlobProblem } from "../../words/policy.ts";
import { namesOf, problemWith } from "./globs.ts";
import { ACTIONS, type Action, CONFIG, PROTECTED, type Rule, STATE } from "./protected.ts";

/** An action as an owner names it: "glob" and "grep" are the two kinds of search, "search" is both. */
export type OwnerAction = Action | (typeof SEARCHES)[number];

/** What an owner allows and denies. Anything unknown or malformed is refused, so that a typo opens nothing. */
export interface PolicyInput {
  /** Everything else is denied. Who may write may also create. */
  readonly allowedActions?: readonly OwnerAction[];
  /** Globs from the root; when given, whatever matches none of them is denied. */
  readonly allowedPaths?: readonly string[];
  /** Globs from the root; whatever matches one of them, and everything below it, is denied. */
  readonly deniedPaths?: readonly string[];
  /** Max bytes of a file that is read as a whole or written. Default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Nothing can be changed. */
  readonly readOnly?: boolean;
  /** false: no default protection; rules: these instead of the defaults; add, remove: changes to the defaults. */
  readonly protect?: false | readonly ProtectRule[] | ProtectChanges;
  /** As `allowedActions`. */
  readonly allowed_actions?: PolicyInput["allowedActions"];
  /** As `allowedPaths`. */
  readonly allowed_paths?: readonly string[];
  /** As `deniedPaths`. */
  readonly denied_paths?: readonly string[];
  /** As `maxFileBytes`. */
  readonly max_file_size?: number;
  /** As `readOnly`. */
  readonly readonly?: boolean;
}

/** Files that are closed, as a rule with a name. */
export interface ProtectRule {
  /** For the words of a refusal, and to remove it. */
  readonly name: string;
  /** Globs from the root. */
  readonly paths: readonly string[];
  /** Globs of what stays open all the same. */
  readonly except?: readonly string[];
  /** Everything, which is the default, or changes only. */
  readonly deny?: "all" | "changes";
  /** Shown in the refusal. */
  readonly reason?: string;
}

/** Changes to the rules that hold by default. */
export interface ProtectChanges {
  /** Further rules. */
  readonly add?: readonly ProtectRule[];
  /** Names of default rules. */
  readonly remove?: readonly string[];
}

/** The checked input, with all defaults filled in and all globs relative to the root. */
export interface PolicySettings {
  readonly allowedActions: readonly OwnerAction[];
  readonly allowedPaths: readonly string[] | undefined;
  readonly deniedPaths: readonly string[];
  readonly maxFileBytes: number;
  readonly readOnly: boolean;
  readonly rules: readonly (Rule & { readonly source: "default" | "owner" })[];
  readonly notes: readonly string[];
}

export const POLICY_ALIASES: Readonly<Record<string, string>> = {
  allowed_actions: "allowedActions",
  allowed_paths: "allowedPaths",
  denied_paths: "deniedPaths",
  max_file_size: "maxFileBytes",
  readonly: "readOnly",
};
const SEARCHES = ["glob", "grep"] as const;
const OWNER_ACTIONS = [...ACTIONS, ...SEARCHES] as const;
/** A kind of search needs the action search, which alone means every kind. */
const IMPLIED: Partial<Record<OwnerAction, readonly OwnerAction[]>> = {
  write: ["create"],
  search: SEARCHES,
  glob: ["search"],
  grep: ["search"],
};

const A_GLOB = "a glob such as src/**";
const list = <T extends z.ZodType>(item: T) => z.array(item, "a list");
const isPlain = (text: string): boolean => text !== "" && text === text.trim();
const globs = list(z.string(A_GLOB).refine(isPlain, A_GLOB));
const isBuiltIn = (name: unknown): boolean => name === STATE.name || name === CONFIG.name;
const REMOVABLE = PROTECTED.map(({ name }) => name);
const rule = z.strictObject({
  name: z.string("a name of its own").refine((name) => name !== "" && !isBuiltIn(name), "a name of its own"),
  paths: globs,
  except: globs.optional(),
  deny: z.enum(["all", "changes"], '"all" or "changes"').optional(),
  reason: z.string("a sentence").min(1, "a sentence").optional(),
});
const removable = z.enum(REMOVABLE, {
  error: ({ input }) =>
    isBuiltIn(input)
      ? `the name of a rule other than "${input}", which always holds`
      : `one of ${REMOVABLE.join(", ")}`,
});
const A_PROTECT = "false, a list of rules, or { add, remove }";
const changes = z.strictObject({ add: list(rule).optional(), remove: list(removable).optional() }, A_PROTECT);
/** For editors of a configuration; what is judged here is judged in steps, so that each refusal names its place. */
export const POLICY_OF_EDITORS = z
  .strictObject({
    allowedActions: list(z.enum(OWNER_ACTIONS)).describe("Everything else is denied. Default: all."),
    allowedPaths: globs.describe("When given, whatever matches none of them is denied."),
    deniedPaths: globs.describe("Whatever matches one of them, and everything below it, is denied."),
    maxFileBytes: z.int().min(1).describe("Largest file that tools change; a larger one may be read."),
    readOnly: z.boolean().describe("Deny every change."),
    protect: z
      .union([z.literal(false), list(rule), changes])
      .describe("Changes to the protected list; false drops it, a list replaces it."),
  })
  .partial();
const POLICY = z.strictObject(
  {
    allowedActions: list(z.enum(OWNER_ACTIONS, `one of ${OWNER_ACTIONS.join(", ")}`)).optional(),
    allowedPaths: globs.optional(),
    deniedPaths: globs.optional(),
    maxFileBytes: z
      .int("a whole number of bytes greater than 0")
      .min(1, "a whole number of bytes greater than 0")
      .optional(),
    readOnly: z.boolean("true or false").optional(),
    protect: z.unknown().optional(),
  },
  "an object",
);

export function readPolicy(input: unknown, root: string | undefined): PolicySettings {
  const given = parsed(POLICY, underFirstNames(input ?? (input === undefined ? {} : input)), ["policy"]);
  const notes: string[] = [];
  const allowedPaths = given.allowedPaths && relativeGlobs(given.allowedPaths, "policy.allowedPaths", root, notes);
  return {
    allowedActions: given.allowedActions?.flatMap((action) => [action, ...(IMPLIED[action] ?? [])]) ?? OWNER_ACTIONS,
    allowedPaths,
    deniedPaths: relativeGlobs(given.deniedPaths ?? [], "policy.deniedPaths", root),
    maxFileBytes: given.maxFileBytes ?? LIMITS.maxFileBytes,
    readOnly: given.readOnly ?? false,
    rules: rulesFor(given.protect, root),
    notes,
  };
}

function rulesFor(protect: unknown, root: string | undefined): PolicySettings["rules"] {
  if (protect === undefined) return defaultsWithout([]);
  if (protect === false) return [];
  const key = ["policy", "protect"];
  const isList = Array.isArray(protect);
  const { add = [], remove = [] } = isList ? { add: parsed(list(rule), protect, key) } : parsed(changes, protect, key);
  const at = isList ? "policy.protect" : "policy.protect.add";
  const added = add.map(({ paths, except = [], deny = "all", reason = BY_OWNER, name }, n) => ({
    name,
    paths: relativeGlobs(paths, `${at}[${n}].paths`, root),
    except: relativeGlobs(except, `${at}[${n}].except`, root),
    deny,
    reason,
    source: "owner" as const,
  }));
  return isList ? added : [...defaultsWithout(remove), ...added];
}

const BY_OWNER = "the owner of the workspace says so";

function defaultsWithout(removed: readonly unknown[]): PolicySettings["rules"] {
  return PROTECTED.filter(({ name }) => !removed.includes(name)).map((each) => ({ ...each, source: "default" }));
}

/** Refuses an absolute glob that lies outside the workspace; with `notes`, notes it and leaves it out. */
function relativeGlobs(given: readonly string[], key: string, root: string | undefined, notes?: string[]): string[] {
  return given.flatMap((glob, n) => {
    const relative = fromRoot(glob, root);
    const problem = problemWith(relative ?? glob);
    if (problem !== undefined) throw malformed(`${key}[${n}]`, A_GLOB, glob, problem);
    if (relative !== undefined) return relative;
    if (notes === undefined)
      throw malformed(`${key}[${n}]`, "a glob from the root of the workspace, without / in front", glob);
    notes.push(`${key}: "${glob}" lies outside the workspace and matches nothing in it.`);
    return [];
  });
}

/** A glob relative to the root; undefined when it is absolute and leads elsewhere. "{{workdir}}" stands for the root. */
function fromRoot(glob: string, root: string | undefined): string | undefined {
  const relative = withoutRoot(glob, root)?.replace(/\/$/, "/**");
  return relative !== undefined && namesOf(relative).length === 0 ? "**" : relative;
}

function withoutRoot(glob: string, root: string | undefined): string | undefined {
  const workdir = /^\{\{\s*workdir\s*\}\}(?:\/|$)/.exec(glob);
  if (workdir !== null) return glob.slice(workdir[0].length);
  if (!/^(?:\/|[A-Za-z]:)/.test(glob)) return glob;
  const place = root?.replaceAll("\\", "/").replace(/\/+$/, "");
  if (place === undefined) return;
  if (glob === place || glob.startsWith(`${place}/`)) return glob.slice(place.length + 1);
  // A glob for everything below a directory that the workspace itself lies in.
  return glob.endsWith("/**") && `${place}/`.startsWith(glob.slice(0, -2)) ? "**" : undefined;
}

/** Renames aliases. Refuses a key that is given twice, under two names, or without a value. */
function underFirstNames(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const named = new Map<string, unknown>();
  for (const [field, value] of Object.entries(input)) {
    const name = Object.hasOwn(POLICY_ALIASES, field) ? POLICY_ALIASES[field]! : field;
    if (named.has(name)) throw malformed(`policy.${field}`, `${name} only once`, "two spellings of it");
    if (value === undefined) throw malformed(`policy.${field}`, "a value", undefined);
    named.set(name, value);
  }
  return Object.fromEntries(named);
}

function parsed<T extends z.ZodType>(schema: T, input: unknown, at: readonly PropertyKey[]): z.output<T> {
  const result = schema.safeParse(input, { reportInput: true });
  const issue = result.error?.issues[0];
  if (issue === undefined) return result.data as z.output<T>;
  const path = [...at, ...issue.path];
  if (issue.code !== "unrecognized_keys") throw malformed(keyOf(path), issue.message, issue.input);
  const [unknown = ""] = issue.keys;
  throw malformed(
    keyOf([...path, unknown]),
    "only keys that a policy has",
    (issue.input as Record<string, unknown>)[unknown],
  );
}

/** The key as it is written: policy.protect[0].name */
function keyOf(path: readonly PropertyKey[]): string {
  return path
    .map((each, n) => (typeof each === "number" ? `[${each}]` : `${n > 0 ? "." : ""}${String(each)}`))
    .join("");
}

function malformed(key: string, expected: string, value: unknown, problem?: GlobProblem): Refusal {
  return refuse("policy_malformed", { key, expected, found: formatValue(value), problem });
}
