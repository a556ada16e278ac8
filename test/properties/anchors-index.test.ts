// The anchors of a text do not depend on the text that was looked at before it.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { anchoredDiff, anchorIndex, applySplices, diffLines } from "stet/edit";
import { expect, it } from "vitest";

const line = fc.constantFrom("a", " a", "b = 1;", "\tc", "", "}", "é", "x".repeat(70));
const lines = fc.array(line, { maxLength: 30 });
const md5 = (text: string): string => createHash("md5").update(text.trim()).digest("hex");

it("are those of each line by itself, whatever stays the same at both ends", () => {
  fc.assert(
    fc.property(lines, lines, lines, lines, fc.boolean(), (start, before, after, end, ended) => {
      for (const middle of [before, after, before]) {
        const texts = [...start, ...middle, ...end];
        const hasEnd = texts.length > 0 && (ended || texts.at(-1) === "");
        const index = anchorIndex(`${texts.join("\n")}${hasEnd ? "\n" : ""}`);
        const digests = texts.map(md5);
        expect(index.lines.map(({ digest }) => digest)).toEqual(digests);
        for (const [at, digest] of digests.entries()) {
          const alike = digests.flatMap((each, n) => (each.startsWith(digest.slice(0, 6)) ? n + 1 : []));
          expect(index.line(at + 1).occurrences).toBe(alike.length);
          expect(index.find(digest.slice(0, 6))).toEqual(alike);
          expect(index.find(digest.slice(0, 4))).toEqual(
            digests.flatMap((each, n) => (each.startsWith(digest.slice(0, 4)) ? n + 1 : [])),
          );
        }
      }
    }),
    { numRuns: 30 },
  );
});

it("lines are cut where they end, whichever way, with a byte order mark and beside a text that is nearly the same", () => {
  const ended = fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r\r\n"));
  const texts = fc.tuple(
    fc.constantFrom("", "\uFEFF"),
    fc.array(ended, { maxLength: 12 }),
    fc.constantFrom("", "open", "open\r"),
  );
  fc.assert(
    fc.property(fc.array(texts, { minLength: 2, maxLength: 4 }), (versions) => {
      for (const [mark, whole, open] of versions) {
        const text = `${mark}${whole.flat().join("")}${open}`;
        const index = anchorIndex(text);
        const cut = text.slice(mark.length).match(/[^\n]*\n|[^\n]+$/g) ?? [];
        expect(index.count).toBe(cut.length);
        expect(index.lines.map(({ text: own, eol }) => own + eol)).toEqual(cut);
        expect(index.lines.map(({ text: own }) => own)).toEqual(cut.map((each) => each.replace(/\r?\n$/, "")));
        expect(index.lines.map(({ digest }) => digest)).toEqual(cut.map(md5));
        expect(index.lines.map(({ start }) => text.slice(0, start))).toEqual(
          cut.map((_, at) => mark + cut.slice(0, at).join("")),
        );
        expect(index.lineAt(0) ?? index.lineAt(cut.length + 1)).toBeUndefined();
      }
    }),
    { numRuns: 60 },
  );
});

it("a diff names the lines that a comparison of all lines finds, however many are the same behind them", () => {
  const few = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
  const tails = fc.tuple(fc.constantFrom("a", "b", "ab"), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(few, few, few, tails, few, (start, before, after, [unit, times], end) => {
      const tail = [...unit.repeat(times), ...end];
      const [old, now] = [before, after].map((middle) => [...start, ...middle, ...tail]) as [string[], string[]];
      const [oldText, nowText] = [old, now].map((each) => each.map((one) => `${one}\n`).join("")) as [string, string];
      const wanted = diffLines(old, now).flatMap(({ bStart, bEnd }) => now.map((_, at) => at).slice(bStart, bEnd));
      const { newAnchors } = anchoredDiff(oldText, nowText);
      expect(newAnchors.map((anchor) => Number.parseInt(anchor, 10) - 1)).toEqual(wanted);
      const splices = [{ start: 0, end: oldText.length, text: nowText }];
      expect(applySplices(oldText, splices)).toBe(nowText);
      expect(anchoredDiff(oldText, splices).newAnchors).toEqual(newAnchors);
    }),
    { numRuns: 100 },
  );
});

it("a last line without an end is not taken for the beginning of a longer one", () => {
  for (const text of ["a\nopen", "a\nop", "a\nopen\n", "a\nop", "a\nopened"]) {
    expect(anchorIndex(text).lines.map(({ digest }) => digest)).toEqual(text.trim().split("\n").map(md5));
  }
});

it("a short prefix finds all that begin with it among very many", () => {
  const texts = Array.from({ length: 10_000 }, (_, n) => `line ${n}`);
  const index = anchorIndex(`${texts.join("\n")}\n`);
  const digests = texts.map(md5);
  for (const prefix of ["0000", "7fff", "ffff", digests[5]!.slice(0, 4)]) {
    expect(index.find(prefix)).toEqual(digests.flatMap((each, n) => (each.startsWith(prefix) ? n + 1 : [])));
  }
});
