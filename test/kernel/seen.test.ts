import { describe, expect, it } from "vitest";
import type { Sha } from "../../src/backends/backend.ts";
import { afterSplices, formatRanges, neverShown, wholeSeen, withShown } from "../../src/kernel/seen.ts";

const A = "a".repeat(64) as Sha;
const B = "b".repeat(64) as Sha;

describe("what was shown", () => {
  it("adds up over several reads of one version", () => {
    const first = withShown(undefined, A, 100, { from: 1, to: 10 });
    const second = withShown(first, A, 100, { from: 50, to: 60 });
    const third = withShown(second, A, 100, { from: 11, to: 20 });
    expect(third.shown).toEqual([
      { from: 1, to: 20 },
      { from: 50, to: 60 },
    ]);
    expect(formatRanges(neverShown(third))).toBe("21-49, 61-100");
  });

  it("is forgotten when another version is read", () => {
    const old = withShown(undefined, A, 100, { from: 1, to: 100 });
    expect(withShown(old, B, 100, { from: 1, to: 1 }).shown).toEqual([{ from: 1, to: 1 }]);
  });

  it("a range behind the end shows nothing", () => {
    expect(withShown(undefined, A, 3, { from: 9, to: 8 }).shown).toEqual([]);
  });

  it("whole means whole, however long the file is", () => {
    expect(neverShown(wholeSeen(A))).toEqual([]);
    expect(neverShown(withShown(wholeSeen(A), A, 1000, { from: 1, to: 2 }))).toEqual([]);
    expect(neverShown(withShown(undefined, A, 0, { from: 1, to: 0 }))).toEqual([]);
  });
});

describe("after an edit", () => {
  const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const seen = withShown(undefined, A, 9, { from: 3, to: 5 });

  it("shown lines move with the lines before them", () => {
    const after = afterSplices(seen, text, [{ start: 0, end: 0, text: "new\nnew\n" }], B);
    expect(neverShown(after)).toEqual([
      { from: 4, to: 4 },
      { from: 8, to: 11 },
    ]);
  });

  it("the edited lines count as shown", () => {
    const after = afterSplices(seen, text, [{ start: 14, end: 15, text: "eight" }], B);
    expect(formatRanges(neverShown(after))).toBe("1-2, 6-7, 9");
  });

  it("a file seen as a whole stays seen as a whole", () => {
    const whole = withShown(undefined, A, 9, { from: 1, to: 9 });
    expect(neverShown(afterSplices(whole, text, [{ start: 2, end: 6, text: "x\ny\nz\n" }], B))).toEqual([]);
  });
});
