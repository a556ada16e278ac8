// Globs of a policy: compiled once and matched name by name, so that no path, however long, makes matching slow.
import picomatch from "picomatch";

/** A path as names; no names is the root. */
export type Names = readonly string[];

export interface Glob {
  readonly text: string;
  matches(names: Names): boolean;
  /** Whether something below these names could match. */
  leadsTo(names: Names): boolean;
  /** What the last name of a matching path looks like. */
  readonly lastName: NamePattern;
}

/** Some names, or a pattern of names. */
export type NamePattern = ReadonlySet<string> | RegExp;

// Stars and braces in one name make a regular expression go back and forth; this few cannot make it slow.
const LIMITS = { length: 512, starsInName: 3, bracesInName: 3, anyDepth: 8, alternatives: 64 };
const ANY_DEPTH = "**";
type Segment = NamePattern | typeof ANY_DEPTH;

/** Why a glob is not accepted: whatever picomatch would understand in a way its writer does not expect. */
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
  const segments = namesOf(path).map((name) => new Set([name]));
  return fromSegments(segments, path);
}

export function fits(pattern: NamePattern, name: string): boolean {
  return pattern instanceof RegExp ? pattern.test(name) : pattern.has(name);
}

function fromSegments(segments: readonly Segment[], text: string): Glob {
  return {
    text,
    matches: (names) => matchesAll(segments, names),
    leadsTo: (names) => leads(segments, names),
    lastName: lastNameOf(segments),
  };
}

/** The names that a glob is made of, one for each choice in braces. */
export function spelledOut(glob: string): string[] {
  return namesOf(glob).flatMap(choices);
}

function choices(name: string): string[] {
  const [, before = "", inside, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(name) ?? [];
  return inside === undefined ? [name] : inside.split(",").flatMap((choice) => choices(before + choice + after));
}

export function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function problemWithName(name: string): string | undefined {
  if (name.replaceAll(/\*+/g, "*").split("*").length - 1 > LIMITS.starsInName)
    return `more than ${LIMITS.starsInName} stars`;
  if (name.split("{").length - 1 > LIMITS.bracesInName) return `more than ${LIMITS.bracesInName} braces`;
  const withoutSets = name.replaceAll(/\[[!^]?[\p{L}\p{N}_. -]+\]/gu, "");
  if (/[[\]]/.test(withoutSets)) return "a set [ ] that is open, empty, spans names or has special characters";
  let depth = 0;
  for (const character of withoutSets) {
    depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (depth < 0 || depth > 2) break;
  }
  if (depth !== 0) return "braces that do not pair within a name";
  if (/\{[^{},]*\}|\{[^}]*\.\.[^}]*\}/.test(withoutSets)) return "braces without a choice, or with a range";
  try {
    compileName(name);
  } catch {
    return "a set that makes no sense";
  }
  return;
}

function compileName(name: string): Segment {
  if (name === ANY_DEPTH) return ANY_DEPTH;
  if (!/[*?[]/.test(name)) return new Set(choices(name));
  const simple = name.replaceAll(/\*+/g, "*");
  const escaped = /^[\w.,*?{}-]+$/.test(simple) ? simple : escapedName(simple);
  // Without `debug`, a pattern that does not compile becomes one that never matches: a deny rule without effect.
  return picomatch.makeRe(escaped, { dot: true, debug: true });
}

/** Apart, because letters of all scripts take milliseconds to compile, and hardly any glob needs them. */
function escapedName(name: string): string {
  return name
    .replaceAll("[!", "[^")
    .replaceAll(/\[[^\]]*\]|[^\p{L}\p{N}\p{M}\s_.,*?{}-]/gu, (found) => (found.startsWith("[") ? found : `\\${found}`));
}

/** Two fingers: names one by one, going back only to the last "**". */
function matchesAll(segments: readonly Segment[], names: Names): boolean {
  let segment = 0;
  let name = 0;
  let retry: { segment: number; name: number } | undefined;
  while (name < names.length) {
    const current = segments[segment];
    if (current === ANY_DEPTH) {
      retry = { segment: segment + 1, name };
      segment++;
    } else if (current !== undefined && fits(current, names[name]!)) {
      segment++;
      name++;
    } else if (retry !== undefined) {
      retry.name++;
      ({ segment, name } = retry);
    } else {
      return false;
    }
  }
  return segments.slice(segment).every((rest) => rest === ANY_DEPTH);
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
  return last === undefined || last === ANY_DEPTH ? /^/ : last;
}
