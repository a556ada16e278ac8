// Globs that could only match nothing are refused in words: those that are not valid, and those that lead out of the root.
import picomatch from "picomatch";
import { Refusal } from "../../core/failure.ts";
import { spelledOut } from "./braces.ts";

/** The dialect of every glob of a search. posix: `[!a]` negates, as in ripgrep and in a policy. */
export const DIALECT = { posix: true, flags: "s" } as const;

/** For a glob that is not too complex. */
export function refuseImproper(glob: string): void {
  const refusal = improper(glob);
  if (refusal !== undefined) throw refusal;
}

/** Why a glob is not taken; undefined when it is. */
export function improper(glob: string): Refusal | undefined {
  if (spelledOut(glob).some(goesUp)) return leavesRoot(glob);
  const why = whyInvalid(glob);
  if (why === undefined) return undefined;
  return new Refusal("invalid_input", `The glob ${JSON.stringify(glob)} is not valid: ${why}.`, {
    next: 'Correct it; a backslash before a character, as in "\\[", means the character itself.',
    details: { glob },
  });
}

function leavesRoot(glob: string): Refusal {
  const why = 'goes up with "..", and only what lies below the directory that is searched can match';
  return new Refusal("outside_workspace", `The glob ${JSON.stringify(glob)} ${why}.`, {
    path: glob,
    next: 'Give a glob without "..", relative to the directory that is searched.',
  });
}

/** Separated in the way of any system. */
function goesUp(glob: string): boolean {
  return glob.replace(/^!/, "").split(/[\\/]/).includes("..");
}

const OPENED: Readonly<Record<string, string>> = { "]": "[", "}": "{", ")": "(" };

function whyInvalid(glob: string): string | undefined {
  if (/^!+$/.test(glob)) return "nothing follows the negation";
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(glob)) return "it ends with a single backslash";
  const problem = problemOf(glob, true);
  const [, closing] = /^Missing closing: "(.)"/.exec(problem ?? "") ?? [];
  if (closing !== undefined) return `a "${OPENED[closing]}" in it is never closed`;
  // What only seems to close something stands for itself.
  return problemOf(glob, false) === undefined ? undefined : "a set in it makes no sense";
}

/** As the library says it. */
function problemOf(glob: string, strictBrackets: boolean): string | undefined {
  try {
    picomatch.makeRe(glob, { ...DIALECT, strictBrackets, debug: true } as picomatch.PicomatchOptions);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
