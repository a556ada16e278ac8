// Properties of the line diff: its regions turn one side into the other, are minimal and settled, whatever the input, and
// take a bounded amount of work. Reads of the two sides are counted; no clock is asked.
import fc from "fast-check";
import { diff as reference } from "fast-myers-diff";
import { diffLines, unifiedDiff } from "stet/edit";
import { describe, expect, test } from "vitest";

type Region = ReturnType<typeof diffLines>[number];

import { anyCharacter } from "../support/any-character.ts";

const symbols = (n: number) => fc.array(fc.integer({ min: 0, max: n - 1 }).map(String), { maxLength: 60 });
const pair = fc.oneof(
  fc.tuple(symbols(2), symbols(2)),
  fc.tuple(symbols(5), symbols(5)),
  fc.tuple(symbols(40), symbols(40)),
  fc.tuple(fc.array(fc.string({ unit: anyCharacter })), fc.array(fc.string({ unit: anyCharacter }))),
);

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc
    .array(fc.constantFrom("a", "\n", "\r", "\r\n", "\0", "\uFEFF", "\ud800", "\udc00", "\u2028"))
    .map((parts) => parts.join("")),
);

describe("diffLines", () => {
  test("the regions applied to a give b, whatever the budget", () => {
    fc.assert(
      fc.property(pair, fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }), ([a, b], budget) => {
        const regions = diffLines(a, b, budget === undefined ? {} : { budget });
        expect(apply(a, b, regions)).toEqual(b);
      }),
      { numRuns: 500 },
    );
  });

  test("two regions always have a common line between them, and none is empty", () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        let at: { a: number; b: number } | undefined;
        for (const { aStart, aEnd, bStart, bEnd } of diffLines(a, b)) {
          if (at) expect(aStart > at.a && aStart - at.a === bStart - at.b).toBe(true);
          expect(aEnd > aStart || bEnd > bStart).toBe(true);
          at = { a: aEnd, b: bEnd };
        }
      }),
    );
  });

  test("as few changed lines as the reference finds", () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const reached = changed(diffLines(a, b));
        expect(reached).toBe(
          changed([...reference(a, b)].map(([aStart, aEnd, bStart, bEnd]) => ({ aStart, aEnd, bStart, bEnd }))),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("an insertion stands as low as it can", () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        for (const { aStart, aEnd, bStart, bEnd } of diffLines(a, b)) {
          if (aStart === aEnd && bEnd < b.length) expect(b[bStart]).not.toBe(b[bEnd]);
          if (bStart === bEnd && aEnd < a.length) expect(a[aStart]).not.toBe(a[aEnd]);
        }
      }),
    );
  });
});

const LINES = process.env.STET_HEAVY === "1" ? 10_000 : 2000;
const BUDGET = 20 * LINES;

/** Pairs on which a search for the fewest changes would take tens of millions of steps. */
const HARD: readonly (readonly [name: string, a: (at: number) => number, b: (at: number) => number])[] = [
  ["reversed", (at) => at, (at) => LINES - 1 - at],
  ["shuffled", (at) => at, (at) => (at * 7919 + 13) % LINES],
  ["two symbols", noise(1, 2), noise(2, 2)],
  ["a hundred symbols", noise(3, 100), noise(4, 100)],
  ["two periods", (at) => at % 7, (at) => at % 11],
  ["one line over and over, against every second", () => 0, (at) => at % 2],
  ["blocks that moved", (at) => at, (at) => (at % 100) + 100 * ((Math.floor(at / 100) * 37) % (LINES / 100))],
];

describe.each(HARD)("work on many lines, %s", (_, a, b) => {
  const left = Array.from({ length: LINES }, (_, at) => a(at));
  const right = Array.from({ length: LINES }, (_, at) => b(at));
  const oldLines = left.map((symbol) => `line ${symbol}\n`);
  const newLines = right.map((symbol) => `line ${symbol}\n`);

  test("outside the search every line is looked at a few times only", () => {
    const reads = { count: 0 };
    const regions = diffLines(counted(oldLines, reads), counted(newLines, reads), { budget: BUDGET });
    expect(reads.count).toBeLessThan(6 * 2 * LINES);
    expect(apply(oldLines, newLines, regions)).toEqual(newLines);
  });

  test("a unified diff has no more lines than both texts, and a header for each hunk", () => {
    const { text, insertions, deletions } = unifiedDiff(oldLines.join(""), newLines.join(""), { context: 0 });
    const shown = text.split("\n").slice(2, -1);
    expect(shown.filter((line) => line.startsWith("+"))).toHaveLength(insertions);
    expect(shown.filter((line) => line.startsWith("-"))).toHaveLength(deletions);
    expect(Math.max(insertions, deletions)).toBeLessThanOrEqual(LINES);
    expect(shown.filter((line) => line.startsWith("@@")).length).toBeLessThanOrEqual(insertions + deletions);
  });
});

describe("unifiedDiff", () => {
  test("any two strings have a diff, and equal ones an empty one", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(3), fc.option(fc.nat(80), { nil: undefined }), (a, b, context, maxBytes) => {
        const diff = unifiedDiff(a, b, { context, ...(maxBytes !== undefined && { maxBytes }) });
        expect(diff.text === "").toBe(a === b);
        expect(diff.insertions + diff.deletions > 0).toBe(a !== b);
        expect(unifiedDiff(a, a, { context })).toEqual({ text: "", insertions: 0, deletions: 0, truncated: false });
      }),
      { numRuns: 500 },
    );
  });

  test("very long lines are lines", () => {
    const long = "x".repeat(100_000);
    for (const eol of ["\n", "\r\n", ""]) {
      const diff = unifiedDiff(`a\n${long}${eol}`, `a\n${long}y${eol}`, { path: "f" });
      expect(diff).toMatchObject({ insertions: 1, deletions: 1, truncated: false });
      expect(diff.text.includes(`\n-${long}${eol}`) && diff.text.includes(`\n+${long}y${eol}`)).toBe(true);
      const cut = unifiedDiff(`${long}${eol}`, `${long}y${eol}`, { maxBytes: 1000 });
      expect(cut).toMatchObject({ insertions: 1, deletions: 1, truncated: true });
      expect(cut.text.length).toBeLessThan(1100);
    }
  });
});

function counted<T extends object>(values: T, reads: { count: number }): T {
  return new Proxy(values, {
    get(target, key) {
      if (typeof key === "string" && /^\d/.test(key)) reads.count++;
      return Reflect.get(target, key, target);
    },
  });
}

/** Always the same numbers below `symbols`. */
function noise(seed: number, symbols: number): (at: number) => number {
  return (at) => (Math.imul(at + 1, 0x9e3779b1 + 2 * seed) >>> 11) % symbols;
}

function apply(a: readonly string[], b: readonly string[], regions: readonly Region[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    out.push(...a.slice(at, aStart), ...b.slice(bStart, bEnd));
    at = aEnd;
  }
  return [...out, ...a.slice(at)];
}

function changed(regions: readonly Region[]): number {
  return regions.reduce((sum, r) => sum + (r.aEnd - r.aStart) + (r.bEnd - r.bStart), 0);
}
