// The choices in the braces of a glob, spelled out; a bomb of them is refused before it is expanded.
import { Refusal } from "../kernel/failure.ts";

const MOST = 1000;

/** "a.{ts,js}" is "a.ts" and "a.js". Ranges and braces that do not pair stay as they are. */
export function spelledOut(glob: string): string[] {
  if (choicesIn(glob) > MOST) throw tooComplex(glob, `its braces stand for more than ${MOST} patterns`);
  return expand(glob);
}

export function tooComplex(pattern: string, why: string): Refusal {
  const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern;
  return new Refusal("pattern_too_complex", `The pattern ${JSON.stringify(shown)} is too complex: ${why}.`, {
    next: "Use a simpler pattern, or several calls.",
  });
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

function expand(glob: string): string[] {
  const open = /(?<!\\)\{(?=[^{}]*,[^{}]*\})/.exec(glob);
  if (open === null) return [glob];
  const close = glob.indexOf("}", open.index);
  const before = glob.slice(0, open.index);
  const after = glob.slice(close + 1);
  return glob
    .slice(open.index + 1, close)
    .split(",")
    .flatMap((choice) => expand(before + choice + after));
}
