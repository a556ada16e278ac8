// Edits one after the other: each is made to what the one before it left, and all are made or none.
import { Refusal, reworded } from "../../core/failure.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { type Landed, ladder } from "./index.ts";

interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

export interface LandedInTurn {
  /** On the original text. */
  readonly splices: readonly Splice[];
  /** For each edit, on the text that the edits before it left. */
  readonly landed: readonly Omit<Landed, "splices">[];
}

/** A refusal has the index of its edit in its details. */
export function editInTurn(text: string, edits: readonly TextEdit[]): LandedInTurn {
  let now = text;
  const landed = edits.map((edit, editIndex) => {
    try {
      const { splices, ...found } = placed(now, edit);
      now = applySplices(now, splices);
      return found;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw reworded(error, { details: { ...error.failure.details, editIndex } });
    }
  });
  return { splices: now === text ? [] : [difference(text, now)], landed };
}

/** Text that one place has to the letter is replaced to the letter; only for what is not there are blanks overlooked. */
function placed(text: string, { oldText, newText }: TextEdit): Landed {
  try {
    return ladder(text, oldText, newText, { fuzzyThreshold: 1, maxSuggestions: 0 });
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "old_text_not_found") throw error;
    return ladder(text, oldText, newText);
  }
}

/** All that differs, as one splice. */
function difference(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}
