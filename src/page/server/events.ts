// Entries as they are appended, by this process or any other, to every page that looks; each resumes where it was.
import { setTimeout } from "node:timers/promises";
import type { Entry } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { followJournal } from "../../kernel/history/follow.ts";
import { newestEntry } from "../../kernel/history/journal.ts";
import { fits } from "../../kernel/history/timeline.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import type { EntryNews } from "../wire.ts";
import { textIn } from "./request.ts";
import { CROWDED, openStream, type Stream, taken } from "./stream.ts";
import { fatesSince, lineOf } from "./views/lines.ts";
import { filterIn, idOf, type Places, placesFrom, troubleOf } from "./views/timeline.ts";
import type { Visit } from "./visit.ts";

/** Missed by more than this, the page loads the timeline anew. */
const MAX_MISSED = 1000;

const WHEN_CROWDED_MS = 15_000;

/** Follows the journals while the page is open. What a page has seen, it says by the id of the last event. */
export async function events(visit: Visit): Promise<void> {
  const served = await visit.room.chosen(textIn(visit.fields, "w"));
  filterIn(visit.fields, new Set());
  if (!taken(visit.streams, visit)) {
    const refusing = openStream(visit.response, visit.signal, WHEN_CROWDED_MS);
    refusing.send("crowded", { message: CROWDED });
    refusing.end();
    return;
  }
  const known = placesIn(String(visit.request.headers["last-event-id"] ?? textIn(visit.fields, "after") ?? ""));
  const places = new Map<string, number>();
  const starts = new Map<NamedWorkspace, Newest>();
  let missed = false;
  for (const each of served) {
    const newest = (await newestOf(each.workspace)) ?? NONE;
    const seen = known.get(each.name) ?? newest.seq;
    const isNear = seen <= newest.seq && newest.seq - seen <= MAX_MISSED;
    missed ||= !isNear;
    starts.set(each, isNear && seen < newest.seq ? { seq: seen, hash: await hashAt(each, seen) } : newest);
    places.set(each.name, isNear ? seen : newest.seq);
  }
  const stream = openStream(visit.response, visit.signal);
  stream.send(missed ? "missed" : "ready", {}, idOf(places));
  await Promise.all([...starts].map(([each, start]) => follow(visit, stream, each, { start, places })));
  stream.end();
}

async function follow(
  visit: Visit,
  stream: Stream,
  { name, workspace }: NamedWorkspace,
  { start, places }: { readonly start: Newest; readonly places: Map<string, number> },
): Promise<void> {
  for (let from = start; !stream.signal.aborted; ) {
    try {
      for await (const entry of followJournal(workspace.backend, from, stream.signal)) {
        const reviewed = await visit.room.reviewed(workspace);
        places.set(name, entry.seq);
        const line = lineOf(name, entry, { reviewed, isNew: true });
        const fates = await fatesSince(workspace.backend, entry);
        const news: EntryNews = { line, fits: fits(entry, filterIn(visit.fields, reviewed)), fates };
        stream.send("entry", news, idOf(places));
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stream.send("trouble", troubleOf(name, error));
      from = await readableAgain(workspace, stream.signal);
      // what was appended meanwhile is found by asking for the timeline anew
      places.set(name, from.seq);
      stream.send("missed", {}, idOf(places));
    }
  }
}

type Newest = Pick<Entry, "seq" | "hash">;
const NONE: Newest = { seq: 0, hash: "" as Entry["hash"] };
const LOOKED_AT_EVERY_MS = 2000;

/** The page has the stream for other workspaces too: one that is in trouble is looked at now and then. */
async function readableAgain(workspace: NamedWorkspace["workspace"], signal: AbortSignal): Promise<Newest> {
  while (!signal.aborted) {
    await setTimeout(LOOKED_AT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const newest = await newestOf(workspace);
    if (newest !== undefined) return newest;
  }
  return NONE;
}

/** Undefined where the journal cannot be read. */
async function newestOf({ backend }: NamedWorkspace["workspace"]): Promise<Newest | undefined> {
  try {
    return (await newestEntry(backend)) ?? NONE;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function hashAt({ workspace: { backend } }: NamedWorkspace, seq: number): Promise<Entry["hash"]> {
  for await (const { hash } of backend.log({ sinceSeq: seq, untilSeq: seq, newestFirst: true })) return hash;
  return "" as Entry["hash"];
}

/** What is no place is none that was seen. */
function placesIn(id: string): Places {
  try {
    return placesFrom(decodeURIComponent(id)) ?? new Map();
  } catch {
    return new Map();
  }
}
