// Which work is done apart: what compares much with much, or handles very much, and not what is soon done.
import { expect, it } from "vitest";
import { isLong } from "../../src/kernel/apart/apart.ts";

const LINE = "line 12345: some words of text here\n";
const long = Array.from({ length: 10_000 }, (_, n) => LINE.replace("12345", `${n}`)).join("");
const edit = (n: number, newText = "x") => ({ oldText: `line ${n}: `, newText });
const replace = { op: "replace_line", hash: "aaaaaa", content: "x" } as const;

it("an edit of what is there once, to the letter, is soon done", () => {
  expect(isLong("replaceEdits", [long, [edit(7), edit(8)]])).toBe(false);
  expect(isLong("ladder", [long, "line 7: ", "x", {}])).toBe(false);
});

it("an edit of what is not there, or there twice, is not", () => {
  expect(isLong("replaceEdits", [long, [edit(7), edit(99_999)]])).toBe(true);
  expect(isLong("replaceEdits", [long, [{ oldText: "some words", newText: "x", replaceAll: true }]])).toBe(true);
  expect(isLong("ladder", [long, "line 99999: ", "x", {}])).toBe(true);
});

it("nor are many edits, a very long text, or a long new text", () => {
  const edits = Array.from({ length: 17 }, (_, n) => edit(n));
  expect(isLong("replaceEdits", [long, edits.slice(1)])).toBe(false);
  expect(isLong("replaceEdits", [long, edits])).toBe(true);
  expect(isLong("replaceEdits", [long + "x".repeat(2 ** 20), [edit(7)]])).toBe(true);
  expect(isLong("replaceEdits", [long, [edit(7, "x".repeat(2 ** 17))]])).toBe(true);
});

it("lines with anchors are soon found, up to some number of them, in the text that was read", () => {
  expect(isLong("readAnchors", [long, {}])).toBe(false);
  expect(isLong("readAnchors", ["x\n".repeat(100_000), {}])).toBe(true);
  expect(isLong("editByAnchors", [long, [replace], {}])).toBe(false);
  expect(isLong("editByAnchors", [long, [replace], { seenText: `${long}x` }])).toBe(true);
});

it("a diff counts by what lies between its first and its last change", () => {
  const splices = [{ start: 10, end: 11, text: "y" }];
  expect(isLong("anchoredDiff", [long, splices])).toBe(false);
  expect(isLong("spliceDiff", [long.repeat(9), splices, { path: "a" }])).toBe(false);
  const farApart = [...splices, { start: long.length - 9, end: long.length, text: "" }];
  expect(isLong("anchoredDiff", [long, farApart])).toBe(true);
  expect(isLong("spliceDiff", [long, farApart, { path: "a" }])).toBe(true);
  expect(isLong("unifiedDiff", [long, `x${long}`])).toBe(true);
});
