// The policy of a workspace: which action is allowed on which path, and which rule says so. Deny always wins.
import { folded } from "../../core/paths.ts";
import { refuse } from "../../words/index.ts";
import { compileGlob, fits, type Glob, literalGlob, memoized, type Names, namesOf } from "./globs.ts";
import { type OwnerAction, type PolicyInput, readPolicy } from "./input.ts";
import { ACTIONS, type Action, CONFIG, isChange, type Rule, STATE } from "./protected.ts";

export type { Action, OwnerAction, PolicyInput };

/** Whether something is allowed, and what says so. */
export interface Decision {
  /** The answer. */
  readonly allowed: boolean;
  /** The rule that decided, as it was written. */
  readonly rule: string;
  /** Where the rule comes from. */
  readonly source: "built-in" | "default" | "owner" | "read-only";
  /** Why the rule is there, in words. */
  readonly reason: string;
}

/** Which actions are allowed on which paths. Deny always wins. */
export interface Policy {
  /** Actions that are allowed on some path. */
  readonly allowedActions: readonly Action[];
  /** Max bytes of a file that is read as a whole or written. */
  readonly maxFileBytes: number;
  /** Nothing can be changed, and no state is kept. */
  readonly readOnly: boolean;
  /** What the owner should know: globs that match nothing. */
  readonly notes: readonly string[];
  /** Whether the action is allowed anywhere. Only here do "glob" and "grep" differ; for a path, both are "search". */
  permits(action: OwnerAction): boolean;
  /** Refuses `permission_denied` unless the action is allowed on this canonical path. */
  check(path: string, action: Action): void;
  /** Whether the action is allowed on this canonical path. */
  allows(path: string, action: Action): boolean;
  /** The same, with the rule that decides. */
  explain(path: string, action: Action): Decision;
}

export interface PolicyContext {
  /** Absolute, for globs that are absolute. */
  readonly root?: string | undefined;
  /** Where stet reaches its state when that is in the workspace but not `.stet`; relative to the root. */
  readonly statePaths?: readonly string[] | undefined;
}

/** Fails closed: a policy with anything malformed in it is refused as a whole. */
export function definePolicy(input?: unknown, context: PolicyContext = {}): Policy {
  const settings = readPolicy(input, context.root);
  const { readOnly, maxFileBytes } = settings;
  const named = new Set<OwnerAction>(settings.allowedActions);
  const allowedActions = Object.freeze(ACTIONS.filter((action) => named.has(action)));
  const allowedPaths = settings.allowedPaths?.map((glob) => compileGlob(glob));
  const rules: readonly DenyRule[] = [
    { ...STATE, source: "built-in", literal: context.statePaths ?? [] },
    { ...CONFIG, source: "built-in" },
    {
      name: "deniedPaths",
      paths: settings.deniedPaths,
      deny: "all",
      reason: "the owner of the workspace denies it",
      source: "owner",
    },
    ...settings.rules,
  ];
  // Compiled on first use: some policies are never asked about a path.
  let compiled: ReturnType<typeof compileDenials> | undefined;

  const decide = (path: string, action: Action): Decision => {
    if (path.startsWith("/") || (path.includes("..") && namesOf(path).includes("..")))
      return no("canonical paths", "built-in", "it is not a path in the workspace");
    if (isChange(action) && namesOf(path).length === 0)
      return no("root", "built-in", "the root of the workspace stays as it is");
    if (readOnly && isChange(action)) return no("readOnly", "read-only", "the workspace is read-only");
    if (!allowedActions.includes(action))
      return no("allowedActions", "owner", `only ${allowedActions.join(", ") || "nothing"} is allowed`);
    compiled ??= compileDenials(rules);
    const denial = compiled(path, action);
    if (denial !== undefined) return no(denial.glob, denial.source, denial.reason);
    if (allowedPaths === undefined) return NOT_DENIED;
    const names = namesOf(path);
    const match = allowedPaths.find((glob) => glob.matches(names) || isOnTheWay(glob, names, action));
    if (match !== undefined) return yes(match.text, "owner", "the owner of the workspace allows it");
    return no(
      "allowedPaths",
      "owner",
      `only ${allowedPaths.map((glob) => glob.text).join(", ") || "nothing"} is allowed`,
    );
  };

  return Object.freeze<Policy>({
    allowedActions,
    maxFileBytes,
    readOnly,
    notes: Object.freeze([...settings.notes]),
    permits: (action) => named.has(action) && !(readOnly && isChange(action)),
    explain: decide,
    allows: (path, action) => decide(path, action).allowed,
    check(path, action) {
      const { allowed, rule, source, reason: because } = decide(path, action);
      if (!allowed) throw refuse("denied", { path, action, rule, source, because });
    },
  });
}

