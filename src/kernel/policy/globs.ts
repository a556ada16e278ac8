// Compiles the globs of a policy, and matches them name by name, so that no path, however long, makes matching slow.
import { folded } from "../../core/paths.ts";
import type { GlobProblem } from "../../words/policy.ts";

/** A path as names; no names is the root. */
export type Names = readonly string[];

export interface Glob {
  readonly text: string;
  /** Whether the first `count` of these names match. */
  matches(names: Names, count?: number): boolean;
  /** Whether something below these names could match. */
  leadsTo(names: Names): boolean;
  /** Pattern that the last name of a matching path fits. */
  readonly lastName: NamePattern;
}

/** The names that one segment of a glob takes: a few, or those of a pattern. */
export interface NamePattern {
  readonly names: ReadonlySet<string>;
  readonly pattern?: RegExp;
}

// These bound the time of a match: the length of a name, its stars, and what braces spell out.
const MAX = { length: 512, stars: 2, braces: 3, any_depth: 8, alternatives: 64 };
const ANY_DEPTH = "**";
const ANY_NAME: NamePattern = { names: new Set(), pattern: /^/ };
type Segment = NamePattern | typeof ANY_DEPTH;

/** Why a glob is refused: it costs too much, or means something that its writer does not expect. */
export function problemWith(glob: string): GlobProblem | undefined {
  const names = glob.split("/");
  if (glob.length > MAX.length) return { is: "length", max: MAX.length };
  if (glob.includes("\\")) return { is: "backslash" };
  if (/[\0-\x1F\x7F]|\p{Surrogate}/u.test(glob)) return { is: "control" };
  if (glob.startsWith("!")) return { is: "negation" };
  if (glob.startsWith("~")) return { is: "home" };
  if (names.includes("..")) return { is: "up" };
  if (/[@?!+*]\(/.test(glob)) return { is: "extended" };
  if (names.filter((name) => name === ANY_DEPTH).length > MAX.any_depth) return { is: "any_depth", max: MAX.any_depth };
  if (glob.split(",").length > MAX.alternatives) return { is: "alternatives", max: MAX.alternatives };
  for (const name of names) {
    const problem = problemWithName(name);
    if (problem !== undefined) return { ...problem, name };
  }
  return;
}

function problemWithName(name: string): GlobProblem | undefined {
  if (name.replaceAll(/\*+/g, "*").split("*").length - 1 > MAX.stars) return { is: "stars", max: MAX.stars };
  if (name.split("{").length - 1 > MAX.braces) return { is: "braces", max: MAX.braces };
  let rest = name.replaceAll(/\[[!^]?[\p{L}\p{N}_. -]+\]/gu, "");
  if (/[[\]]/.test(rest)) return { is: "set" };
  if (/\{[^}]*\.\.[^}]*\}/.test(rest)) return { is: "no_choice" };
  for (let n = 0; n < MAX.braces; n++) rest = rest.replace(/\{[^{},]*,[^{}]*\}/, "");
  if (/\{[^{},]*\}/.test(rest)) return { is: "no_choice" };
  if (/[{}]/.test(rest)) return { is: "unpaired" };
  if (choices(name).length > MAX.alternatives) return { is: "names", max: MAX.alternatives };
  try {
    compileName(name);
    compileName(folded(name));
  } catch {
    return { is: "bad_set" };
  }
  return;
}

/** Takes a glob without problems. `text` is how to show it. */
export function compileGlob(glob: string, text = glob): Glob {
  return fromSegments(namesOf(glob).map(compileName), text);
}

/** Matches a path as it is, without wildcards. */
export function literalGlob(path: string): Glob {
  return fromSegments(
    namesOf(path).map((name) => ({ names: new Set([name]) })),
    path,
  );
}

export function fits({ names, pattern }: NamePattern, name: string): boolean {
  return names.has(name) || pattern?.test(name) === true;
}

export function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function fromSegments(segments: readonly Segment[], text: string): Glob {
  const parts = partsOf(segments);
  const last = segments.at(-1);
  return {
    text,
    matches: (names, count = names.length) => matches(parts, names, count),
    leadsTo: (names) => leads(segments, names),
    lastName: last === undefined || last === ANY_DEPTH ? ANY_NAME : last,
  };
}

/** Spells out the braces: "{a,b}.ts" gives "a.ts" and "b.ts". */
function choices(name: string): string[] {
  const [, before = "", inside, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(name) ?? [];
  return inside === undefined ? [name] : inside.split(",").flatMap((choice) => choices(before + choice + after));
}

function compileName(name: string): Segment {
  if (name === ANY_DEPTH) return ANY_DEPTH;
  const spelled = choices(name);
  const patterns = spelled.filter((each) => /[*?[]/.test(each));
  // "[id]" and "[...slug]" are also names of files, in projects that have routes.
  if (patterns.length === 0) return { names: new Set(spelled) };
  return { names: new Set(spelled), pattern: new RegExp(`^(?:${patterns.map(sourceOf).join("|")})$`) };
}

/** As a regular expression: `*`, `?`, `[a-z]` and `[!a]`; everything else is itself. */
function sourceOf(pattern: string): string {
  return pattern.replaceAll(/\*+|\?|\[[^\]]*\]|[\\^$.|+(){}/-]/g, (part) => {
    if (part.startsWith("*")) return "[^]*";
    if (part === "?") return "[^]";
    return part.startsWith("[") ? part.replace(/^\[!/, "[^") : `\\${part}`;
  });
}

/** A glob cut at its "**". Without one, all of it is in `first`, and `last` is undefined. */
interface Parts {
  readonly first: readonly NamePattern[];
  readonly middle: readonly (readonly NamePattern[])[];
  readonly last: readonly NamePattern[] | undefined;
}

function partsOf(segments: readonly Segment[]): Parts {
  const parts: NamePattern[][] = [[]];
  for (const segment of segments) {
    if (segment === ANY_DEPTH) parts.push([]);
    else parts.at(-1)!.push(segment);
  }
  return { first: parts[0]!, middle: parts.slice(1, -1), last: parts.length === 1 ? undefined : parts.at(-1) };
}

/** The first part is where the names begin, the last one where they end, and each other at the first place it fits. */
function matches({ first, middle, last }: Parts, names: Names, count: number): boolean {
  if (last === undefined) return count === first.length && fitAt(first, names, 0, count);
  if (!fitAt(last, names, count - last.length, count) || !fitAt(first, names, 0, count)) return false;
  let at = first.length;
  for (const part of middle) {
    while (at + part.length <= count && !fitAt(part, names, at, count)) at++;
    at += part.length;
  }
  return at + last.length <= count;
}

function fitAt(part: readonly NamePattern[], names: Names, start: number, end: number): boolean {
  if (start < 0 || start + part.length > end) return false;
  for (let n = 0; n < part.length; n++) if (!fits(part[n]!, names[start + n]!)) return false;
  return true;
}

function leads(segments: readonly Segment[], names: Names): boolean {
  for (const [at, name] of names.entries()) {
    const segment = segments[at];
    if (segment === ANY_DEPTH) return true;
    if (segment === undefined || !fits(segment, name)) return false;
  }
  return segments.length > names.length;
}

/** Caches answers, which never change. */
export function memoized(decide: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = decide(text);
      if (known.size >= MAX_MEMOIZED) known.clear();
      known.set(text, answer);
    }
    return answer;
  };
}

const MAX_MEMOIZED = 4096;
