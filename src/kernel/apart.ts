// Work on large texts runs apart: in a thread with a heap of its own, which ends with the deadline whatever it is doing.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Deadline } from "./deadline.ts";
import { type Failure, Refusal } from "./failure.ts";
import { JOBS, type Jobs } from "./jobs.ts";
import { pack, unpack } from "./packed.ts";

/** Below so many characters the slowest of the engines is done sooner than another thread has got the text. */
const LARGE = 64 * 1024;
/** Of one thread, in megabytes: so much for any texts, and so many times what they take. */
const HEAP = { any: 36, times: 4 };
/** A thread that took up to so much is kept for the next one; others give back at once what they held. */
const KEPT = 1024 * 1024;
/** More wait for their turn, as long as their deadlines let them. */
const MOST_THREADS = 4;
/** What a thread holds is given back then. */
const IDLE_MS = 5000;

export function isLarge(characters: number): boolean {
  return characters >= LARGE;
}

/** The result of a job, or its refusal. */
export async function apart<J extends keyof Jobs>(
  job: J,
  given: Parameters<Jobs[J]>,
  deadline: Deadline,
): Promise<ReturnType<Jobs[J]>> {
  const work = JOBS[job] as unknown as (...args: Parameters<Jobs[J]>) => ReturnType<Jobs[J]>;
  if (program === undefined || !isLarge(weight(given, LARGE))) return work(...given);
  const file = program;
  try {
    return (await inTurn(deadline, () => inThread(file, { job, given: given.map(pack) }, deadline))) as ReturnType<
      Jobs[J]
    >;
  } catch (error) {
    if (!isMissing(error)) throw error;
    program = undefined;
    return work(...given);
  }
}

/** The characters in a value, and some for every part of it; not counted on beyond `enough`. */
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

/** Beside this very file, built or bundled. Run from sources, or bundled by others, there is none: then all is one thread. */
let program = programFor(import.meta.url);

function programFor(url: string): URL | undefined {
  const [extension] = /\.c?js$/.exec(url) ?? [];
  return extension === undefined ? undefined : new URL(`./apart-worker${extension}`, url);
}

let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | undefined;

interface Task {
  readonly job: string;
  readonly given: readonly unknown[];
}

async function inThread(file: URL, task: Task, deadline: Deadline): Promise<unknown> {
  const size = weight(task.given, Number.POSITIVE_INFINITY);
  const limit = HEAP.any + HEAP.times * Math.ceil(Math.max(size, KEPT) / 2 ** 20);
  const worker = size <= KEPT ? (takenBack() ?? started(file, limit)) : started(file, limit);
  let isDone = false;
  try {
    const answer = once(worker, "message") as Promise<[{ value?: unknown; failure?: Failure }]>;
    worker.postMessage(task);
    const [{ value, failure }] = await deadline.race(answer);
    isDone = true;
    if (failure !== undefined) throw refusalOf(failure);
    return unpack(value);
  } catch (error) {
    throw codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch(limit, error) : error;
  } finally {
    if (isDone && size <= KEPT && idle === undefined) keep(worker);
    else void worker.terminate();
  }
}

function started(file: URL, maxOldGenerationSizeMb: number): Worker {
  const resourceLimits = { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 4 };
  return new Worker(file, { resourceLimits, execArgv: [] }).on("error", () => {});
}

function takenBack(): Worker | undefined {
  const { worker, timer } = idle ?? {};
  idle = undefined;
  clearTimeout(timer);
  worker?.ref();
  return worker;
}

/** For the next one; it does not keep the process alive. */
function keep(worker: Worker): void {
  worker.unref();
  const timer = setTimeout(() => {
    idle = undefined;
    void worker.terminate();
  }, IDLE_MS).unref();
  idle = { worker, timer };
}

let running = 0;
const waiting: (() => void)[] = [];

/** Only so many threads work at a time, whatever they work on: each of them holds memory. */
export async function inTurn<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  await turn(deadline);
  try {
    return await work();
  } finally {
    leave();
  }
}

async function turn(deadline: Deadline): Promise<void> {
  deadline.check();
  if (running < MOST_THREADS) {
    running++;
    return;
  }
  const next = new Promise<void>((resolve) => waiting.push(resolve));
  const mine = waiting.at(-1)!;
  try {
    await deadline.race(next);
  } catch (error) {
    const at = waiting.indexOf(mine);
    if (at === -1) leave();
    else waiting.splice(at, 1);
    throw error;
  }
}

function leave(): void {
  const next = waiting.shift();
  if (next === undefined) running--;
  else next();
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND" || code === "ENOENT";
}

function refusalOf({ kind, message, suggestedAction, path, details, recoverable }: Failure): Refusal {
  return new Refusal(kind, message, {
    recoverable,
    ...(path !== undefined && { path }),
    ...(suggestedAction !== undefined && { next: suggestedAction }),
    ...(details !== undefined && { details }),
  });
}

function tooMuch(limit: number, cause: unknown): Refusal {
  return new Refusal(
    "file_too_large",
    `The text is too large for this: it takes more than ${limit} MB, the most that one call may use.`,
    {
      next: "Name text that is in the file to the letter, and less of it; a file with fewer lines takes less.",
      details: { limitMegabytes: limit },
      cause,
    },
  );
}
