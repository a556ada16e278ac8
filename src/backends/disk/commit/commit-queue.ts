// Commits stand in line for the lock, each with its own patience; the one that gets it takes others along.

import type { CommitOptions, Committed } from "../../../core/backend.ts";
import { Cancel, type Cancellation, Either } from "../../../core/cancellation.ts";
import { Refusal } from "../../../core/failure.ts";
import { commitTogether, type Job, takeTogether } from "./batch.ts";
import type { Disk } from "./commit.ts";

type Exclusively = (work: (disk: Disk) => Promise<void>, how: { readonly signal: Cancellation }) => Promise<void>;

interface Waiter extends Job {
  /** Another has taken it along. */
  leave(): void;
  answer(): void;
}

type What = Pick<Job, "changes" | "author" | "note">;

/** One line. `refusalOf`: what a caller is told of an error. */
export function takingTurns(
  exclusively: Exclusively,
  refusalOf: (error: unknown) => Error,
): (what: What, how: CommitOptions) => Promise<Committed> {
  const waiting = new Set<Waiter>();
  const rethrow = (error: unknown): never => {
    throw refusalOf(error);
  };

  return (what, how) =>
    new Promise<Committed>((resolve, reject) => {
      const takenAlong = new Cancel();
      const job: Waiter = {
        ...what,
        begin: () => how.begin?.(),
        done: (committed) => {
          job.answer = () => resolve(committed);
        },
        failed: (error) => {
          job.answer = () => void Promise.reject(error).catch(rethrow).catch(reject);
        },
        leave: () => takenAlong.abort(TAKEN_ALONG),
        answer: () => undefined,
      };
      let together: readonly Waiter[] = [];
      // Not before the lock is given back: with an answer in hand, one may close all of this.
      const answer = (): void => {
        for (const each of together) each.answer();
      };
      waiting.add(job);
      exclusively(
        async (held) => {
          together = takeTogether(waiting, job);
          for (const other of together) if (other !== job) other.leave();
          await commitTogether(held, together);
        },
        { signal: how.signal === undefined ? takenAlong : new Either(takenAlong, how.signal) },
      ).then(answer, (error) => (waiting.delete(job) ? reject(error) : answer()));
    });
}

/** Never told to anyone: the one who takes a commit along answers it. */
const TAKEN_ALONG = new Refusal("cancelled", "Another commit has taken this one along.");
