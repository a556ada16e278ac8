// Reviewed marks, from one entry or many.
import { tell } from "../api.ts";
import { plural } from "../shown.ts";
import { complain, say } from "./said.ts";

/** In one note of the journal. */
const MOST = 10_000;

export async function mark(w: string, seqs: readonly number[], reviewed: boolean): Promise<void> {
  if (seqs.length === 0) return;
  try {
    for (let at = 0; at < seqs.length; at += MOST)
      await tell("review", { w, seqs: seqs.slice(at, at + MOST), reviewed });
    say(`${plural(seqs.length, "entry", "entries")} marked as ${reviewed ? "reviewed" : "not reviewed"}.`);
  } catch (error) {
    complain(error);
  }
}
