// Properties of the line diff: its regions turn one side into the other, are minimal and settled, whatever the input.

import fc from "fast-check";
import { diff as reference } from "fast-myers-diff";
import { describe, expect, test } from "vitest";
import { diffLines, type Region } from "../../src/edit/diff.ts";

const symbols = (n: number) => fc.array(fc.integer({ min: 0, max: n - 1 }).map(String), { maxLength: 60 });
const pair = fc.oneof(
  fc.tuple(symbols(2), symbols(2)),
  fc.tuple(symbols(5), symbols(5)),
  fc.tuple(symbols(40), symbols(40)),
  fc.tuple(fc.array(fc.string({ unit: "binary" })), fc.array(fc.string({ unit: "binary" }))),
);

describe("diffLines", () => {
  test("the regions applied to a give b, whatever the budget", () => {
    fc.assert(
      fc.property(pair, fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }), ([a, b], budget) => {
        const regions = diffLines(a, b, budget === undefined ? {} : { budget });
        expect(apply(a, b, regions)).toEqual(b);
      }),
      { numRuns: 1500 },
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
