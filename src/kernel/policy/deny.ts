// Deny rules, compiled: which rule, if any, denies an action on a path in any of its spellings.
import { folded } from "../../core/paths.ts";
import { formsOfShort, shortFormOf, spellingsOf } from "./aliases.ts";
import { type Along, compileGlob, type Glob, literalGlob, type Names, spelledOut } from "./globs.ts";
import { namePattern } from "./name-pattern.ts";
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

/** What follows from the globs of a rule alone. */
interface OfPaths {
  readonly globs: readonly Glob[];
  /** A short form of a name, and the glob that it is one of. */
  readonly shortNames: readonly (readonly [form: string, glob: string])[];
}

type Denying = (path: string, action: Action) => Denial | undefined;

/** A rule denies what it matches and everything below. Names are compared in lower case, whatever the file system does. */
export function compileDenials(rules: readonly DenyRule[]): Denying {
  // Of most workspaces the owner denies nothing more: all of them have the same rules.
  if (rules.some(({ source, paths }) => source === "owner" && paths.length > 0)) return compiledFrom(rules);
  const key = JSON.stringify(rules);
  const denying = withoutOwners.get(key) ?? compiledFrom(rules);
  if (withoutOwners.size >= MOST_KEPT) withoutOwners.clear();
  withoutOwners.set(key, denying);
  return denying;
}

const withoutOwners = new Map<string, Denying>();
const MOST_KEPT = 8;

function compiledFrom(rules: readonly DenyRule[]): Denying {
  const all = rules.map(compile);
  const shortNames = shortNamesOf(rules);
  const testing = (rules: readonly Compiled[]) => {
    const lastName = anyOf(rules);
    return { rules, lastName, isPlain: plainPaths(lastName, shortNames) };
  };
  const forReading = testing(all.filter(({ rule }) => rule.deny === "all"));
  const forChanging = testing(all);

  return (path, action) => {
    const { rules, lastName, isPlain } = isChange(action) ? forChanging : forReading;
    if (isPlain(path)) return;
    for (const names of spellingsOf(path)) {
      let along: readonly RuleAlong[] | undefined;
      for (const [at, name] of names.entries()) {
        for (const form of formsOfShort(name)) if (shortNames.has(form)) return shortNames.get(form);
        if (!lastName(name)) continue;
        along ??= rules.map((rule) => alongside(rule, names)).filter(({ globs }) => globs.length > 0);
        for (const { rule, globs, except } of along) {
          const glob = globs.find(({ matches }) => matches(at + 1));
          if (glob !== undefined && !except.some(({ matches }) => matches(at + 1))) return denial(glob.text, rule);
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

function denial(glob: string, { source, reason }: DenyRule): Denial {
  return { glob, source, reason };
}

/** A short name may stand for any of several long ones, so it is denied whatever the action. */
function shortNamesOf(rules: readonly DenyRule[]): ReadonlyMap<string, Denial> {
  const denials = new Map<string, Denial>();
  for (const rule of rules) {
    for (const [form, glob] of ofPaths(rule).shortNames) denials.set(form, denial(glob, rule));
  }
  return denials;
}

function compile(rule: DenyRule): Compiled {
  const globs = [...ofPaths(rule).globs, ...(rule.literal ?? []).map((path) => literalGlob(path.toLowerCase()))];
  return { rule, globs, except: (rule.except ?? []).map((path) => compileGlob(folded(path), path)) };
}

/** Nearly all rules are the same in every workspace: those that come with stet are compiled once for all of them. */
const ofOurs = new WeakMap<readonly string[], OfPaths>();

function ofPaths({ paths, source }: DenyRule): OfPaths {
  const known = ofOurs.get(paths);
  if (known !== undefined) return known;
  const shortForms = (glob: string) => spelledOut(glob).flatMap((name) => shortFormOf(name) || []);
  const made: OfPaths = {
    globs: paths.map(ofEntry),
    shortNames: paths.flatMap((glob) => shortForms(glob).map((form) => [form, glob] as const)),
  };
  if (source !== "owner") ofOurs.set(paths, made);
  return made;
}

/** "a/**" is "a" here: what lies below follows from the rule. */
function ofEntry(path: string): Glob {
  return compileGlob(folded(path.replace(/(?:\/+\*\*)+\/*$/, "")), path);
}

function anyOf(compiled: readonly Compiled[]): (name: string) => boolean {
  const patterns = compiled.flatMap(({ globs }) => globs.map((glob) => glob.lastName));
  const names = new Set(patterns.flatMap((pattern) => ("pattern" in pattern ? [] : [...pattern])));
  const wildcards = patterns.flatMap((pattern) => ("pattern" in pattern ? [pattern.pattern] : []));
  const fitsOne = namePattern([...new Set(wildcards)]);
  return (name) => names.has(name) || fitsOne(name);
}

/** Nearly every path is one of names that no rule ends with, in any spelling; and most names are those of others, too. */
function plainPaths(
  lastName: (name: string) => boolean,
  shortNames: ReadonlyMap<string, Denial>,
): (path: string) => boolean {
  const ofInterest = (name: string): boolean =>
    lastName(name) || formsOfShort(name).some((form) => shortNames.has(form));
  const plainName = remembered((name) => !spellingsOf(name).some((names) => names.some(ofInterest)));
  const plainDirectory = remembered((path) => isPlain(path));
  const isPlain = (path: string): boolean => {
    const slash = path.lastIndexOf("/");
    return plainName(path.slice(slash + 1)) && (slash <= 0 || plainDirectory(path.slice(0, slash)));
  };
  return isPlain;
}

function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const verdict = test(text);
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(text, verdict);
    return verdict;
  };
}

const MOST_REMEMBERED = 4096;
