// Where a text stands: overlapping places count, and looking for one takes linear time.
import { Refusal } from "stet";
import { applySplices, replaceEdits } from "stet/edit";
import { expect, it } from "vitest";
import { refusalOf } from "../support/edits.ts";

const replaced = (text: string, oldText: string, replaceAll = false): string =>
  applySplices(text, replaceEdits(text, [{ oldText, newText: "-", replaceAll }]).splices);

it("text that overlaps itself is there more than once", () => {
  expect(() => replaced("xaaax", "aa")).toThrow(Refusal);
  expect(refusalOf(() => replaced("xaaax", "aa")).message).toMatch(/2/);
});

it("replacing all goes from the front, and no two places overlap", () => {
  expect(replaced("aaaaabaa", "aa", true)).toBe("--ab-");
});

it("is found in linear time where the built-in search takes minutes", () => {
  const needle = `${"a".repeat(50_000)}b${"a".repeat(50_000)}`;
  const text = `${"a".repeat(500_000)}b${"a".repeat(500_000)}`;
  expect(replaced(text, needle)).toBe(`${"a".repeat(450_000)}-${"a".repeat(450_000)}`);
});
