// The policy of a workspace: which action is allowed on which path, and which rule says so. Deny always wins.
import { refuse } from "../../words/index.ts";
import { compileDenials, type DenyRule } from "./deny.ts";
import { compileGlob, type Glob, type Names, namesOf } from "./globs.ts";
import { type OwnerAction, type PolicyInput, readPolicy } from "./input.ts";
import { ACTIONS, type Action, CONFIG, isChange, STATE } from "./protected.ts";

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
  /** Those allowed somewhere. */
  readonly allowedActions: readonly Action[];
  /** Larger files are not read as a whole, nor written. */
  readonly maxFileBytes: number;
  /** Nothing can be changed, and no state is kept. */
  readonly readOnly: boolean;
  /** What the owner should know: globs that match nothing. */
  readonly notes: readonly string[];
  /** Whether it is allowed anywhere at all. Only here they differ: for paths "glob" and "grep" are the action search. */
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
  readonly root?: string;
  /** Where stet reaches its state when that is in the workspace but not `.stet`; relative to the root. */
  readonly statePaths?: readonly string[];
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
  // Compiled when a path is first asked about: some policies are only looked at.
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

  const explain = remembered(decide);

  return Object.freeze<Policy>({
    allowedActions,
    maxFileBytes,
    readOnly,
    notes: Object.freeze([...settings.notes]),
    permits: (action) => named.has(action) && !(readOnly && isChange(action)),
    explain,
    // Asked about all the paths of a tree, of which none is worth remembering.
    allows: (path, action) => decide(path, action).allowed,
    check(path, action) {
      const { allowed, rule, source, reason: because } = explain(path, action);
      if (!allowed) throw refuse("denied", { path, action, rule, source, because });
    },
  });
}

/** Allows what both allow. */
export function bothPolicies(one: Policy, other: Policy): Policy {
  return Object.freeze<Policy>({
    allowedActions: one.allowedActions.filter((action) => other.allowedActions.includes(action)),
    maxFileBytes: Math.min(one.maxFileBytes, other.maxFileBytes),
    readOnly: one.readOnly || other.readOnly,
    notes: [...one.notes, ...other.notes],
    permits: (action) => one.permits(action) && other.permits(action),
    allows: (path, action) => one.allows(path, action) && other.allows(path, action),
    explain: (path, action) => (one.allows(path, action) ? other : one).explain(path, action),
    check(path, action) {
      one.check(path, action);
      other.check(path, action);
    },
  });
}

/** A policy never changes, and the same few files are asked for again and again. */
function remembered(decide: Policy["explain"]): Policy["explain"] {
  const known = new Map<string, Decision>();
  return (path, action) => {
    const question = `${action} ${path}`;
    const decision = known.get(question) ?? Object.freeze(decide(path, action));
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(question, decision);
    return decision;
  };
}

const MAX_REMEMBERED = 4096;

/** Directories on the way to an allowed path can be listed, or it could not be found; a search may start at the root. */
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