/** To find an allowed path, directories on the way to it can be listed, and a search may start at the root. */
function isOnTheWay(glob: Glob, names: Names, action: Action): boolean {
  if (action === "list") return glob.leadsTo(names);
  return action === "search" && names.length === 0;
}

function yes(rule: string, source: Decision["source"], reason: string): Decision {
  return { allowed: true, rule, source, reason };
}

const NOT_DENIED: Decision = Object.freeze(yes("none", "default", "no rule denies it"));

function no(rule: string, source: Decision["source"], reason: string): Decision {
  return { allowed: false, rule, source, reason };
}

interface DenyRule extends Rule {
  readonly source: "built-in" | "default" | "owner";
  /** Paths without wildcards. */
  readonly literal?: readonly string[];
}

interface Denial {
  /** The glob that denies, as it was written. */
  readonly glob: string;
  readonly source: DenyRule["source"];
  readonly reason: string;
}

interface Compiled {
  readonly rule: DenyRule;
  readonly globs: readonly Glob[];
  readonly except: readonly Glob[];
}

type Denying = (path: string, action: Action) => Denial | undefined;

/** A rule denies what it matches and everything below. Names are compared in lower case, whatever the file system does. */
function compileDenials(rules: readonly DenyRule[]): Denying {
  const all = rules.map(compile);
  const testing = (rules: readonly Compiled[]) => ({ rules, isPlain: plainPaths(rules) });
  const forReading = testing(all.filter(({ rule }) => rule.deny === "all"));
  const forChanging = testing(all);

  return (path, action) => {
    const { rules, isPlain } = isChange(action) ? forChanging : forReading;
    if (isPlain(path)) return;
    for (const names of spellingsOf(path)) {
      for (let count = 1; count <= names.length; count++) {
        for (const { rule, globs, except } of rules) {
          const glob = globs.find((each) => each.matches(names, count));
          if (glob === undefined || except.some((each) => each.matches(names, count))) continue;
          return { glob: glob.text, source: rule.source, reason: rule.reason };
        }
      }
    }
    return;
  };
}

/** "a/**" is "a" here: what lies below follows from the rule. */
function compile(rule: DenyRule): Compiled {
  const { paths, except = [], literal = [] } = rule;
  const globs = paths.map((path) => compileGlob(folded(path.replace(/(?:\/+\*\*)+\/*$/, "")), path));
  return {
    rule,
    globs: [...globs, ...literal.map((path) => literalGlob(path.toLowerCase()))],
    except: except.map((path) => compileGlob(folded(path), path)),
  };
}

/** Fast path: most names match no rule's last segment, in any spelling, and most are those of other paths too. */
function plainPaths(rules: readonly Compiled[]): (path: string) => boolean {
  const lastNames = rules.flatMap(({ globs }) => globs.map(({ lastName }) => lastName));
  const literals = new Set(lastNames.flatMap(({ names }) => [...names]));
  const patterns = lastNames.filter(({ pattern }) => pattern !== undefined);
  const isLast = (name: string): boolean => literals.has(name) || patterns.some((pattern) => fits(pattern, name));
  const plainName = memoized((name) => !spellingsOf(name).some((names) => names.some(isLast)));
  const isPlain = (path: string): boolean => {
    const slash = path.lastIndexOf("/");
    return plainName(path.slice(slash + 1)) && (slash <= 0 || plainDirectory(path.slice(0, slash)));
  };
  const plainDirectory = memoized(isPlain);
  return isPlain;
}

/** Every spelling of a path that deny rules look at: in lower case, and defused. */
function spellingsOf(path: string): readonly Names[] {
  if (/^(?:[\w/-]|\.(?=[\w-]))*$/.test(path)) return [namesOf(path.toLowerCase())];
  const lower = namesOf(folded(path));
  const defused = namesOf(path.normalize("NFKC").replaceAll("\\", "/")).map(defuse);
  return lower.join("/") === defused.join("/") ? [lower] : [lower, defused];
}

function defuse(name: string): string {
  // Some file systems ignore these characters, and no eye sees them.
  const visible = name.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, "").toLowerCase();
  // Windows: "name:stream" is the file itself or a part of it, and dots and spaces at the end do not count.
  return visible.replace(/(?<=.):.*$/su, "").replace(/[. ]+$/u, "") || visible;
}
