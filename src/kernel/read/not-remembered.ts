// A ledger that cannot be written to: what was shown or done stays so, and the caller is told that it has to read again.
import { Refusal } from "../../core/failure.ts";

/** The place where it is kept fails, as when its disk is full: nothing else is wrong with the call. */
const KINDS: ReadonlySet<Refusal["kind"]> = new Set(["disk_full", "io_error", "busy", "permission_denied"]);

/** None when all was written down, else a warning. The ledger is then as it was: it never says more than was shown. */
export async function remembering(work: () => Promise<void>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || !KINDS.has(error.kind)) throw error;
    return [`W${NOT_REMEMBERED}: read it again before you change it. ${error.failure.message}`];
  }
}

/** The same after a change: whatever fails, what is made is made. */
export async function rememberingChange(work: () => Promise<void>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    const why = error instanceof Refusal ? error.failure.message : String(error);
    return [`The change was made, but w${NOT_REMEMBERED}: read it again before the next change. ${why}`];
  }
}

const NOT_REMEMBERED = "hat you have seen of the file could not be written down";
