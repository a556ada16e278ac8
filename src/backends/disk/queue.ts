// Commits queue for the lock, each with its own patience; the first one that gets it makes others along with its own.
import type { CommitOptions, Committed } from "../../core/backend.ts";
import { Cancel, type Cancellation } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { commitTogether, type Disk, type Job } from "./commit.ts";

type WithLock = (work: (disk: Disk) => Promise<void>, how: { readonly signal: Cancellation }) => Promise<void>;

interface Waiter extends Job {
  /** Another one makes this commit along with its own. */
  join(): void;
  answer(): void;
}

/** `refusalOf`: what a caller is told of an error. */
export function commitQueue(
  withLock: WithLock,
  refusalOf: (error: unknown) => Error,
): (what: Pick<Job, "changes" | "author" | "note">, how: CommitOptions) => Promise<Committed> {
  const waiting = new Set<Waiter>();
  const rethrow = (error: unknown): never => {
    throw refusalOf(error);
  };

  return (what, how) =>
    new Promise<Committed>((resolve, reject) => {
      const joined = new Cancel(how.signal);
      const job: Waiter = {
        ...what,
        begin: () => how.begin?.(),
        done: (committed) => {
          job.answer = () => resolve(committed);
        },
        failed: (error) => {
          job.answer = () => void Promise.reject(error).catch(rethrow).catch(reject);
        },
        join: () => joined.abort(JOINED),
        answer: () => undefined,
      };
      let together: readonly Waiter[] = [];
      // Not before the lock is given back: with an answer in hand, a caller may close all of this.
      const answer = (): void => {
        for (const each of together) each.answer();
      };
      waiting.add(job);
      withLock(
        async (disk) => {
          together = takeTogether(waiting, job);
          for (const other of together) if (other !== job) other.join();
          await commitTogether(disk, together);
        },
        { signal: joined },
      ).then(answer, (error) => (waiting.delete(job) ? reject(error) : answer()));
    });
}

/** Never told to a caller: the one who makes a commit along answers it. */
const JOINED = new Refusal("cancelled", "Another commit makes this one along.");

/** The first, and of the others those that do not touch what it or another of them touches. They wait no longer. */
function takeTogether<J extends Job>(waiting: Set<J>, first: J): J[] {
  const taken = new Set<string>();
  const above = new Set<string>();
  const jobs: J[] = [];
  let files = 0;
  for (const job of [first, ...[...waiting].filter((each) => each !== first)]) {
    const paths = job.changes.map(({ path }) => path);
    const parents = paths.flatMap(directoriesAbove);
    const isApart = !paths.some((path) => taken.has(path) || above.has(path)) && !parents.some((dir) => taken.has(dir));
    if (job !== first && (!isApart || files + paths.length > MAX_FILES)) continue;
    waiting.delete(job);
    jobs.push(job);
    files += paths.length;
    for (const path of paths) taken.add(path);
    for (const dir of parents) above.add(dir);
  }
  return jobs;
}

/** Each of them holds a descriptor or two until the end. */
const MAX_FILES = 128;

function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) above.push(path.slice(0, at));
  return above;
}
