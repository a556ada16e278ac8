// Reads the journal for the views of the history: what happened, the newest entry, long walks that report progress.
import { setImmediate } from "node:timers/promises";
import type { Backend, Entry, LogFilter, Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { namesOf } from "../../core/paths.ts";
import type { Action } from "../policy/policy.ts";
import type { CallOptions, ChangeOptions, Session } from "../session.ts";

/** Leaves out what a recovery had to abort: the entry is there, its changes never were. */
export async function* happened(backend: Backend, filter: LogFilter = {}): AsyncGenerator<Entry> {
  // What aborts an entry stands after it, so nothing before the first entry asked for matters.
  const aborted = await abortedSince(backend, filter.sinceSeq);
  for await (const entry of backend.log({ outcomes: ["applied", "external"], ...filter })) {
    if (!aborted.has(entry.seq)) yield entry;
  }
}

/** Entries that never happened, as later ones tell. */
export async function abortedSince(backend: Backend, sinceSeq = 1): Promise<ReadonlySet<number>> {
  const aborted = new Set<number>();
  for await (const { of = [] } of backend.log({ outcomes: ["aborted"], sinceSeq }))
    for (const seq of of) aborted.add(seq);
  return aborted;
}

/** Paths that an entry emptied by moving their file elsewhere. */
export function movedAway({ changes }: Entry): ReadonlySet<Path> {
  return new Set(changes.flatMap(({ movedFrom }) => movedFrom ?? []));
}

/** Undefined where the journal has no such entry. */
export async function entryAt(backend: Pick<Backend, "log">, seq: number): Promise<Entry | undefined> {
  for await (const entry of backend.log({ sinceSeq: seq, untilSeq: seq, newestFirst: true })) return entry;
  return undefined;
}

/** Undefined while there is none. */
export async function newestEntry(backend: Pick<Backend, "log">): Promise<Entry | undefined> {
  for await (const entry of backend.log({ newestFirst: true, limit: 1 })) return entry;
  return undefined;
}

/** Refuses what leads outside. What lay below a directory that is a file by now still has its history. */
export async function pathInHistory(backend: Pick<Backend, "resolve">, raw: string): Promise<Path> {
  if (typeof raw !== "string") throw new Refusal("invalid_input", "A path must be a string.");
  try {
    return (await backend.resolve(raw, { link: true, existed: true })).path;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "not_a_directory") return namesOf(raw).join("/") as Path;
    throw error;
  }
}

export async function journallingRefusals<T>(
  session: Session,
  { path: asked, action }: { readonly path?: string | undefined; readonly action: Action },
  options: CallOptions & Pick<ChangeOptions, "dryRun">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) {
      const path = error.failure.path ?? asked;
      await session.recordRefusal(error, path === undefined ? [] : [{ path, action }], options);
    }
    throw error;
  }
}

/** To be awaited at every step, of all parts of the work. */
export type Pulse = (message: () => string) => Promise<void>;

export function pulseOf({ progress, signal, deadline }: Pick<CallOptions, "progress" | "signal" | "deadline">): Pulse {
  let done = 0;
  const isHeard = progress !== undefined || signal !== undefined;
  let next = isHeard ? 0 : performance.now() + PAUSE_MS;
  return async (message) => {
    done++;
    if (performance.now() < next) return;
    // The journal is read without a pause: a signal of the system is handled only when one is made.
    await setImmediate();
    refuseCancelled(signal);
    deadline?.check();
    // A promise that it gives is awaited, so that its failure reaches the caller.
    await progress?.({ done, message: message() });
    next = performance.now() + PAUSE_MS;
  };
}

/** Also the last thing before what cannot be taken back. */
export function refuseCancelled(signal: CallOptions["signal"]): void {
  if (signal?.aborted) throw new Refusal("cancelled", "The call was cancelled.", { cause: signal.reason });
}

const PAUSE_MS = 100;
