// What an owner writes as policy, checked by hand: anything malformed or unknown is refused, so that a typing error never opens a door.
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { namesOf, problemWith } from "./globs.ts";
import { ACTIONS, type Action, CONFIG, PROTECTED, type Rule, STATE } from "./protected.ts";

/** An action as an owner names it: "glob" and "grep" are the two kinds of search, "search" is both. */
export type OwnerAction = Action | (typeof SEARCHES)[number];

/** What an owner allows and denies. Anything unknown or malformed is refused, so that a typing error opens nothing. */
export interface PolicyInput {
  /** Everything else is denied. Who may write may also create. */
  readonly allowedActions?: readonly OwnerAction[];
  /** Globs from the root; when given, whatever matches none of them is denied. */
  readonly allowedPaths?: readonly string[];
  /** Globs from the root; whatever matches one of them, and everything below it, is denied. */
  readonly deniedPaths?: readonly string[];
  /** The largest file that is read as a whole, or written. Default 10 MiB. */
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
  /** Told with the refusal. */
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
  readonly allowedPaths?: readonly string[];
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
const OWNER_ACTIONS = [...ACTIONS, ...SEARCHES];
/** A kind of search needs the action search, which alone means every kind. */
const IMPLIED: Partial<Record<OwnerAction, readonly OwnerAction[]>> = {
  write: ["create"],
  search: SEARCHES,
  glob: ["search"],
  grep: ["search"],
};
const KEYS = ["allowedActions", "allowedPaths", "deniedPaths", "maxFileBytes", "readOnly", "protect"];

export function readPolicy(input: unknown, root: string | undefined): PolicySettings {
  const given = input === undefined ? new Map<string, unknown>() : fieldsOf(input, "policy", KEYS, POLICY_ALIASES);
  const read = <T>(key: string, fallback: T, parse: (value: unknown, key: string) => T): T =>
    given.has(key) ? parse(given.get(key), `policy.${key}`) : fallback;
  const notes: string[] = [];
  const allowedPaths = read<string[] | undefined>("allowedPaths", undefined, (value, key) =>
    globsIn(
      value,
      key,
      root,
      (glob) => void notes.push(`${key}: "${glob}" lies outside the workspace and matches nothing in it.`),
    ),
  );
  return {
    allowedActions: read("allowedActions", OWNER_ACTIONS, actionsIn),
    ...(allowedPaths !== undefined && { allowedPaths }),
    deniedPaths: read("deniedPaths", [], (value, key) => globsIn(value, key, root)),
    maxFileBytes: read("maxFileBytes", LIMITS.maxFileBytes, positiveInteger),
    readOnly: read("readOnly", false, trueOrFalse),
    rules: read("protect", defaults(PROTECTED), (value, key) => protection(value, key, root)),
    notes,
  };
}

function protection(value: unknown, key: string, root: string | undefined): PolicySettings["rules"] {
  if (value === false) return [];
  if (Array.isArray(value)) return listOf(value, key, (rule, at) => ruleIn(rule, at, root));
  const changes = fieldsOf(value, key, ["add", "remove"]);
  const removed = changes.has("remove") ? listOf(changes.get("remove"), `${key}.remove`, removable) : [];
  const added = changes.has("add")
    ? listOf(changes.get("add"), `${key}.add`, (rule, at) => ruleIn(rule, at, root))
    : [];
  return [...defaults(PROTECTED.filter((rule) => !removed.includes(rule.name))), ...added];
}

function defaults(rules: readonly Rule[]): PolicySettings["rules"] {
  return rules.map((rule) => ({ ...rule, source: "default" }));
}

function removable(value: unknown, key: string): string {
  const names = PROTECTED.map((rule) => rule.name);
  if (isBuiltIn(value)) throw malformed(key, `the name of a rule other than "${value}", which always holds`, value);
  if (typeof value === "string" && names.includes(value)) return value;
  throw malformed(key, `one of ${names.join(", ")}`, value);
}

function isBuiltIn(name: unknown): boolean {
  return name === STATE.name || name === CONFIG.name;
}

function ruleIn(value: unknown, key: string, root: string | undefined): PolicySettings["rules"][number] {
  const fields = fieldsOf(value, key, ["name", "paths", "except", "deny", "reason"]);
  const { name, paths, deny = "all", reason = "the owner of the workspace says so" } = Object.fromEntries(fields);
  if (typeof name !== "string" || name === "" || isBuiltIn(name))
    throw malformed(`${key}.name`, "a name of its own", name);
  if (deny !== "all" && deny !== "changes") throw malformed(`${key}.deny`, '"all" or "changes"', deny);
  if (typeof reason !== "string" || reason === "") throw malformed(`${key}.reason`, "a sentence", reason);
  return {
    name,
    paths: globsIn(paths, `${key}.paths`, root),
    ...(fields.has("except") && { except: globsIn(fields.get("except"), `${key}.except`, root) }),
    deny,
    reason,
    source: "owner",
  };
}

function actionsIn(value: unknown, key: string): readonly OwnerAction[] {
  const named = listOf(value, key, (action, at) => {
    const found = OWNER_ACTIONS.find((known) => known === action);
    if (found === undefined) throw malformed(at, `one of ${OWNER_ACTIONS.join(", ")}`, action);
    return [found, ...(IMPLIED[found] ?? [])];
  });
  return named.flat();
}

/** `outside`: what to do with an absolute glob that is not in the workspace; without it such a glob is refused. */
function globsIn(value: unknown, key: string, root: string | undefined, outside?: (glob: string) => void): string[] {
  const globs = listOf(value, key, (glob, at) => {
    if (typeof glob !== "string" || glob === "" || glob !== glob.trim())
      throw malformed(at, "a glob such as src/**", glob);
    const relative = fromRoot(glob, root);
    const problem = problemWith(relative ?? glob);
    if (problem !== undefined) throw malformed(at, "a glob such as src/**", glob, problem);
    if (relative === undefined && outside === undefined) {
      throw malformed(at, "a glob from the root of the workspace, without / in front", glob);
    }
    if (relative === undefined) outside?.(glob);
    return relative;
  });
  return globs.filter((glob) => glob !== undefined);
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

function positiveInteger(value: unknown, key: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw malformed(key, "a whole number of bytes greater than 0", value);
}

function trueOrFalse(value: unknown, key: string): boolean {
  if (typeof value === "boolean") return value;
  throw malformed(key, "true or false", value);
}

function listOf<T>(value: unknown, key: string, parse: (item: unknown, key: string) => T): T[] {
  if (!Array.isArray(value)) throw malformed(key, "a list", value);
  return Array.from(value, (item, at) => parse(item, `${key}[${at}]`));
}

/** Own fields of a plain object, under their first names. */
function fieldsOf(
  value: unknown,
  key: string,
  known: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): Map<string, unknown> {
  const prototype = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== null && (prototype !== Object.prototype || Array.isArray(value)))
    throw malformed(key, "an object", value);
  const fields = new Map<string, unknown>();
  for (const field of Reflect.ownKeys(value as object)) {
    const name = typeof field === "string" && Object.hasOwn(aliases, field) ? aliases[field]! : field;
    if (typeof name !== "string" || !known.includes(name)) {
      throw malformed(
        `${key}.${String(field)}`,
        `only ${known.join(", ")}`,
        (value as Record<PropertyKey, unknown>)[field],
      );
    }
    if (fields.has(name)) throw malformed(`${key}.${String(field)}`, `${name} only once`, "two spellings of it");
    fields.set(name, (value as Record<string, unknown>)[field as string]);
  }
  return fields;
}

function malformed(key: string, expected: string, value: unknown, problem?: string): Refusal {
  const found = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : describe(value);
  const why = problem === undefined ? "" : ` (${problem})`;
  return new Refusal("invalid_input", `${key}: expected ${expected}, found ${found}${why}.`, {
    next: "Correct the policy; until then nothing is allowed.",
    details: { key },
  });
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
