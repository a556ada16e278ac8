// Runs jobs on large texts in a worker: a process with a heap of its own, which the deadline kills whatever it is doing.
import type { Deadline } from "../core/deadline.ts";
import { type Failure, Refusal } from "../core/failure.ts";
import { limit } from "../core/queue.ts";
import { isThere, OutOfMemory, type StartedWorker, startWorker } from "../processes/worker.ts";
import { refuse } from "../words/index.ts";
import { isSteep, JOBS, type Jobs } from "./jobs.ts";

/** From so many characters on a worker does the job: in place, a million take up to a fifth of a second. */
const LARGE = 1024 * 1024;
/** Megabytes for any job, and how many times the size of its texts is added. */
const HEAP = { any: 36, times: 4 };
/** More jobs wait, as long as their deadlines let them. */
const MAX_WORKERS = 4;
const IDLE_MS = 20_000;

export function isLarge(characters: number): boolean {
  return characters >= LARGE;
}

/** Returns the result of a job, or throws its refusal. */
export async function runInWorker<J extends keyof Jobs>(
  job: J,
  given: Parameters<Jobs[J]>,
  deadline: Deadline,
): Promise<ReturnType<Jobs[J]>> {
  const work = JOBS[job] as unknown as (...args: Parameters<Jobs[J]>) => ReturnType<Jobs[J]>;
  if (program === undefined || !(isLarge(weight(given, LARGE)) || isSteep(job, given))) return work(...given);
  const file = program;
  return (await limited(deadline, () => done(file, { job, given }, deadline))) as ReturnType<Jobs[J]>;
}

/** The characters in a value, and some for each of its parts; stops counting at `enough`. */
function weight(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let sum = 0;
  const parts = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
  for (const part of parts) {
    sum += PART + weight(part, enough - sum);
    if (sum >= enough) break;
  }
  return sum;
}

const PART = 8;

/** The program lies beside this file, built or bundled. From sources, or in a bundle of others, jobs run in place. */
const program = programFor(import.meta.url);

function programFor(url: string): URL | undefined {
  const [extension] = /\.c?js$/.exec(url) ?? [];
  const file = extension && new URL(`./worker${extension}`, url);
  return file && isThere(file) ? file : undefined;
}

interface Task {
  readonly job: string;
  readonly given: readonly unknown[];
}

interface Answer {
  readonly value?: unknown;
  readonly refused?: Pick<Refusal, "reason" | "facts"> & { readonly failure: Failure };
  readonly defect?: string;
}

async function done(file: URL, task: Task, deadline: Deadline): Promise<unknown> {
  const limit = HEAP.any + HEAP.times * Math.ceil(weight(task.given, Number.POSITIVE_INFINITY) / 2 ** 20);
  const used = takenBack(limit);
  const fresh = (): Runner => ({ limit, worker: startWorker({ file }, limit) });
  if (used === undefined) return doneBy(fresh(), task, deadline);
  try {
    return await doneBy(used, task, deadline);
  } catch (error) {
    // Earlier jobs may have left too much in its heap.
    if (!(error instanceof Refusal && error.cause instanceof OutOfMemory)) throw error;
    return doneBy(fresh(), task, deadline);
  }
}

async function doneBy(runner: Runner, task: Task, deadline: Deadline): Promise<unknown> {
  let isDone = false;
  try {
    const answer = runner.worker.answer();
    runner.worker.send(task);
    const { value, refused, defect } = (await deadline.race(answer)) as Answer;
    isDone = true;
    if (refused !== undefined) throw refusalFrom(refused);
    if (defect !== undefined) throw new Error(defect);
    return value;
  } catch (error) {
    throw error instanceof OutOfMemory ? refuse("out_of_memory", { limitMegabytes: runner.limit }, error) : error;
  } finally {
    if (isDone && idle === undefined) keep(runner);
    else runner.worker.end();
  }
}

interface Runner {
  readonly worker: StartedWorker;
  /** Of its heap, in megabytes. */
  readonly limit: number;
}

let idle: (Runner & { readonly timer: NodeJS.Timeout }) | undefined;

/** The idle worker if its heap is large enough. Ends a smaller one: the larger that follows serves small jobs too. */
function takenBack(limit: number): Runner | undefined {
  if (idle === undefined) return undefined;
  const { timer, ...runner } = idle;
  idle = undefined;
  clearTimeout(timer);
  if (runner.limit < limit) {
    runner.worker.end();
    return undefined;
  }
  runner.worker.hold(true);
  return runner;
}

/** Keeps the worker for the next job, without keeping this process alive. */
function keep(runner: Runner): void {
  runner.worker.hold(false);
  const timer = setTimeout(() => {
    idle = undefined;
    runner.worker.end();
  }, IDLE_MS).unref();
  idle = { ...runner, timer };
}

const workers = limit(MAX_WORKERS);

/** Limits how many jobs run at once, since each holds memory. */
export async function limited<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  deadline.check();
  const { turn, leave } = workers.enter(undefined);
  try {
    if (turn !== undefined) await deadline.race(turn);
    return await work();
  } finally {
    leave();
  }
}

function refusalFrom({ failure, ...origin }: Required<Answer>["refused"]): Refusal {
  const { kind, message, suggestedAction: next, ...context } = failure;
  return new Refusal(kind, message, { ...context, ...origin, next });
}
