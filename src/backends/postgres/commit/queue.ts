// The one writer of a workspace in this process: changes wait in line, and those that wait together are made together.
import type { CommitOptions, Committed, Entry, Sha, Shown } from "../../../core/backend.ts";
import type { Plan, Under } from "./plan.ts";

export interface Job {
  /** What is asked about before `run`: these paths and all above them, and whether these versions are in the store. */
  readonly paths: readonly string[];
  readonly shas: readonly Sha[];
  readonly shown?: Shown | undefined;
  /** Synchronous: what it finds is what stands there. Called again when the transaction was lost before its end. */
  run(under: Under): Plan;
  /** Once, however often it is run. */
  begin(): void;
  done(entry: Entry): void;
  failed(error: unknown): void;
}

export type Work = Pick<Job, "paths" | "shas" | "run">;

/** Those in line, the first one first. They can be called off until they are taken. */
export interface Line {
  readonly jobs: readonly Job[];
  /** From here on they go through to their end. */
  take(jobs: readonly Job[]): void;
}

/** Settles at least one job of the line. */
export type Turn = (line: Line) => Promise<void>;

export function createQueue(turn: Turn): (work: Work, options?: CommitOptions) => Promise<Committed> {
  let jobs: readonly Job[] = [];
  let working = false;

  const line: Line = {
    get jobs() {
      return jobs;
    },
    take(taken) {
      jobs = jobs.filter((job) => !taken.includes(job));
    },
  };

  async function workOn(): Promise<void> {
    working = true;
    while (jobs.length > 0) await turn(line);
    working = false;
  }

  return (work, { signal, begin, shown } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let begun = false;
      const job: Job = {
        ...work,
        shown,
        begin() {
          if (!begun) begin?.();
          begun = true;
        },
        done: over((entry) =>
          resolve({ entry, warnings: [], ...(shown !== undefined && { remembered: true as const }) }),
        ),
        failed: over(reject),
      };

      function over<T>(settle: (value: T) => void): (value: T) => void {
        return (value) => {
          signal?.removeEventListener("abort", leave);
          settle(value);
        };
      }

      function leave(): void {
        if (!jobs.includes(job)) return;
        line.take([job]);
        job.failed(signal!.reason);
      }

      signal?.addEventListener("abort", leave);
      jobs = [...jobs, job];
      if (!working) void workOn();
    });
}
