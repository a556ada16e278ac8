import { applySplices, type ExactEdit, replaceEdits } from "stet/edit";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../support/edits.ts";

const apply = (text: string, ...edits: ExactEdit[]) => applySplices(text, replaceEdits(text, edits).splices);
const refused = (text: string, ...edits: ExactEdit[]) => refusalOf(() => replaceEdits(text, edits));

describe("exact edits in a batch", () => {
  it("replaces the one occurrence and says where it was", () => {
    const { applied, splices } = replaceEdits("a\nb\nc\n", [{ oldText: "b\nc", newText: "B" }]);
    expect(applied).toEqual([
      { editIndex: 0, occurrences: 1, ranges: [{ startLine: 2, endLine: 3, startOffset: 2, endOffset: 5 }] },
    ]);
    expect(splices).toEqual([{ start: 2, end: 5, text: "B" }]);
  });

  it("matches every edit on the original text, not on the result of the one before", () => {
    expect(apply("one two", { oldText: "one", newText: "two" }, { oldText: "two", newText: "one" })).toBe("two one");
  });

  it("takes new text literally", () => {
    const literal = "$& $1 $$ $` \\n \\\\ ======= <<<<<<<";
    expect(apply("x = OLD;", { oldText: "OLD", newText: literal })).toBe(`x = ${literal};`);
  });

  it("lets edits touch each other", () => {
    expect(apply("abcd", { oldText: "ab", newText: "1" }, { oldText: "cd", newText: "2" })).toBe("12");
  });

  it("changes nothing when one edit of several is refused", () => {
    const failure = refused("a b", { oldText: "a", newText: "x" }, { oldText: "zz", newText: "y" });
    expect(failure).toMatchObject({ kind: "old_text_not_found", details: { editIndex: 1 } });
  });

  it("keeps an edit that changes nothing out of the way of the others", () => {
    expect(apply("a b", { oldText: "a", newText: "a" }, { oldText: "b", newText: "c" })).toBe("a c");
  });
});

describe("what an exact edit refuses", () => {
  it("old text that is not there, with the nearest place", () => {
    const failure = refused("function saveUser() {\n", { oldText: "function saveUsers() {", newText: "x" });
    expect(failure.kind).toBe("old_text_not_found");
    expect(failure.details).toMatchObject({ editIndex: 0, candidates: [{ startLine: 1, endLine: 1 }] });
    expect(failure.message).toContain("`function saveUser() {`");
  });

  it("several occurrences, with the range of each", () => {
    const failure = refused("x\ny\nx\n", { oldText: "x", newText: "z" });
    expect(failure).toMatchObject({
      kind: "multiple_matches",
      message: "The old text is in 2 places, lines 1 and 3.",
      details: {
        editIndex: 0,
        matchCount: 2,
        matchRanges: [
          { startLine: 1, endLine: 1, startOffset: 0, endOffset: 1 },
          { startLine: 3, endLine: 3, startOffset: 4, endOffset: 5 },
        ],
      },
    });
  });

  it("another number of occurrences than expected", () => {
    expect(refused("x x x", { oldText: "x", newText: "y", expectedOccurrences: 2 })).toMatchObject({
      kind: "multiple_matches",
      details: { matchCount: 3, expectedOccurrences: 2 },
    });
    expect(refused("x", { oldText: "x", newText: "y", expectedOccurrences: 2 }).kind).toBe("multiple_matches");
    expect(apply("x x", { oldText: "x", newText: "y", expectedOccurrences: 2 })).toBe("y y");
  });

  it("overlapping occurrences, which can be counted in two ways", () => {
    expect(refused("aaa", { oldText: "aa", newText: "b" })).toMatchObject({ details: { matchCount: 2 } });
    expect(apply("aaaa", { oldText: "aa", newText: "b", replaceAll: true })).toBe("bb");
    for (const expectedOccurrences of [2, 3])
      expect(refused("aaaa", { oldText: "aa", newText: "b", expectedOccurrences })).toMatchObject({
        details: { matchCount: 3, expectedOccurrences },
        suggestedAction: "Give a longer old text that is in one place.",
      });
  });

  it("edits that overlap, naming both", () => {
    const failure = refused("a\nlet x = 1;\n", { oldText: "x = 1;", newText: "q" }, { oldText: "let x", newText: "p" });
    expect(failure).toMatchObject({
      kind: "overlapping_edits",
      message: "Edits 1 and 2 both change text at line 2.",
      details: { conflictingEditIndices: [0, 1] },
    });
  });

  it("the same occurrence twice", () => {
    expect(refused("abc", { oldText: "b", newText: "x" }, { oldText: "b", newText: "y" }).kind).toBe(
      "overlapping_edits",
    );
  });

  it("a batch that changes nothing, and an empty one", () => {
    expect(refused("abc", { oldText: "b", newText: "b" }).kind).toBe("no_change");
    expect(refused("abc").kind).toBe("no_change");
  });

  it("empty old text", () => {
    expect(refused("abc", { oldText: "", newText: "x" })).toMatchObject({
      kind: "empty_old_text",
      details: { editIndex: 0 },
    });
  });

  it("a result that no string can hold", () => {
    const edit = { oldText: "a", newText: "b".repeat(1_000_000), replaceAll: true };
    expect(refused("a".repeat(10_000), edit).kind).toBe("file_too_large");
  });
});

