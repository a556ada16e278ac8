// Entries as they are appended, by this process or any other, to every page that looks; each resumes where it was.
import { setTimeout } from "node:timers/promises";
import { ifRefused } from "../../kernel/history/journal.ts";
import { fits, followJournal } from "../../kernel/history/timeline.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import type { EntryNews } from "../wire.ts";
import { textIn } from "./request.ts";
import { CROWDED, openStream, type Stream, taken } from "./stream.ts";
import { fatesSince, lineOf } from "./views/lines.ts";
import { headOf } from "./views/state.ts";
import { filterIn, idOf, placesIn, troubleOf } from "./views/timeline.ts";
import type { Visit } from "./visit.ts";

/** Missed by more than this, the page loads the timeline anew. */
const MAX_MISSED = 1000;

const WHEN_CROWDED_MS = 15_000;

/** Follows the journals while the page is open. What a page has seen, it says by the id of the last event. */
export async function events(visit: Visit): Promise<void> {
  const { fields, request, response, signal } = visit;
  const served = await visit.room.chosen(textIn(fields, "w"));
  filterIn(fields, new Set());
  if (!taken(visit.streams, visit)) {
    const refusing = openStream(response, signal, WHEN_CROWDED_MS);
    refusing.send("crowded", { message: CROWDED });
    refusing.end();
    return;
  }
  const known = placesIn(String(request.headers["last-event-id"] ?? textIn(fields, "after") ?? ""));
  const places = new Map<string, number>();
  let missed = false;
  for (const { name, workspace } of served) {
    const newest = (await newestOf(workspace)) ?? 0;
    const seen = known?.get(name) ?? newest;
    const isNear = seen <= newest && newest - seen <= MAX_MISSED;
    missed ||= !isNear;
    places.set(name, isNear ? seen : newest);
  }
  const stream = openStream(response, signal);
  stream.send(missed ? "missed" : "ready", {}, idOf(places));
  await Promise.all(served.map((each) => follow(visit, stream, each, places)));
  stream.end();
}

async function follow(
  visit: Visit,
  stream: Stream,
  { name, workspace }: NamedWorkspace,
  places: Map<string, number>,
): Promise<void> {
  const { backend } = workspace;
  while (!stream.signal.aborted) {
    try {
      for await (const entry of followJournal(backend, { seq: places.get(name)! }, stream.signal)) {
        const reviewed = await visit.room.reviewed(workspace);
        places.set(name, entry.seq);
        const line = lineOf(name, entry, { reviewed, isNew: true });
        const fates = await fatesSince(backend, entry);
        const news: EntryNews = { line, fits: fits(entry, filterIn(visit.fields, reviewed)), fates };
        stream.send("entry", news, idOf(places));
      }
    } catch (error) {
      stream.send("trouble", troubleOf(name, error));
      // what was appended meanwhile is found by asking for the timeline anew
      places.set(name, await readableAgain(workspace, stream.signal));
      stream.send("missed", {}, idOf(places));
    }
  }
}

const LOOKED_AT_EVERY_MS = 2000;

/** The page has the stream for other workspaces too: one that is in trouble is looked at now and then. */
async function readableAgain(workspace: NamedWorkspace["workspace"], signal: AbortSignal): Promise<number> {
  while (!signal.aborted) {
    await setTimeout(LOOKED_AT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const newest = await newestOf(workspace);
    if (newest !== undefined) return newest;
  }
  return 0;
}

/** The number of its newest entry; undefined where the journal cannot be read. */
async function newestOf({ backend }: NamedWorkspace["workspace"]): Promise<number | undefined> {
  try {
    return (await headOf(backend))?.seq ?? 0;
  } catch (error) {
    return ifRefused(undefined)(error);
  }
}
