import { describe, expect, it } from "vitest";
import type { Seen, Sha } from "../../src/backends/backend.ts";
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

describe("a line shown in parts", () => {
  const start = { from: 2, to: 2, next: 11 };
  const rest = { from: 2, to: 4, column: 11 };
  const seenAfter = (...shown: Parameters<typeof withShown>[3][]) =>
    shown.reduce<Seen | undefined>((seen, one) => withShown(seen, A, 4, one), undefined)!;

  it.each([
    ["its start alone", [start], "1-4"],
    ["its end alone", [rest], "1-2"],
    ["its end before its start", [rest, start], "1-2"],
    ["both, with a gap", [start, { ...rest, column: 12 }], "1-2"],
    ["both", [start, rest], "1"],
    ["three parts", [start, { from: 2, to: 2, column: 11, next: 21 }, { ...rest, column: 21 }], "1"],
    ["parts that overlap", [start, { ...rest, column: 5 }], "1"],
    [
      "its start once more before its end",
      [start, { from: 2, to: 2, column: 11, next: 21 }, start, { ...rest, column: 21 }],
      "1",
    ],
    ["whole later", [start, { from: 2, to: 2 }], "1, 3-4"],
  ])("%s", (_what, shown, never) => {
    expect(formatRanges(neverShown(seenAfter(...shown)))).toBe(never);
  });

  it("an edit within it does not show the rest of it", () => {
    const text = "one\ntwo that is long\nthree\nfour\n";
    const edited = afterSplices(seenAfter(start), text, [{ start: 4, end: 7, text: "2" }], B);
    expect(formatRanges(neverShown(edited))).toBe("1-4");
  });

  it("an edit within it shows what it wrote, once the line was shown to its end", () => {
    const text = "one\ntwo that is long\nthree\nfour\n";
    const whole = seenAfter(start, { from: 2, to: 2, column: 11 });
    const edited = afterSplices(whole, text, [{ start: 4, end: 7, text: "2\n2" }], B);
    expect(formatRanges(neverShown(edited))).toBe("1, 4-5");
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
