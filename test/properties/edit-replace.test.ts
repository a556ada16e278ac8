import fc from "fast-check";
import { Refusal } from "stet";
import { applySplices, type ExactEdit, replaceEdits, reverseSplices } from "stet/edit";
import { describe, expect, it } from "vitest";

const runs = { numRuns: 300 };

// Few different pieces, so that old text is often found, often several times, and often across line endings.
const piece = fc.constantFrom("a", "b", "ab", "\n", "\r\n", "\r", " ", "\t", "x = 1;", "\ud800", "\0", "é");
const someText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

/** A text, and edits of stretches of it. */
const textAndEdits = fc
  .tuple(someText, fc.array(fc.tuple(fc.nat(60), fc.nat(6), someText, fc.boolean()), { maxLength: 4 }))
  .map(([text, cuts]) => ({
    text,
    edits: cuts.map(([at, length, newText, replaceAll]): ExactEdit => {
      const start = text.length === 0 ? 0 : at % text.length;
      return { oldText: text.slice(start, start + length + 1) || "a", newText, replaceAll };
    }),
  }));

/** What replaceEdits makes of it; undefined when it refuses. Anything else it throws is a defect. */
function attempt(text: string, edits: readonly ExactEdit[]) {
  try {
    return replaceEdits(text, edits);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

describe("exact edits, whatever the text", () => {
  it("change nothing outside the places they report", () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const result = attempt(text, edits);
        if (!result) return;
        const ranges = result.applied.flatMap((applied) => applied.ranges);
        for (const splice of result.splices) {
          expect(ranges.some((range) => range.startOffset <= splice.start && splice.end <= range.endOffset)).toBe(true);
        }
      }),
      runs,
    );
  });

  it("can be taken back", () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const result = attempt(text, edits);
        if (!result) return;
        const after = applySplices(text, result.splices);
        expect(applySplices(after, reverseSplices(text, result.splices))).toBe(text);
      }),
      runs,
    );
  });

  it("give the same result in any order", () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const forward = attempt(text, edits);
        const backward = attempt(text, [...edits].reverse());
        expect(backward === undefined).toBe(forward === undefined);
        if (forward && backward) expect(applySplices(text, backward.splices)).toBe(applySplices(text, forward.splices));
      }),
      runs,
    );
  });

  it("replace all replaces what a plain replace-all replaces", () => {
    const lfOnly = fc
      .array(fc.constantFrom("a", "b", "ab", "\n", " "), { maxLength: 60 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(lfOnly, fc.constantFrom("a", "ab", "b\n", "aa"), (text, oldText) => {
        const result = attempt(text, [{ oldText, newText: "<$&>", replaceAll: true }]);
        const expected = text.split(oldText).join("<$&>");
        expect(result ? applySplices(text, result.splices) : text).toBe(expected);
        if (result) expect(result.applied[0]?.occurrences).toBe(text.split(oldText).length - 1);
      }),
      runs,
    );
  });

  it("keep every line ending that is not in the edit", () => {
    const lines = fc.array(fc.tuple(fc.constantFrom("one", "two\r2", "three"), fc.constantFrom("\n", "\r\n")), {
      minLength: 1,
    });
    fc.assert(
      fc.property(lines, fc.nat(), (given, pick) => {
        const index = pick % given.length;
        const marked = given.map(([word, eol], n) => [n === index ? "MARK" : word, eol] as const);
        const text = marked.map(([word, eol]) => word + eol).join("");
        const result = attempt(text, [{ oldText: "MARK\n", newText: "first\nMARK\n" }]);
        const eolBefore = marked[index - 1]?.[1];
        const after = applySplices(text, result?.splices ?? []);
        const eols = after.match(/\r?\n/g);
        const own = marked.map(([, eol]) => eol);
        const added = own.toSpliced(index, 0, eols?.[index] as "\n");
        expect(eols).toEqual(added);
        expect([eolBefore, own[index]]).toContain(eols?.[index]);
      }),
      runs,
    );
  });
});
