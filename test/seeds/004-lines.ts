// Texts for the tests of seed 004, and the hashes that name their lines.
import { lineHash } from "stet/edit";

export const hash = lineHash;

/** Lines, each ended by a newline. */
export const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** So many lines, each of which differs from every other. */
export const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `statement ${n + 1};`);
