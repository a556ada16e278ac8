// How much may be gone over in vain: a text can be written so that every guess at what it holds fails at its very end.

/** What is left, in characters. */
export interface Effort {
  left: number;
}

/** Thrown when nothing is left: then nothing can be told. */
export class TooMuchEffort extends Error {}

/** Some times what one pass over the text takes. */
export function effortFor(text: string): Effort {
  return { left: TIMES * text.length + ANY };
}

export function spend(effort: Effort, characters: number): void {
  effort.left -= characters;
  if (effort.left < 0) throw new TooMuchEffort();
}

const TIMES = 4;
const ANY = 100_000;
