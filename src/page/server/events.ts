// Sends entries as any process appends them to every open page. A page resumes where it was.
import { setTimeout } from "node:timers/promises";
import type { Backend } from "../../core/backend.ts";
import { fits, followJournal } from "../../kernel/history/timeline.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import type { EntryNews } from "../wire.ts";
import { textIn } from "./request.ts";
import { CROWDED, openStream, type Stream, taken } from "./stream.ts";
import { countsOf, fatesSince, lineOf } from "./views/lines.ts";
import { newestSeq } from "./views/state.ts";
import { filterIn, idOf, placesIn, troubleOf } from "./views/timeline.ts";
import type { Visit } from "./visit.ts";

/** A page that missed more entries loads the timeline anew. */
const MAX_MISSED = 1000;

const WHEN_CROWDED_MS = 15_000;

/** Follows the journals while the page is open. The id of the last event says what the page has seen. */
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
    const newest = (await newestSeq(workspace.backend)) ?? 0;
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
        const line = { ...lineOf(name, entry, { reviewed, isNew: true }), lines: await countsOf(backend, entry) };
        const fates = await fatesSince(backend, entry);
        const news: EntryNews = { line, fits: fits(entry, filterIn(visit.fields, reviewed)), fates };
        stream.send("entry", news, idOf(places));
      }
    } catch (error) {
      stream.send("trouble", troubleOf(name, error));
      // The page asks for the timeline anew, and so finds what was appended meanwhile.
      places.set(name, await readableAgain(backend, stream.signal));
      stream.send("missed", {}, idOf(places));
    }
  }
}

const LOOKED_AT_EVERY_MS = 2000;

/** A workspace in trouble is tried again now and then, since the stream goes on for the others. */
async function readableAgain(backend: Backend, signal: AbortSignal): Promise<number> {
  while (!signal.aborted) {
    await setTimeout(LOOKED_AT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const newest = await newestSeq(backend);
    if (newest !== undefined) return newest;
  }
  return 0;
}
