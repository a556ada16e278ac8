// Compiles deny rules: finds the rule, if any, that denies an action on a path in any of its spellings.
import { folded } from "../../core/paths.ts";
import { compileGlob, fits, type Glob, literalGlob, memoized, type Names, namesOf } from "./globs.ts";
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
  // The owner of most workspaces denies nothing more: all of these share their rules.
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
