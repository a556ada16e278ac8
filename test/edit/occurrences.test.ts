import { describe, expect, it } from "vitest";
import { occurrences, occurrencesApart, sequenceOccurrences } from "../../src/edit/text/occurrences.ts";

describe("occurrences of a string", () => {
  it("include overlapping ones", () => {
    expect(occurrences("aaaa", "aa")).toEqual([0, 1, 2]);
    expect(occurrencesApart("aaaa", "aa")).toEqual([0, 2]);
    expect(occurrencesApart("aaaaabaa", "aa")).toEqual([0, 2, 6]);
    expect(occurrencesApart("aaaaabaa", "aa", 1)).toEqual([0]);
  });

  it("of nothing, or of more than the text, are none", () => {
    expect(occurrences("abc", "")).toEqual([]);
    expect(occurrences("abc", "abcd")).toEqual([]);
  });

  it("stop at the limit", () => {
    expect(occurrences("aaaa", "a", 2)).toEqual([0, 1]);
  });

  it("are found in linear time where the built-in search takes minutes", () => {
    const needle = `${"a".repeat(100_000)}b${"a".repeat(100_000)}`;
    expect(occurrences("a".repeat(2_000_000), needle)).toEqual([]);
    expect(occurrences(`${"a".repeat(1_000_000)}b${"a".repeat(1_000_000)}`, needle)).toEqual([900_000]);
  });

  it("the linear search finds what the built-in one finds", () => {
    const text = "abab".repeat(60_000);
    const needle = "ab".repeat(2_000);
    const found = occurrences(text, needle);
    expect(found.length).toBe((text.length - needle.length) / 2 + 1);
    expect(found.slice(0, 3)).toEqual([0, 2, 4]);
  });

  it("of a sequence of numbers", () => {
    expect(sequenceOccurrences(Int32Array.from([1, 1, 2, 1, 1, 1]), Int32Array.from([1, 1]))).toEqual([0, 3, 4]);
    expect(sequenceOccurrences(Int32Array.from([1]), Int32Array.from([]))).toEqual([]);
  });
});
