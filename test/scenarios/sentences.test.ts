// Every sentence of every seed is known, and has a story that proves it or a reason why none can.
import { describe, expect, it } from "vitest";
import { proofsOf, SEEDS, seedText, sentencesOf, squeezed } from "./sentences.mjs";

describe.each(SEEDS)("seed %s", (seed) => {
  it("every sentence has a story, or a reason why none can be told", () => {
    const missing = sentencesOf(seed).filter(({ stories, why }) => why === undefined && stories.length === 0);
    expect(missing.map(({ quote }) => quote)).toEqual([]);
  });

  it("what a story says it proves is a part of one sentence", () => {
    const quotes = sentencesOf(seed).map(({ quote }) => squeezed(quote));
    const found = (said: string) => quotes.filter((quote) => quote.includes(squeezed(said))).length;
    expect(proofsOf(seed).filter(({ said }) => found(said) !== 1)).toEqual([]);
  });

  it.skipIf(seedText(seed) === undefined)(
    "every word of it is here, in order (skipped where it is not at hand)",
    () => {
      const words = sentencesOf(seed).map(({ quote }) => squeezed(quote));
      expect(words.join("\n").replaceAll("\n", "")).toBe(squeezed(seedText(seed)!));
    },
  );
});
