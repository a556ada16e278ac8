// Every sentence of every seed is known, and has at least one test that exists.
import { describe, expect, it } from "vitest";
import { SEEDS, seedText, sentencesOf, squeezed, titlesOf } from "./sentences.mjs";

describe.each(SEEDS)("seed %s", (seed) => {
  it("every sentence that asks for something has tests, and all of them exist", () => {
    const titles = titlesOf(seed);
    const sentences = sentencesOf(seed);
    expect(sentences.filter(({ tests, why }) => tests.length === 0 && why === undefined)).toEqual([]);
    expect(sentences.flatMap(({ tests }) => tests).filter((title) => !titles.has(title))).toEqual([]);
  });

  it.skipIf(seedText(seed) === undefined)(
    "every word of it is here, in order (skipped where it is not at hand)",
    () => {
      const words = sentencesOf(seed).map(({ quote }) => squeezed(quote));
      expect(words.join("\n").replaceAll("\n", "")).toBe(squeezed(seedText(seed)!));
    },
  );
});
