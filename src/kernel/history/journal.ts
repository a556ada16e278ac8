// Reads the journal for the views of the history: what happened, single entries, paths in its form.
import type { Backend, Entry, LogFilter, Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { namesOf } from "../../core/paths.ts";
import type { Action } from "../policy/policy.ts";
import type { CallOptions, ChangeOptions, Session } from "../session.ts";

/** Leaves out entries that a recovery aborted: their changes never happened. */
export async function* happened(backend: Backend, filter: LogFilter = {}): AsyncGenerator<Entry> {
  // The entry that aborts another stands after it, so older ones do not matter.
  const aborted = await abortedSince(backend, filter.sinceSeq);
  for await (const entry of backend.log({ outcomes: ["applied", "external"], ...filter })) {
    if (!aborted.has(entry.seq)) yield entry;
  }
}

/** Numbers of the entries whose changes never happened. */
export async function abortedSince(backend: Backend, sinceSeq = 1): Promise<ReadonlySet<number>> {
  const aborted = new Set<number>();
  for await (const { of = [] } of backend.log({ outcomes: ["aborted"], sinceSeq }))
    for (const seq of of) aborted.add(seq);
  return aborted;
}

/** Undefined where the journal has no such entry. */
export function entryAt(backend: Pick<Backend, "log">, seq: number): Promise<Entry | undefined> {
  return firstOf(backend.log({ sinceSeq: seq, untilSeq: seq, newestFirst: true }));
}

/** Undefined while there is none. */
export function newestEntry(backend: Pick<Backend, "log">): Promise<Entry | undefined> {
  return firstOf(backend.log({ newestFirst: true, limit: 1 }));
}

async function firstOf(entries: AsyncIterable<Entry>): Promise<Entry | undefined> {
  for await (const entry of entries) return entry;
  return undefined;
}

/** Refuses what leads outside. A file below a directory that is a file by now still has its history. */
export async function pathInHistory(backend: Pick<Backend, "resolve">, raw: string): Promise<Path> {
  try {
    return (await backend.resolve(raw, { link: true, existed: true })).path;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "not_a_directory") return namesOf(raw).join("/") as Path;
    throw error;
  }
}

export async function journallingRefusals<T>(
  session: Session,
  asked: { readonly path?: string | undefined; readonly action: Action },
  options: CallOptions & Pick<ChangeOptions, "dryRun">,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch(async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const path = error.failure.path ?? asked.path;
    await session.recordRefusal(error, path === undefined ? [] : [{ ...asked, path }], options);
    throw error;
  });
}
