// The journal for people: pages of it, newest first, by who, what, when and outcome; and entries as they are appended.
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Backend, Entry, LogFilter, Path } from "../../core/backend.ts";
import { pathsAskedFor } from "../change/refused.ts";
import type { Workspace } from "../workspace.ts";

/** Which entries are wanted; all that is given must hold. */
export interface TimelineFilter extends Pick<LogFilter, "agent" | "session" | "tool" | "outcomes" | "since" | "until"> {
  /** A file, or a directory: what is below it. Refusals name the paths that were asked for. */
  readonly path?: string;
  /** In the agent, the tool, a path, the kind of a refusal or its words; upper and lower case alike. */
  readonly text?: string;
  /** Not these. */
  readonly except?: { has(seq: number): boolean };
}

export interface TimelinePage {
  readonly entries: readonly Entry[];
  /** Pass it to get the next page: older entries than this number were not looked at. Undefined at the end of the journal. */
  readonly before: number | undefined;
}

/** Looks no further than it can within a moment: a page may have fewer entries than asked for, and older ones may still fit. */
export async function timelinePage(
  { backend }: Pick<Workspace, "backend">,
  wanted: TimelineFilter,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<TimelinePage> {
  const entries: Entry[] = [];
  const until = performance.now() + MAX_MS;
  let last = before;
  // Of paths the journal's own indexes know changes only, and refusals name paths too.
  const { path, text, except, ...indexed } = wanted;
  for await (const entry of backend.log({ ...indexed, untilSeq: before - 1, newestFirst: true })) {
    last = entry.seq;
    if (mentions(entry, wanted)) entries.push(entry);
    if (entries.length >= limit || performance.now() > until) return { entries, before: last > 1 ? last : undefined };
    if (last % OTHERS_EVERY === 0) await setImmediate();
  }
  return { entries, before: undefined };
}

const MAX_MS = 400;
const OTHERS_EVERY = 512;

/** Also for entries that come in later. */
export function fits(entry: Entry, wanted: TimelineFilter): boolean {
  const { agent = entry.agent, session = entry.session, tool = entry.tool, outcomes, since, until } = wanted;
  if (entry.agent !== agent || entry.session !== session || entry.tool !== tool) return false;
  if (outcomes?.includes(entry.outcome) === false) return false;
  const at = Date.parse(entry.at);
  return !(at < Date.parse(since ?? "")) && !(at > Date.parse(until ?? "")) && mentions(entry, wanted);
}

function mentions(entry: Entry, { path, text, except }: TimelineFilter): boolean {
  if (except?.has(entry.seq)) return false;
  if (path !== undefined && !pathsIn(entry).some((each) => each === path || each.startsWith(`${path}/`))) return false;
  return text === undefined || wordsOf(entry).includes(text.toLowerCase());
}

/** Those that it changed, or that a refused call asked for. */
export function pathsIn({ changes, ...entry }: Entry): readonly string[] {
  const changed: Path[] = changes.flatMap(({ path, movedFrom }) => [path, movedFrom ?? path]);
  return changed.length > 0 ? [...new Set(changed)] : pathsAskedFor(entry);
}

function wordsOf(entry: Entry): string {
  const { agent = "", session, tool, error = "", message = "", details } = entry;
  const command = typeof details?.command === "string" ? details.command : "";
  return [agent, session, tool, error, message, command, ...pathsIn(entry)].join("\n").toLowerCase();
}

/**
 * Everything after `last`, oldest first. The journal is looked at a few times a second, which costs next to nothing; or,
 * where the backend reports changes, when it does, and now and then in case a hint was lost with its connection.
 */
export async function* followJournal(
  backend: Backend,
  last: Pick<Entry, "seq">,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let { seq } = last;
  let failures = 0;
  let news = new AbortController();
  const unwatch = backend.watch?.(() => news.abort());
  try {
    while (!signal.aborted) {
      if (news.signal.aborted) news = new AbortController();
      try {
        const entries: Entry[] = [];
        for await (const entry of backend.log({ sinceSeq: seq + 1, limit: WINDOW })) entries.push(entry);
        for (const entry of entries) {
          seq = entry.seq;
          yield entry;
          if (signal.aborted) return;
        }
        failures = 0;
        if (entries.length >= WINDOW) continue;
      } catch (error) {
        // The end of the journal may be under way.
        if (++failures > MAX_FAILURES) throw error;
      }
      const isHinted = unwatch !== undefined && failures === 0;
      await pause(isHinted ? UNHINTED_MS : PAUSE_MS, isHinted ? AbortSignal.any([signal, news.signal]) : signal);
    }
  } finally {
    unwatch?.();
  }
}

const WINDOW = 200;
const MAX_FAILURES = 5;
const PAUSE_MS = 200;
const UNHINTED_MS = 2000;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
