// The choices in the braces of a glob, spelled out; a bomb of them is refused.
import { Refusal } from "../../core/failure.ts";

const MAX_LENGTH = 2000;
const MAX_CHOICES = 1000;
const MAX_BRACES = 20;

/** All of one call together. */
const MAX_TOGETHER = 10_000;

export function allSpelledOut(globs: readonly string[]): string[] {
  const spelled: string[] = [];
  for (const glob of globs) {
    spelled.push(...spelledOut(glob));
    if (spelled.length > MAX_TOGETHER) {
      throw tooComplex(glob, `with the others its braces stand for more than ${MAX_TOGETHER} patterns`);
    }
  }
  return spelled;
}

/** Braces with a choice that hold no braces. */
const INNERMOST = /^(.*?)(?<!\\)\{([^{}]*,[^{}]*)\}(.*)$/s;

/** "a.{ts,js}" is "a.ts" and "a.js". Ranges and braces that do not pair stay as they are. */
export function spelledOut(glob: string): string[] {
  if (glob.length > MAX_LENGTH) throw tooComplex(glob, `it is longer than ${MAX_LENGTH} characters`);
  const whole = new Set<string>();
  let open = new Set([glob]);
  for (let round = 0; open.size > 0; round++) {
    if (round > MAX_BRACES) throw tooComplex(glob, `it has more than ${MAX_BRACES} braces`);
    const next = new Set<string>();
    for (const each of open) {
      const [, before, inside, after] = INNERMOST.exec(each) ?? [];
      if (inside === undefined) whole.add(each);
      else for (const choice of inside.split(/(?<!\\),/)) next.add(before + choice + after);
      if (whole.size + next.size > MAX_CHOICES)
        throw tooComplex(glob, `its braces stand for more than ${MAX_CHOICES} patterns`);
    }
    open = next;
  }
  return [...whole];
}

export function tooComplex(pattern: string, why: string): Refusal {
  const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern;
  return new Refusal("pattern_too_complex", `The pattern ${JSON.stringify(shown)} is too complex: ${why}.`, {
    next: "Use a simpler pattern, or several calls.",
  });
}