describe("line endings", () => {
  it("old text with LF matches lines with CRLF, and every line keeps its own ending", () => {
    expect(apply("a\r\nb\r\nc\r\n", { oldText: "a\nb\n", newText: "a\nB\n" })).toBe("a\r\nB\r\nc\r\n");
  });

  it("old text with CRLF matches lines with LF", () => {
    expect(apply("a\nb\n", { oldText: "a\r\nb", newText: "a\r\nc" })).toBe("a\nc\n");
  });

  it("in a mixed file kept lines keep their endings and added lines take that of the line before", () => {
    expect(apply("a\r\nb\nc\r\nd", { oldText: "a\nb\nc", newText: "a\nx\nb\ny\nc" })).toBe("a\r\nx\r\nb\ny\nc\r\nd");
  });

  it("a lone CR ends no line: an LF is not found in its place, and never becomes one", () => {
    expect(refused("a\rb\rc", { oldText: "a\nb", newText: "a\nx\nb" }).kind).toBe("old_text_not_found");
    expect(apply("a\rb\rc", { oldText: "a\rb", newText: "a\nx\rb" })).toBe("a\nx\rb\rc");
    expect(apply("a\rb\r\nc\r\n", { oldText: "b\nc", newText: "x\ry\nc" })).toBe("a\rx\ry\r\nc\r\n");
  });

  it("two places that differ in their endings only are two places", () => {
    expect(refused("a\nb\n-\na\r\nb\r\n", { oldText: "a\nb", newText: "x" })).toMatchObject({
      details: { matchCount: 2 },
    });
  });

  it("old and new text that differ in line endings only change these, those of old text first", () => {
    expect(apply("a\r\nb", { oldText: "a\r\nb", newText: "a\nb" })).toBe("a\nb");
    expect(apply("a\r\nb\nc\r\n", { oldText: "\n", newText: "\r\n" })).toBe("a\r\nb\r\nc\r\n");
    expect(apply("a\r\nb\nc\r\n", { oldText: "\r\n", newText: "\n", replaceAll: true })).toBe("a\nb\nc\n");
    expect(apply("a\nb\r\nc\n", { oldText: "a\nb\nc\n", newText: "a\r\nb\r\nc\r\n" })).toBe("a\r\nb\r\nc\r\n");
    expect(refused("a\nb", { oldText: "a\r\nb", newText: "a\nb" })).toMatchObject({ kind: "no_change" });
    expect(refused("a\nb", { oldText: "a\nb", newText: "a\nb" }).kind).toBe("no_change");
  });

  it("keeps BOM, NUL and lone surrogates", () => {
    expect(apply("\ufeffa\0\ud800b", { oldText: "b", newText: "c" })).toBe("\ufeffa\0\ud800c");
  });
});
