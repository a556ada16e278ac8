// A text of very many lines: refused before anything is done, and never after it.
import { expect, it } from "vitest";
import { CALL_LIMITS } from "../../src/core/limits.ts";
import { anchorIndex, editByAnchors } from "../../src/edit/anchors/index.ts";

const MOST = CALL_LIMITS.anchoredLines;
const lines = (count: number): string => `first\n${"\n".repeat(count - 1)}`;
const edit = (text: string) =>
  editByAnchors(text, [{ op: "insert_after", hash: anchorIndex("first\n").line(1).hash, content: "second" }]);

it("a text with one line too many is refused, and the refusal names the limit", () => {
  expect(() => edit(lines(MOST + 1))).toThrow(
    expect.objectContaining({
      kind: "file_too_large",
      message: expect.stringContaining(`has ${MOST + 1} lines; anchors are made for files of up to ${MOST}.`),
    }),
  );
});

it("one with as many lines as may be is edited, also where that makes one line more", () => {
  const { text, linesAfter } = edit(lines(MOST));
  expect(linesAfter).toBe(MOST + 1);
  expect(text.startsWith("first\nsecond\n\n")).toBe(true);
  expect(anchorIndex(text).count).toBe(MOST + 1);
});
