// Counting and skipping lines says what splitting them says, without making them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countLines, lineTexts, skipLines, splitLines } from "../../src/edit/text/lines.ts";

const text = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "")).map((parts) => parts.join(""));

describe("lines", () => {
  it("are counted as they are split", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(countLines(given)).toBe(splitLines(given).length);
      }),
    );
  });

  it("alone are those that are split", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(lineTexts(given)).toEqual(splitLines(given).map((line) => line.text));
      }),
    );
  });

  it("are skipped as they are split", () => {
    fc.assert(
      fc.property(text, fc.nat(8), fc.nat(8), (given, first, more) => {
        const lines = splitLines(given);
        const startOf = (n: number) => lines[n]?.start ?? given.length;
        expect(skipLines(given, 0, first)).toBe(startOf(first));
        expect(skipLines(given, startOf(first), more)).toBe(startOf(first + more));
      }),
    );
  });
});
