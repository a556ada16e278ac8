// The line diff on named cases.
import { diffLines } from "stet/edit";
import { describe, expect, test } from "vitest";

type Region = ReturnType<typeof diffLines>[number];

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

  test("very many lines", () => {
    const a = Array.from({ length: 200_000 }, (_, i) => String(i % 1000));
    const b = a.with(100_000, "x").toSpliced(10, 3);
    expect(changed(diffLines(a, b))).toBe(5);
  });
});

function changed(regions: readonly Region[]): number {
  return regions.reduce((sum, r) => sum + (r.aEnd - r.aStart) + (r.bEnd - r.bStart), 0);
}
