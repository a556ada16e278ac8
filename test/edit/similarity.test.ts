// How alike texts are: the edits that are needed, each counted as one, over a length.
import { expect, it } from "vitest";
import { similarity } from "../../src/core/similarity.ts";
import { partSimilarity } from "../../src/edit/text/part-similarity.ts";

it.each([
  ["abcd", "abcd", 1],
  ["abcd", "abXd", 0.75],
  ["abcd", "abd", 0.75],
  ["abc", "abcd", 0.75],
  ["abcd", "badc", 0.25],
  ["abcd", "", 0],
  ["aXYb", "aZb", 0.5],
])("%s and %s: %d", (one, other, wanted) => {
  expect(similarity(one, other)).toBe(wanted);
  expect(similarity(other, one)).toBe(wanted);
});

it.each([
  ["abcd", "--abcd--", 1],
  ["abcd", "--abXd--", 0.75],
  ["abcd", "--abd--", 0.75],
  ["abcd", "--abXcd--", 0.75],
  ["abcd", "abXX", 0.5],
  ["abcd", "XXcd", 0.5],
  ["abcd", "----", 0],
  ["abcd", "", 0],
])("%s in %s: %d", (part, whole, wanted) => {
  expect(partSimilarity(part, whole)).toBe(wanted);
});

it("texts for which that would take too long are compared by their ends, or not at all", () => {
  const [one, other] = [`start${"a".repeat(8000)}end`, `start${"b".repeat(8000)}end`];
  expect(similarity(one, other)).toBe(8 / one.length);
  expect(partSimilarity("a".repeat(2000), `${"a".repeat(1999)}${"b".repeat(2000)}`)).toBe(0);
});
