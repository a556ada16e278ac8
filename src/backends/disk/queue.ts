// Commits queue for the lock: the first one waits for it, with its own patience, and makes others along with its own.
import type { CommitOptions, Committed } from "../../core/backend.ts";
import type { Cancellation } from "../../core/deadline.ts";
import { commitTogether, type Disk, type Job } from "./commit.ts";
import { cancelled } from "./lock.ts";

interface Waiter extends Job {
  readonly since: number;
  readonly signal: Cancellation | undefined;
  answer(): void;
}

type WithLock = (
  work: (disk: Disk) => Promise<void>,
  how: { readonly timeoutMs: number; readonly signal: Cancellation | undefined },
) => Promise<void>;

/** `refusalOf`: what a caller is told of an error. */
export function commitQueue(
  withLock: WithLock,
  refusalOf: (error: unknown) => Error,
  timeoutMs: number,
): (what: Pick<Job, "changes" | "author" | "note">, how: CommitOptions) => Promise<Committed> {
  const waiting = new Set<Waiter>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (const first of waiting) {
      let together: readonly Waiter[] = [first];
      const left = Math.max(0, first.since + timeoutMs - performance.now());
      const work = async (disk: Disk): Promise<void> => {
        together = takeTogether(waiting);
        await commitTogether(disk, together);
      };
      await withLock(work, { timeoutMs: left, signal: first.signal }).catch((error) => {
        if (waiting.delete(first)) first.failed(error);
      });
      // Not before the lock is given back: with an answer in hand, a caller may close all of this.
      for (const each of together) each.answer();
    }
    isRunning = false;
  }

  return (what, { begin, signal }) =>
    new Promise<Committed>((resolve, reject) => {
      const giveUp = (): void => void (waiting.delete(job) && reject(cancelled(signal!)));
      const answer = (tell: () => void): void => {
        job.answer = () => {
          signal?.removeEventListener("abort", giveUp);
          tell();
        };
      };
      const job: Waiter = {
        ...what,
        since: performance.now(),
        signal,
        begin: () => begin?.(),
        done: (committed) => answer(() => resolve(committed)),
        failed: (error) => answer(() => reject(error)),
        answer: () => undefined,
      };
      waiting.add(job);
      if (isRunning) signal?.addEventListener("abort", giveUp);
      else void run();
    }).catch((error) => {
      throw refusalOf(error);
    });
}

/** The first, and of the others those that touch nothing that it or another of them touches. */
function takeTogether<J extends Job>(waiting: Set<J>): J[] {
  const jobs: J[] = [];
  const taken: string[] = [];
  for (const job of waiting) {
    const paths = job.changes.map(({ path }) => path);
    const fits = taken.length + paths.length <= MAX_FILES && !paths.some((path) => taken.some(isNear(path)));
    if (jobs.length > 0 && !fits) continue;
    waiting.delete(job);
    jobs.push(job);
    taken.push(...paths);
  }
  return jobs;
}

/** Each of them holds a descriptor or two until the end. */
const MAX_FILES = 128;

/** The same, above or below. */
const isNear =
  (one: string) =>
  (other: string): boolean =>
    one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
