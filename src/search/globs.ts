// Globs as users write them (picomatch's dialect), compiled once. What could be slow, or match nothing, is refused in words.
import picomatch from "picomatch";
import type { Backend } from "../core/backend.ts";
import type { Refusal } from "../core/failure.ts";
import { type FactsOf, refuse } from "../words/index.ts";
import type { GlobError } from "../words/search.ts";

export interface Globs {
  /** `relative`: below the start; `path`: below the root of the workspace, for absolute globs. */
  matches(relative: string, path: string): boolean;
  /** Some glob names a hidden entry itself (".github/**"), so hidden entries are looked at. */
  readonly namesHidden: boolean;
  /** Simple globs of the last name, at least one of which fits every match; absent when unknown. */
  readonly lastNames?: readonly string[];
  /** Some glob has so many "**" that a very deep path would take it long. */
  readonly slowWhenDeep: boolean;
}

export interface GlobOptions {
  /** A glob without "/" is about the name, wherever it is. */
  readonly anyDepth: boolean;
  /** Wildcards match hidden names, too. */
  readonly dot: boolean;
  readonly backend: Backend;
}

/** posix: `[!a]` negates, as in ripgrep and in a policy. */
const DIALECT = { posix: true, flags: "s" } as const;
const LIMITS = {
  length: 2000,
  choices: 1000,
  allChoices: 10_000,
  braces: 20,
  /** Stars in a name, beyond one in each: backtracking tries every way to share the name between them. */
  stars: 2,
  anyDepth: 4,
  lastNames: 64,
};

export function compileGlobs(patterns: readonly string[], { anyDepth, dot, backend }: GlobOptions): Globs {
  const globs = patterns.map((pattern) => {
    const isRooted = isAbsolute(pattern);
    return { pattern, isRooted, glob: isRooted ? fromRoot(backend, pattern) : placed(pattern, anyDepth) };
  });
  const expanded = globs.map(({ glob }) => expandBraces(glob));
  const all = expanded.flat();
  if (all.length > LIMITS.allChoices) throw tooComplex(patterns.join(" "), "choices", LIMITS.allChoices);
  for (const glob of [...globs.map(({ glob }) => glob), ...all]) refuseSlow(glob);
  for (const { pattern, isRooted, glob } of globs) {
    const invalid = invalidGlob(isRooted ? glob : pattern);
    if (invalid !== undefined) throw invalid;
  }
  const matchers = globs.map(({ glob, isRooted }) => ({ isRooted, matches: picomatch(glob, { ...DIALECT, dot }) }));
  const lastNames = lastNamesOf(all);
  return {
    matches: (relative, path) => matchers.some(({ isRooted, matches }) => matches(isRooted ? path : relative)),
    slowWhenDeep: globs.some(({ glob }) => glob.split("**").length > 3),
    namesHidden: all.some((glob) => /(?:^|\/)\.[^/]/.test(glob)),
    ...(lastNames !== undefined && { lastNames }),
  };
}

/** The name that a glob such as "dist" or "**\/dist/**" excludes wherever it is; undefined for any other glob. */
export function plainName(pattern: string): string | undefined {
  const [, below, anywhere] = /^(?:\*\*\/([\w.-]+)(?:\/\*\*)?|([\w.-]+))$/.exec(pattern) ?? [];
  return below ?? anywhere;
}

function tooComplex(pattern: string, by: FactsOf<"pattern_too_complex">["by"], max?: number): Refusal {
  return refuse("pattern_too_complex", { pattern, by, max });
}

/** Why a glob is refused; undefined when it is accepted. */
export function invalidGlob(glob: string): Refusal | undefined {
  if (expandBraces(glob).some(goesUp)) return refuse("glob_goes_up", { path: glob });
  const error = errorIn(glob);
  return error === undefined ? undefined : refuse("glob_invalid", { glob, error });
}

/** With the separators of any system. */
function goesUp(glob: string): boolean {
  return glob.replace(/^!/, "").split(/[\\/]/).includes("..");
}

