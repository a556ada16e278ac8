// Reviewed marks, from one entry or many.
import { tell } from "../api.ts";
import { plural } from "../shown.ts";
import { complain, say } from "./said.ts";

export async function mark(w: string, seqs: readonly number[], reviewed: boolean): Promise<void> {
  if (seqs.length === 0) return;
  try {
    await tell("review", { w, seqs, reviewed });
    say(`${plural(seqs.length, "entry", "entries")} marked as ${reviewed ? "reviewed" : "not reviewed"}.`);
  } catch (error) {
    complain(error);
  }
}
