import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Seen, Sha } from "../../src/core/backend.ts";
import type { Splice } from "../../src/edit/text/splice.ts";
import { afterSplices, formatRanges, neverShown, wholeSeen, withShown } from "../../src/kernel/read/seen.ts";

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
    expect(formatRanges(neverShown(after))).toBe("3-4, 8-11");
  });

  it("a file seen as a whole stays seen as a whole", () => {
    const whole = withShown(undefined, A, 9, { from: 1, to: 9 });
    expect(neverShown(afterSplices(whole, text, [{ start: 2, end: 6, text: "x\ny\nz\n" }], B))).toEqual([]);
  });

  it("lines that were rewritten count as shown", () => {
    const after = afterSplices(seen, text, [{ start: 14, end: 15, text: "eight" }], B);
    expect(formatRanges(neverShown(after))).toBe("1-2, 6-7, 9");
  });

  it("a line that was not shown is not shown by an edit within it, nor by being joined to one that was", () => {
    const long = "one\ntwo\nthree and more\nfour\n";
    const two = withShown(undefined, A, 4, { from: 1, to: 2 });
    expect(formatRanges(neverShown(afterSplices(two, long, [{ start: 8, end: 13, text: "3" }], B)))).toBe("3-4");
    expect(formatRanges(neverShown(afterSplices(two, long, [{ start: 6, end: 9, text: "" }], B)))).toBe("2-3");
  });

  it("what was shown of a line in part stays so where the edit was elsewhere", () => {
    const part = withShown(seen, A, 9, { from: 7, to: 7, next: 3 });
    const after = afterSplices(part, text, [{ start: 0, end: 0, text: "new\n" }], B);
    expect(after.parts).toEqual([{ line: 8, upTo: 2 }]);
    expect(afterSplices(part, text, [{ start: 12, end: 12, text: "x" }], B).parts).toBeUndefined();
  });

  it("is what a slow look at every character says", () => {
    const source = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 30 });
    const cuts = fc.array(fc.nat({ max: 30 }), { maxLength: 8 });
    const by = fc.array(fc.string({ unit: fc.constantFrom("x", "\n"), maxLength: 4 }), { minLength: 4, maxLength: 4 });
    const lines = fc.array(fc.boolean(), { minLength: 31, maxLength: 31 });
    fc.assert(
      fc.property(source, cuts, by, lines, (old, places, texts, flags) => {
        const sorted = [...new Set(places.filter((at) => at <= old.length))].sort((a, b) => a - b);
        const splices = texts.flatMap((into, n) => {
          const [start, end] = [sorted[2 * n], sorted[2 * n + 1]];
          return start === undefined || end === undefined ? [] : [{ start, end, text: into }];
        });
        const count = old.split("\n").length;
        const shown = flags.slice(0, count).flatMap((flag, n) => (flag ? [{ from: n + 1, to: n + 1 }] : []));
        const before = { sha: A, lines: count, shown: withShown(undefined, A, count, shown).shown };
        if (neverShown(before).length === 0) return;
        const after = afterSplices(before, old, splices, B);
        expect(shownOf(after)).toEqual(slowly(old, splices, flags));
        expect(after.lines).toBe(slowly(old, splices, flags).length);
      }),
      { numRuns: 1000 },
    );
  });

  const shownOf = (after: Seen): boolean[] =>
    Array.from({ length: after.lines }, (_, n) => after.shown.some(({ from, to }) => from <= n + 1 && n + 1 <= to));

  /** Every character with whether it was known; a line that no edit touched is as it was. */
  function slowly(old: string, splices: readonly Splice[], flags: readonly boolean[]): boolean[] {
    const characters: { text: string; known: boolean; from?: number }[] = [];
    const touched = new Set<number>();
    const lineAt = (at: number): number => old.slice(0, at).split("\n").length;
    for (let at = 0; at <= old.length; at++) {
      for (const { start, end, text: into } of splices) {
        if (start !== at) continue;
        touched.add(lineAt(start)).add(lineAt(end));
        for (const text of into) characters.push({ text, known: true });
      }
      const gone = splices.some(({ start, end }) => start <= at && at < end);
      if (at < old.length && !gone) {
        const from = lineAt(at);
        characters.push({ text: old[at]!, known: old[at] === "\n" || flags[from - 1]!, from });
      }
    }
    const result: { known: boolean; from: number | undefined }[] = [{ known: true, from: undefined }];
    let last = 1;
    for (const { text, known, from } of characters) {
      const line = result.at(-1)!;
      line.known &&= known;
      line.from ??= from;
      last = from ?? last;
      if (text === "\n") result.push({ known: true, from: undefined });
    }
    const final = result.at(-1)!;
    final.from ??= lineAt(old.length);
    return result.map(({ known, from }) => (from !== undefined && !touched.has(from) ? flags[from - 1]! : known));
  }
});

describe("after ten thousand edits of one line", () => {
  it("what was seen is known as soon as after one", () => {
    const line = "ab ".repeat(100_000);
    const before = withShown(undefined, A, 2, { from: 2, to: 2 });
    const splices = Array.from({ length: 100_000 }, (_, n) => ({ start: 3 * n, end: 3 * n + 1, text: "x" }));
    const began = process.cpuUsage();
    expect(formatRanges(neverShown(afterSplices(before, `${line}\nend`, splices, B)))).toBe("1");
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000);
  });
});
