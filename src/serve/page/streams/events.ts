// Entries as they are appended, by this process or any other, to every page that looks; each resumes where it was.
import type { Entry } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { followJournal } from "../../../kernel/history/journal/follow.ts";
import { newestEntry } from "../../../kernel/history/journal/newest.ts";
import { fits } from "../../../kernel/history/review/timeline.ts";
import type { Served } from "../../served/served.ts";
import { textIn } from "../request.ts";
import { lineOf } from "../views/lines.ts";
import { filterIn, idOf, type Places, placesFrom, troubleOf } from "../views/timeline.ts";
import type { Visit } from "../visit.ts";
import { CROWDED, openStream, type Stream, taken } from "./stream.ts";

/** Missed by more than this, the page loads the timeline anew. */
const MOST_MISSED = 1000;

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
  const starts = new Map<Served, Pick<Entry, "seq" | "hash">>();
  let missed = false;
  for (const each of served) {
    const newest = (await newestOf(each)) ?? { seq: 0, hash: "" as Entry["hash"] };
    const seen = known.get(each.name) ?? newest.seq;
    const isNear = seen <= newest.seq && newest.seq - seen <= MOST_MISSED;
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
  { name, workspace }: Served,
  { start, places }: { readonly start: Pick<Entry, "seq" | "hash">; readonly places: Map<string, number> },
): Promise<void> {
  try {
    for await (const { entry } of followJournal(workspace.backend, start, stream.signal)) {
      const reviewed = await visit.room.reviewed(workspace);
      places.set(name, entry.seq);
      const line = lineOf(name, entry, { reviewed, isNew: true });
      stream.send("entry", { line, fits: fits(entry, filterIn(visit.fields, reviewed)) }, idOf(places));
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    stream.send("trouble", troubleOf(name, error));
    // the page has the stream for the others, and would otherwise come again at once
    await ended(stream.signal);
  }
}

function ended(signal: AbortSignal): Promise<unknown> {
  return signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

async function newestOf({ workspace: { backend } }: Served): Promise<Entry | undefined> {
  try {
    return await newestEntry(backend);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function hashAt({ workspace: { backend } }: Served, seq: number): Promise<Entry["hash"]> {
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