const OPENING = { "]": "[", "}": "{", ")": "(" } as const;

function errorIn(glob: string): GlobError | undefined {
  if (/^!+$/.test(glob)) return "empty_negation";
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(glob)) return "trailing_backslash";
  const [, closing] = /^Missing closing: "(.)"/.exec(picomatchError(glob, true) ?? "") ?? [];
  if (closing !== undefined) return OPENING[closing as "]"];
  // An unmatched closing bracket is literal.
  return picomatchError(glob, false) === undefined ? undefined : "set";
}

function picomatchError(glob: string, strictBrackets: boolean): string | undefined {
  try {
    picomatch.makeRe(glob, { ...DIALECT, strictBrackets, debug: true } as picomatch.PicomatchOptions);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** In the writing of any system; a backslash before a character that means something in a glob only escapes it. */
function isAbsolute(pattern: string): boolean {
  return /^(?:\/|\\(?![[\](){}!*?+@|])|[A-Za-z]:[\\/])/.test(pattern);
}

/** An absolute glob from the root of the workspace, which is "/" where the files are in no directory. */
function fromRoot({ relative }: Backend, pattern: string): string {
  const path = relative === undefined ? /^\/+(.*)$/s.exec(pattern)?.[1] : relative(pattern);
  if (path === "." || path === "") return "*";
  if (path !== undefined) return placed(path, false);
  throw refuse("glob_outside", { path: pattern });
}

function placed(pattern: string, anyDepth: boolean): string {
  const glob = pattern.replace(/^(?:\.\/)+/, "").replace(/(?<=[^/])\/+$/, "/**");
  if (!anyDepth || glob.includes("/")) return glob;
  return glob.startsWith("!") ? `!**/${glob.slice(1)}` : `**/${glob}`;
}

/** Braces with a choice that hold no braces. */
const INNERMOST_BRACES = /^(.*?)(?<!\\)\{([^{}]*,[^{}]*)\}(.*)$/s;

/** "a.{ts,js}" is "a.ts" and "a.js". Ranges and unpaired braces stay as they are. */
function expandBraces(glob: string): string[] {
  if (glob.length > LIMITS.length) throw tooComplex(glob, "length", LIMITS.length);
  const done = new Set<string>();
  let open = new Set([glob]);
  for (let round = 0; open.size > 0; round++) {
    if (round > LIMITS.braces) throw tooComplex(glob, "braces", LIMITS.braces);
    const next = new Set<string>();
    for (const each of open) {
      const [, before, inside, after] = INNERMOST_BRACES.exec(each) ?? [];
      if (inside === undefined) done.add(each);
      else for (const choice of inside.split(/(?<!\\),/)) next.add(before + choice + after);
      if (done.size + next.size > LIMITS.choices) throw tooComplex(glob, "choices", LIMITS.choices);
    }
    open = next;
  }
  return [...done];
}

function refuseSlow(glob: string): void {
  const names = glob.split("/");
  if (names.filter((name) => name === "**").length > LIMITS.anyDepth)
    throw tooComplex(glob, "any_depth", LIMITS.anyDepth);
  if (/[+*]\([^)]*[+*(]/.test(glob) || glob.split(/[@?!+*]\(/).length > 3) throw tooComplex(glob, "groups");
  if (glob.includes("{")) return;
  const extra = names.map((name) => Math.max(0, (name.match(/\*+/g)?.length ?? 0) - 1));
  if (extra.reduce((sum, stars) => sum + stars, 0) > LIMITS.stars) throw tooComplex(glob, "stars", LIMITS.stars + 1);
}

function lastNamesOf(globs: readonly string[]): readonly string[] | undefined {
  const names = [...new Set(globs.map((glob) => (/^!/.test(glob) ? "" : glob.slice(glob.lastIndexOf("/") + 1))))];
  const areSimple = names.every((name) => /^[\w.*-]+$/.test(name) && name !== "**" && name !== "*");
  return areSimple && names.length > 0 && names.length <= LIMITS.lastNames ? names : undefined;
}
