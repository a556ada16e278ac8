// Commits stand in line for the lock, each with its own patience; the one that gets it takes others along.
import type { CommitOptions, Committed } from "../../../core/backend.ts";
import type { Cancellation } from "../../../core/deadline.ts";
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
      const patience = new Patience(how.signal);
      const job: Waiter = {
        ...what,
        begin: () => how.begin?.(),
        done: (committed) => {
          job.answer = () => resolve(committed);
        },
        failed: (error) => {
          job.answer = () => void Promise.reject(error).catch(rethrow).catch(reject);
        },
        leave: () => patience.end(),
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
        { signal: patience },
      ).then(answer, (error) => (waiting.delete(job) ? reject(error) : answer()));
    });
}

/** Ends when the caller's does, or when another has taken the commit along. */
class Patience implements Cancellation {
  readonly #caller: Cancellation | undefined;
  readonly #listeners: (() => void)[] = [];
  #isOver = false;

  constructor(caller: Cancellation | undefined) {
    this.#caller = caller;
  }

  get aborted(): boolean {
    return this.#isOver || this.#caller?.aborted === true;
  }

  get reason(): unknown {
    return this.#isOver ? TAKEN_ALONG : this.#caller?.reason;
  }

  addEventListener(type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
    this.#caller?.addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
    this.#caller?.removeEventListener(type, listener);
  }

  end(): void {
    this.#isOver = true;
    for (const each of this.#listeners.splice(0)) each();
  }
}

/** Never told to anyone: the one who takes a commit along answers it. */
const TAKEN_ALONG = new Refusal("cancelled", "Another commit has taken this one along.");
