// Pages of the journal for people: newest first, by who, what, when and outcome.
import { setImmediate } from "node:timers/promises";
import type { Entry, LogFilter, Path } from "../../core/backend.ts";
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
  /** Older ones: entries before this number have not been looked at. Undefined at the end of the journal. */
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
