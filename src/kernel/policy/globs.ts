// Compiles the globs of a policy, and matches them name by name, so that no path, however long, makes matching slow.
import { folded } from "../../core/paths.ts";

/** A path as names; no names is the root. */
export type Names = readonly string[];

export interface Glob {
  readonly text: string;
  matches(names: Names): boolean;
  /** Whether the first so many of these names match, for any number; undefined when it is none. They are looked through once. */
  along(names: Names): Along | undefined;
  /** Whether something below these names could match. */
  leadsTo(names: Names): boolean;
  /** What the last name of a matching path looks like. */
  readonly lastName: NamePattern;
}

export type Along = (count: number) => boolean;

/** The names that one segment of a glob takes: a few, or those of a pattern. */
export interface NamePattern {
  readonly names: ReadonlySet<string>;
  readonly pattern?: RegExp;
}

// What bounds the time of a match is the length of a name, its stars, and how much braces spell out.
const LIMITS = {
  length: 512,
  starsInName: 2,
  bracesInName: 3,
  bracesInBraces: 2,
  setsInName: 16,
  anyDepth: 8,
  alternatives: 64,
};
const ANY_DEPTH = "**";
type Segment = NamePattern | typeof ANY_DEPTH;

/** Why a glob is not accepted: whatever would be understood in a way its writer does not expect. */
export function problemWith(glob: string): string | undefined {
  const names = glob.split("/");
  if (glob.length > LIMITS.length) return `it is longer than ${LIMITS.length} characters`;
  if (glob.includes("\\")) return 'it has a backslash; write "/" between names';
  if (/[\0-\x1F\x7F]|\p{Surrogate}/u.test(glob)) return "it has control characters";
  if (glob.startsWith("!")) return 'it starts with "!"; a rule says what it matches, not what it does not';
  if (glob.startsWith("~")) return '"~" is not expanded; name paths from the root of the workspace';
  if (names.includes("..")) return 'it leads upwards with ".."';
  if (/[@?!+*]\(/.test(glob)) return "it has an extended pattern such as +(…); write several globs instead";
  if (names.filter((name) => name === ANY_DEPTH).length > LIMITS.anyDepth)
    return `it has more than ${LIMITS.anyDepth} "**"`;
  if (glob.split(",").length > LIMITS.alternatives) return `it has more than ${LIMITS.alternatives} alternatives`;
  for (const name of names) {
    const problem = problemWithName(name);
    if (problem !== undefined) return `${problem} in "${name}"`;
  }
  return;
}

/** For a glob without problems. `text` is how to show it. */
export function compileGlob(glob: string, text = glob): Glob {
  return fromSegments(namesOf(glob).map(compileName), text);
}

/** A path that is taken as it is, without wildcards. */
export function literalGlob(path: string): Glob {
  return fromSegments(
    namesOf(path).map((name) => ({ names: new Set([name]) })),
    path,
  );
}

export function fits({ names, pattern }: NamePattern, name: string): boolean {
  return names.has(name) || pattern?.test(name) === true;
}

function fromSegments(segments: readonly Segment[], text: string): Glob {
  const parts = partsOf(segments);
  const along = (names: Names): Along | undefined => matchAlong(parts, names);
  return {
    text,
    along,
    matches: (names) => along(names)?.(names.length) === true,
    leadsTo: (names) => leads(segments, names),
    lastName: lastNameOf(segments),
  };
}

/** Each choice of braces. */
function choices(name: string): string[] {
  const [, before = "", inside, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(name) ?? [];
  return inside === undefined ? [name] : inside.split(",").flatMap((choice) => choices(before + choice + after));
}

export function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

const UNPAIRED = "braces that do not pair within a name";
const NO_CHOICE = "braces without a choice, or with a range";

function problemWithName(name: string): string | undefined {
  if (name.replaceAll(/\*+/g, "*").split("*").length - 1 > LIMITS.starsInName)
    return `more than ${LIMITS.starsInName} stars`;
  if (name.split("{").length - 1 > LIMITS.bracesInName) return `more than ${LIMITS.bracesInName} braces`;
  if (name.split("[").length - 1 > LIMITS.setsInName) return `more than ${LIMITS.setsInName} sets`;
  const withoutSets = name.replaceAll(/\[[!^]?[\p{L}\p{N}_. -]+\]/gu, "");
  if (/[[\]]/.test(withoutSets)) return "a set [ ] that is open, empty, spans names or has special characters";
  const commas: number[] = [];
  for (const character of withoutSets) {
    if (character === "{") commas.push(0);
    else if (character === "," && commas.length > 0) commas[commas.length - 1]!++;
    else if (character === "}") {
      const choices = commas.pop();
      if (choices === undefined) return UNPAIRED;
      if (choices === 0) return NO_CHOICE;
    }
    if (commas.length > LIMITS.bracesInBraces) return UNPAIRED;
  }
  if (commas.length > 0) return UNPAIRED;
  if (/\{[^}]*\.\.[^}]*\}/.test(withoutSets)) return NO_CHOICE;
  if (choices(name).length > LIMITS.alternatives) return `braces that spell out more than ${LIMITS.alternatives} names`;
  try {
    compileName(name);
    compileName(folded(name));
  } catch {
    return "a set that makes no sense";
  }
  return;
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

/** What stands between the "**", of which there may be none. */
type Parts = readonly [first: readonly NamePattern[], ...rest: (readonly NamePattern[])[]];

function partsOf(segments: readonly Segment[]): Parts {
  const parts: [NamePattern[], ...NamePattern[][]] = [[]];
  for (const segment of segments) {
    if (segment === ANY_DEPTH) parts.push([]);
    else parts.at(-1)!.push(segment);
  }
  return parts;
}

/** The first part is where the names begin, the last one where they end, and each other at the first place it fits. */
function matchAlong([first, ...rest]: Parts, names: Names): Along | undefined {
  const last = rest.at(-1);
  const reached = endOf([first, ...rest.slice(0, -1)], names);
  if (reached === undefined) return;
  if (last === undefined) return (count) => count === reached;
  return (count) => count - last.length >= reached && fitAt(last, names, count - last.length);
}

/** After how many names all these parts are over; undefined if they are not there. */
function endOf([first, ...middle]: Parts, names: Names): number | undefined {
  if (!fitAt(first, names, 0)) return;
  let at = first.length;
  for (const part of middle) {
    while (at + part.length <= names.length && !fitAt(part, names, at)) at++;
    at += part.length;
    if (at > names.length) return;
  }
  return at;
}

function fitAt(part: readonly NamePattern[], names: Names, start: number): boolean {
  if (start + part.length > names.length) return false;
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

function lastNameOf(segments: readonly Segment[]): NamePattern {
  const last = segments.at(-1);
  return last === undefined || last === ANY_DEPTH ? ANY_NAME : last;
}

const ANY_NAME: NamePattern = { names: new Set(), pattern: /^/ };
