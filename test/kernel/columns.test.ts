// How much of a text is shown in so many bytes.
import { describe, expect, it } from "vitest";
import { linesWithin, startWithin } from "../../src/kernel/read/columns.ts";

describe("the start of a text that is shown in so many bytes", () => {
  it.each([
    ["a", 1],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
    ["a stray byte, as \\xNN", 4, "\udcff"],
    ["half of a pair, as \\uNNNN", 6, "\ud83d"],
  ])("%s takes %i", (name, bytes, character = name) => {
    const text = character.repeat(10);
    for (let fit = 1; fit <= 9; fit++) {
      expect(startWithin(text, fit * bytes)).toBe(character.repeat(fit));
      expect(startWithin(text, (fit + 1) * bytes - 1)).toBe(character.repeat(fit));
    }
    expect(startWithin(text, 10 * bytes)).toBe(text);
    expect(linesWithin(text, 9 * bytes)).toEqual({ text: character.repeat(9), cut: 9 });
  });

  it("has one character at least", () => {
    expect(startWithin("€€", 1)).toBe("€");
  });
});
