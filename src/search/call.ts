// One search call: its deadline, its place in the queue, its progress, and the refusals that end it early.
import { availableParallelism } from "node:os";
import { type Schema, validate } from "../api/options.ts";
import type { Cancellation, Deadline } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { limit } from "../core/queue.ts";
import { CALL_OPTIONS } from "../kernel/options.ts";
import { deadlineOf } from "../kernel/progress.ts";
import type { CallOptions, Progress, Session } from "../kernel/session.ts";
import { refuse } from "../words/index.ts";

export interface SearchCall {
  readonly deadline: Deadline;
  readonly signal: Cancellation | undefined;
  readonly tenant: string | undefined;
  readonly tally: Tally;
}

/** Counted while the search runs. */
export interface Tally {
  /** Undefined while ripgrep searches: it reports only files with matches. Progress is then the elapsed milliseconds. */
  files: number | undefined;
  matches: number;
}

export function openCall(session: Session, request: unknown, fields: Schema, options: CallOptions): SearchCall {
  validate(request, fields, { noObject: "What is searched for is given as an object.", noun: "field" });
  validate(options, CALL_OPTIONS);
  return {
    deadline: deadlineOf(session, options),
    signal: options.signal,
    tenant: session.workspace.backend.tenant,
    tally: { files: 0, matches: 0 },
  };
}

/** For the whole process. Some searches wait for the disk, so more than one a core may run. */
const turns = limit(Math.max(4, 2 * availableParallelism()));

/** Runs `work` when fewer than the maximum of searches run. Never call it within `work`: all could wait for each other. */
export async function inTurn<T>({ deadline, tenant }: SearchCall, work: () => Promise<T>): Promise<T> {
  deadline.check();
  const place = turns.enter(tenant);
  try {
    if (place.turn !== undefined) await deadline.race(place.turn);
    deadline.check();
    return await work();
  } finally {
    place.leave();
  }
}

/** Calls `stop` once when the time is up or the caller cancels. The returned function ends that. */
export function onEnd({ deadline, signal }: SearchCall, stop: (why: Refusal) => void): () => void {
  const timer = setTimeout(() => stop(refuse("search_timeout", {})), deadline.remainingMs());
  const abort = (): void => stop(refuse("search_cancelled", {}, signal?.reason));
  signal?.addEventListener("abort", abort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}

const PROGRESS_MS = 250;

/** Reports progress while `work` runs. A listener that throws does not fail the search. */
export async function withProgress<T>(
  progress: CallOptions["progress"],
  tally: Tally,
  format: (tally: Tally) => string,
  work: () => Promise<T>,
): Promise<T> {
  if (progress === undefined) return work();
  const report = async (update: Progress): Promise<void> => progress(update);
  const start = performance.now();
  let last = 0;
  const timer = setInterval(() => {
    const done = tally.files ?? Math.round(performance.now() - start);
    if (done <= last) return;
    last = done;
    report({ done, message: format(tally) }).catch(() => undefined);
  }, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** A file or directory that is gone or unreadable is skipped. One that cannot be opened just now is not: the answer would be wrong. */
export function isSkipped(error: unknown): error is Refusal {
  return error instanceof Refusal && !isCrowded(error.failure.details?.errno);
}

/** Too many open files. */
export function isCrowded(code: unknown): boolean {
  return code === "EMFILE" || code === "ENFILE";
}
