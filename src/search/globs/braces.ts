// The choices in the braces of a glob, spelled out; a bomb of them is refused before it is expanded.
import { Refusal } from "../../core/failure.ts";

const MOST = 1000;
const DEEPEST = 10;

/** All of one call together. */
const MOST_TOGETHER = 10_000;

export function allSpelledOut(globs: readonly string[]): string[] {
  const spelled: string[] = [];
  for (const glob of globs) {
    spelled.push(...spelledOut(glob));
    if (spelled.length > MOST_TOGETHER) {
      throw tooComplex(glob, `with the others its braces stand for more than ${MOST_TOGETHER} patterns`);
    }
  }
  return spelled;
}

/** "a.{ts,js}" is "a.ts" and "a.js". Ranges and braces that do not pair stay as they are. */
export function spelledOut(glob: string): string[] {
  if (depthOf(glob) > DEEPEST) throw tooComplex(glob, `its braces are nested more than ${DEEPEST} deep`);
  if (choicesIn(glob) > MOST) throw tooComplex(glob, `its braces stand for more than ${MOST} patterns`);
  return expand(glob);
}

export function tooComplex(pattern: string, why: string): Refusal {
  const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern;
  return new Refusal("pattern_too_complex", `The pattern ${JSON.stringify(shown)} is too complex: ${why}.`, {
    next: "Use a simpler pattern, or several calls.",
  });
}

function depthOf(glob: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of glob) {
    if (character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "}" && depth > 0) depth--;
  }
  return deepest;
}

/** Sums within braces, products beside them. */
function choicesIn(glob: string): number {
  const sums = [0];
  const products = [1];
  for (const character of glob) {
    const top = products.length - 1;
    if (character === "{") {
      sums.push(0);
      products.push(1);
    } else if (character === "," && top > 0) {
      sums[top]! += products[top]!;
      products[top] = 1;
    } else if (character === "}" && top > 0) {
      const inside = sums.pop()! + products.pop()!;
      products[top - 1]! *= inside;
    }
    if (products.at(-1)! > MOST) return products.at(-1)!;
  }
  return products.reduce((all, one) => all * one, 1);
}

/** The outermost braces first: spelled out from the inside, a choice would be made anew for each of those around it. */
function expand(glob: string): string[] {
  for (const open of glob.matchAll(/(?<!\\)\{/g)) {
    const commas = commasIn(glob, open.index);
    if (commas === undefined || commas.length < 3) continue;
    const before = glob.slice(0, open.index);
    const afters = expand(glob.slice(commas.at(-1)! + 1));
    const choices = commas.slice(1).flatMap((end, n) => expand(glob.slice(commas[n]! + 1, end)));
    return choices.flatMap((choice) => afters.map((after) => before + choice + after));
  }
  return [glob];
}

/** Of braces that pair: where they open, where each of their own commas is, and where they close. */
function commasIn(glob: string, open: number): number[] | undefined {
  const places = [open];
  let depth = 0;
  for (let at = open; at < glob.length; at++) {
    const character = glob[at];
    if (character === "\\") at++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 1) places.push(at);
    else if (character === "}" && --depth === 0) return [...places, at];
  }
  return undefined;
}
