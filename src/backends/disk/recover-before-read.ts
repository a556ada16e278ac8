// Before anything is read: what a process left half done that died is finished, so that no read sees a part of a commit.
import { Refusal } from "../../core/failure.ts";
import { errnoOf } from "./errno.ts";
import type { History } from "./history.ts";
import { RECENT_MS } from "./paths/root.ts";

/**
 * Looks before the first read, and then again when the last look is a moment old: another process may die while this one
 * is open. `finish` waits so long for the lock; its holder is alive, and a commit under way is not in the way of reading.
 */
export function recoverBeforeRead(
  history: () => History | null,
  finish: (waitMs: number) => Promise<unknown>,
): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let waitMs = FIRST_WAIT_MS;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const found = history();
      if (found === null) return;
      const reached = found.mark.read();
      found.log.follow();
      if (reached !== null && (!reached.isSameBoot || reached.placed < found.log.tail.seq)) await finish(waitMs);
      waitMs = 0;
    } catch (error) {
      // What cannot be finished now is left to the next change, which says why.
      if (!(error instanceof Refusal) && errnoOf(error) === undefined) throw error;
    } finally {
      lookedAt = performance.now();
    }
  }

  return async () => {
    if (looking === null && performance.now() - lookedAt < RECENT_MS) return;
    looking ??= look().finally(() => {
      looking = null;
    });
    await looking;
  };
}

/** Another process may be finishing it at this moment. */
const FIRST_WAIT_MS = 1000;
