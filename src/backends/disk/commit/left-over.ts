// Before anything is read: what a process left half done that died is finished, so that no read sees a part of a commit.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { LATELY_MS } from "../paths/root.ts";

/**
 * Looks at the pending directory before the first read, and then again when the last look is a moment old: another
 * process may die while this one is open. `finish` waits so long for the lock; its holder is alive, and a commit
 * under way is not in the way of reading.
 */
export function finishesBeforeReading(
  pending: () => string,
  finish: (waitMs: number) => Promise<unknown>,
): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let emptyAt: bigint | undefined;
  let waitMs = FIRST_WAIT_MS;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const path = pending();
      const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined || stat.mtimeNs === emptyAt) return;
      if (fs.readdirSync(path).length > 0) await finish(waitMs);
      else if (Date.now() - Number(stat.mtimeMs) > COARSE_MS) emptyAt = stat.mtimeNs;
    } catch (error) {
      // What cannot be finished now is left to the next change, which says why.
      if (!(error instanceof Refusal) && (error as NodeJS.ErrnoException).errno === undefined) throw error;
    } finally {
      waitMs = 0;
      lookedAt = performance.now();
    }
  }

  return async () => {
    if (looking === null && performance.now() - lookedAt < LATELY_MS) return;
    looking ??= look().finally(() => {
      looking = null;
    });
    await looking;
  };
}

/** Another process may be finishing it at this moment. */
const FIRST_WAIT_MS = 1000;
/** What happens within one tick of the clock of the file system bears the same time. */
const COARSE_MS = 100;
