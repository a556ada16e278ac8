// Globs as users write them (picomatch's dialect), compiled once; what could make matching slow is refused.
import picomatch from "picomatch";
import { allSpelledOut, tooComplex } from "./braces.ts";
import { DIALECT, refuseImproper } from "./valid.ts";

export interface Globs {
  matches(path: string): boolean;
  /** Some glob names a hidden entry itself (".github/**"), so hidden entries have to be looked at. */
  readonly namesHidden: boolean;
  /** Simple globs of the last name, at least one of which fits every match; absent when that cannot be said. */
  readonly lastNames?: readonly string[];
  /** Some glob has so many "**" that a very deep path would take it long. */
  readonly slowWhenDeep: boolean;
}

export interface GlobOptions {
  /** A glob without "/" is about the name, wherever it is. */
  readonly anyDepth: boolean;
  /** Wildcards match hidden names, too. */
  readonly dot: boolean;
}

export function compileGlobs(patterns: readonly string[], options: GlobOptions): Globs {
  const globs = patterns.map((pattern) => placed(pattern, options.anyDepth));
  const spelled = allSpelledOut(globs);
  for (const glob of [...globs, ...spelled]) refuseSlow(glob);
  for (const pattern of patterns) refuseImproper(pattern);
  const matchers = globs.map((glob) => picomatch(glob, { ...DIALECT, dot: options.dot }));
  const lastNames = lastNamesOf(spelled);
  return {
    matches: (path) => matchers.some((matches) => matches(path)),
    slowWhenDeep: globs.some((glob) => glob.split("**").length > 3),
    namesHidden: spelled.some((glob) => /(?:^|\/)\.[^/]/.test(glob)),
    ...(lastNames !== undefined && { lastNames }),
  };
}

/** Names that a glob such as "dist" or "**\/dist/**" excludes wherever they are; undefined for any other glob. */
export function plainName(pattern: string): string | undefined {
  const [, below, anywhere] = /^(?:\*\*\/([\w.-]+)(?:\/\*\*)?|([\w.-]+))$/.exec(pattern) ?? [];
  return below ?? anywhere;
}

const LIMITS = { freedom: 2, anyDepth: 4, simpleNames: 64 };

function placed(pattern: string, anyDepth: boolean): string {
  const glob = pattern.replace(/^(?:\.\/)+/, "").replace(/(?<=[^/])\/+$/, "/**");
  if (!anyDepth || glob.includes("/")) return glob;
  return glob.startsWith("!") ? `!**/${glob.slice(1)}` : `**/${glob}`;
}

/** Two stars in a name can share it in many ways, three in very many: backtracking tries them all. */
function refuseSlow(glob: string): void {
  const names = glob.split("/");
  if (names.filter((name) => name === "**").length > LIMITS.anyDepth) {
    throw tooComplex(glob, `it has more than ${LIMITS.anyDepth} "**"`);
  }
  if (/[+*]\([^)]*[+*(]/.test(glob) || glob.split(/[@?!+*]\(/).length > 3) {
    throw tooComplex(glob, "its +(…) and *(…) groups are nested or too many");
  }
  if (glob.includes("{")) return;
  const freedom = names.map((name) => (name.match(/\*+/g)?.length ?? 0) - 1).filter((more) => more > 0);
  if (freedom.reduce((sum, more) => sum + more, 0) > LIMITS.freedom) {
    throw tooComplex(glob, `it has more than ${LIMITS.freedom + 1} stars in a name`);
  }
}

function lastNamesOf(spelled: readonly string[]): readonly string[] | undefined {
  const names = [...new Set(spelled.map((glob) => (/^!/.test(glob) ? "" : glob.slice(glob.lastIndexOf("/") + 1))))];
  const simple = names.every((name) => /^[\w.*-]+$/.test(name) && name !== "**" && name !== "*");
  return simple && names.length > 0 && names.length <= LIMITS.simpleNames ? names : undefined;
}
