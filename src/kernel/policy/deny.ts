// Compiles deny rules: finds the rule, if any, that denies an action on a path in any of its spellings.
import { folded } from "../../core/paths.ts";
import { type Along, compileGlob, fits, type Glob, literalGlob, type Names, namesOf } from "./globs.ts";
import { type Action, isChange, type Rule } from "./protected.ts";

export interface DenyRule extends Rule {
  readonly source: "built-in" | "default" | "owner";
  /** Paths without wildcards. */
  readonly literal?: readonly string[];
}

export interface Denial {
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
export function compileDenials(rules: readonly DenyRule[]): Denying {
  // Of most workspaces the owner denies nothing more: all of them have the same rules.
  if (rules.some(({ source, paths }) => source === "owner" && paths.length > 0)) return compiledFrom(rules);
  const key = JSON.stringify(rules);
  const denying = withoutOwners.get(key) ?? compiledFrom(rules);
  if (withoutOwners.size >= MAX_KEPT) withoutOwners.clear();
  withoutOwners.set(key, denying);
  return denying;
}

const withoutOwners = new Map<string, Denying>();
const MAX_KEPT = 8;

function compiledFrom(rules: readonly DenyRule[]): Denying {
  const all = rules.map(compile);
  const testing = (rules: readonly Compiled[]) => ({ rules, isPlain: plainPaths(rules) });
  const forReading = testing(all.filter(({ rule }) => rule.deny === "all"));
  const forChanging = testing(all);

  return (path, action) => {
    const { rules, isPlain } = isChange(action) ? forChanging : forReading;
    if (isPlain(path)) return;
    for (const names of spellingsOf(path)) {
      const along = rules.map((rule) => alongside(rule, names)).filter(({ globs }) => globs.length > 0);
      for (const count of names.keys()) {
        for (const { rule, globs, except } of along) {
          const glob = globs.find(({ matches }) => matches(count + 1));
          if (glob === undefined || except.some(({ matches }) => matches(count + 1))) continue;
          return { glob: glob.text, source: rule.source, reason: rule.reason };
        }
      }
    }
    return;
  };
}

/** A rule that goes along the names of one path: what a glob finds out about them serves for each of its directories. */
interface RuleAlong {
  readonly rule: DenyRule;
  readonly globs: readonly Going[];
  readonly except: readonly Going[];
}

interface Going {
  readonly text: string;
  readonly matches: Along;
}

function alongside({ rule, globs, except }: Compiled, names: Names): RuleAlong {
  const going = (glob: Glob): Going[] => {
    const matches = glob.along(names);
    return matches === undefined ? [] : [{ text: glob.text, matches }];
  };
  return { rule, globs: globs.flatMap(going), except: except.flatMap(going) };
}

function compile(rule: DenyRule): Compiled {
  return {
    rule,
    globs: [...globsOf(rule), ...(rule.literal ?? []).map((path) => literalGlob(path.toLowerCase()))],
    except: (rule.except ?? []).map((path) => compileGlob(folded(path), path)),
  };
}

/** Nearly all rules are the same in every workspace: those that come with stet are compiled once for all of them. */
const ofOurs = new WeakMap<readonly string[], readonly Glob[]>();

/** "a/**" is "a" here: what lies below follows from the rule. */
function globsOf({ paths, source }: DenyRule): readonly Glob[] {
  const globs =
    ofOurs.get(paths) ?? paths.map((path) => compileGlob(folded(path.replace(/(?:\/+\*\*)+\/*$/, "")), path));
  if (source !== "owner") ofOurs.set(paths, globs);
  return globs;
}

/** Fast path: most names match no rule's last segment, in any spelling, and most are those of other paths too. */
function plainPaths(rules: readonly Compiled[]): (path: string) => boolean {
  const lastNames = rules.flatMap(({ globs }) => globs.map(({ lastName }) => lastName));
  const literals = new Set(lastNames.flatMap(({ names }) => [...names]));
  const patterns = lastNames.filter(({ pattern }) => pattern !== undefined);
  const isLast = (name: string): boolean => literals.has(name) || patterns.some((pattern) => fits(pattern, name));
  const plainName = remembered((name) => !spellingsOf(name).some((names) => names.some(isLast)));
  const plainDirectory = remembered((path) => isPlain(path));
  const isPlain = (path: string): boolean => {
    const slash = path.lastIndexOf("/");
    return plainName(path.slice(slash + 1)) && (slash <= 0 || plainDirectory(path.slice(0, slash)));
  };
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

function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const verdict = test(text);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, verdict);
    return verdict;
  };
}

const MAX_REMEMBERED = 4096;
