import fc from "fast-check";
import { Refusal } from "stet";
import { applySplices, replaceFirst } from "stet/edit";
import { describe, expect, it } from "vitest";

const replaced = (text: string, oldText: string, newText: string) => {
  const { splices, found } = replaceFirst(text, { oldText, newText });
  return { text: applySplices(text, splices), found };
};

describe("replaceFirst", () => {
  it.each([
    ["the only one", "a b c", "b", "x", "a x c", 1],
    ["the first of several", "b b b", "b", "x", "x b b", 3],
    ["the first of several that touch", "bbb", "b", "xy", "xybb", 3],
    ["overlapping ones count once", "aaa", "aa", "x", "xa", 1],
    ["line endings of the file", "b\r\nb\r\n", "b", "1\n2", "1\r\n2\r\nb\r\n", 2],
    ["old text with LF in a file with CRLF", "a\r\nb\r\na\r\nb\r\n", "a\nb", "c\nd", "c\r\nd\r\na\r\nb\r\n", 2],
    ["an empty new text", "b, b", "b", "", ", b", 2],
  ])("%s", (_what, text, oldText, newText, expected, found) => {
    expect(replaced(text, oldText, newText)).toEqual({ text: expected, found });
  });

  it.each([
    ["text that is not there", "a", "b", "x", "old_text_not_found"],
    ["empty old text", "a", "", "x", "empty_old_text"],
    ["no change, once", "a b", "b", "b", "no_change"],
    ["no change, several times", "b b", "b", "b", "no_change"],
  ])("refuses %s", (_what, text, oldText, newText, kind) => {
    expect(() => replaced(text, oldText, newText)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ kind }) }),
    );
  });

  it("does what a literal replacement of the first occurrence does", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "é", "😀"), maxLength: 12 });
    fc.assert(
      fc.property(short, short, short, (text, oldText, newText) => {
        fc.pre(oldText !== "" && oldText !== newText);
        const at = text.indexOf(oldText);
        if (at === -1) {
          expect(() => replaced(text, oldText, newText)).toThrow(Refusal);
          return;
        }
        expect(replaced(text, oldText, newText).text).toBe(
          text.slice(0, at) + newText + text.slice(at + oldText.length),
        );
      }),
      { numRuns: 300 },
    );
  });
});
