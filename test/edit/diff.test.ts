// The line diff on named cases, and on the inputs that make diff algorithms slow.

import { describe, expect, test } from "vitest";
import { diffLines, type Region } from "../../src/edit/diff/diff.ts";

describe("diffLines", () => {
  test("equal and empty sides", () => {
    expect(diffLines([], [])).toEqual([]);
    expect(diffLines(["a", "b"], ["a", "b"])).toEqual([]);
    expect(diffLines([], ["a"])).toEqual([{ aStart: 0, aEnd: 0, bStart: 0, bEnd: 1 }]);
    expect(diffLines(["a"], [])).toEqual([{ aStart: 0, aEnd: 1, bStart: 0, bEnd: 0 }]);
  });

  test("a changed line, an insertion and a deletion are three regions", () => {
    expect(diffLines([..."abcdefg"], [..."aBcdXef"])).toEqual([
      { aStart: 1, aEnd: 2, bStart: 1, bEnd: 2 },
      { aStart: 4, aEnd: 4, bStart: 4, bEnd: 5 },
      { aStart: 6, aEnd: 7, bStart: 7, bEnd: 7 },
    ]);
  });

  test("the same insertion is found at the same place whatever else changed", () => {
    const base = ["{", "a", "}", "{", "b", "}", "end"];
    const added = ["{", "a", "}", "{", "new", "}", "{", "b", "}", "end"];
    const [alone] = diffLines(base, added);
    const [among] = diffLines(base, [...added.slice(0, -1), "END"]);
    expect(among).toEqual(alone);
  });

  test("lines that exist on one side only cost nothing and are minimal", () => {
    const a = Array.from({ length: 10_000 }, (_, i) => `a${i}`);
    const b = a.map((line, i) => (i % 3 === 0 ? `b${i}` : line));
    expect(changed(diffLines(a, b))).toBe(2 * Math.ceil(10_000 / 3));
  });

  const random = mulberry(42);
  const numbered = Array.from({ length: 10_000 }, (_, i) => `line ${i}`);
  const symbols = (n: number) => numbered.map(() => String(Math.floor(random() * n)));
  const hard: Record<string, readonly [readonly string[], readonly string[]]> = {
    "all different": [numbered, numbered.map((line) => `not ${line}`)],
    shuffled: [numbered, [...numbered].sort(() => random() - 0.5)],
    reversed: [numbered, [...numbered].reverse()],
    "two symbols": [symbols(2), symbols(2)],
    "a hundred symbols": [symbols(100), symbols(100)],
    "halves exchanged": [
      [...symbols(1), ...numbered],
      [...numbered, ...symbols(1)],
    ],
    "one against many": [numbered, ["line 5000"]],
  };
  for (const [name, [a, b]] of Object.entries(hard)) {
    test(`10k lines, ${name}: the regions are right`, () => {
      expect(apply(a, b, diffLines(a, b)).join("\n") === b.join("\n")).toBe(true);
    });
  }

  test("a spent budget makes the regions coarser, not wrong", () => {
    const [a, b] = hard["a hundred symbols"]!;
    const coarse = diffLines(a, b, { budget: 0 });
    expect(changed(coarse)).toBeGreaterThan(changed(diffLines(a, b)));
    expect(apply(a, b, coarse).join("\n") === b.join("\n")).toBe(true);
  });

  test("a million lines", () => {
    const a = Array.from({ length: 1_000_000 }, (_, i) => String(i % 1000));
    const b = a.with(500_000, "x").toSpliced(10, 3);
    expect(changed(diffLines(a, b))).toBe(5);
  });
});

function apply(a: readonly string[], b: readonly string[], regions: readonly Region[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    for (let i = at; i < aStart; i++) out.push(a[i]!);
    for (let i = bStart; i < bEnd; i++) out.push(b[i]!);
    at = aEnd;
  }
  for (let i = at; i < a.length; i++) out.push(a[i]!);
  return out;
}

function changed(regions: readonly Region[]): number {
  return regions.reduce((sum, r) => sum + (r.aEnd - r.aStart) + (r.bEnd - r.bStart), 0);
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
