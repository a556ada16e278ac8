// Any character, for `unit` of fc.string: as "binary" is, but without a table of a million characters that stays in memory.
import fc from "fast-check";

const PAIRS = 0xd800;
const HALVES = 0x800;

export const anyCharacter = fc
  .nat(0x10ffff - HALVES)
  .map((n) => String.fromCodePoint(n < PAIRS ? n : n + HALVES), numberOf);

/** Of one character; whether another text is one is asked too. */
function numberOf(character: unknown): number {
  const code = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== character) throw new Error("no single character");
  return code < PAIRS ? code : code - HALVES;
}
