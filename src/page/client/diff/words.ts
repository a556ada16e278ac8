// Word-level marks: which parts of a line are new, or gone, compared with its twin.
import { diffLines } from "../../../edit/diff/diff.ts";

/** From, and up to, which character. */
export type Mark = readonly [from: number, to: number];

const LONGEST = 1000;
/** Words, runs of blanks, and every other character alone. */
const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** None where the lines have little in common: all of it would be marked. */
export function marksIn(text: string, twin: string): readonly Mark[] {
  if (text.length > LONGEST || twin.length > LONGEST || text === twin) return [];
  const [own, other] = [text.match(WORD) ?? [], twin.match(WORD) ?? []];
  const marks: Mark[] = [];
  let [at, place, marked] = [0, 0, 0];
  const length = (from: number, to: number): number => own.slice(from, to).reduce((sum, word) => sum + word.length, 0);
  for (const { aStart, aEnd } of diffLines(own, other)) {
    at += length(place, aStart);
    const end = at + length(aStart, aEnd);
    if (end > at) marks.push([at, end]);
    marked += end - at;
    at = end;
    place = aEnd;
  }
  return marked > text.length * 0.7 ? [] : marks;
}

export interface Piece {
  readonly text: string;
  readonly colour?: string;
  readonly marked: boolean;
}

/** Colours and marks laid over each other. */
export function piecesOf(tokens: readonly (readonly [string, string])[], marks: readonly Mark[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [colour, text] of tokens) {
    const end = at + text.length;
    for (let from = at; from < end; ) {
      const inside = marks.find(([start, stop]) => start <= from && from < stop);
      const next = marks.find(([start]) => start > from)?.[0] ?? end;
      const to = Math.min(end, inside?.[1] ?? next);
      const piece = { text: text.slice(from - at, to - at), marked: inside !== undefined };
      pieces.push(colour === "" ? piece : { ...piece, colour });
      from = to;
    }
    at = end;
  }
  return pieces;
}
