// The timeline: pages of all workspaces together, newest first, filtered here and not in the browser.
import type { Outcome } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { isRecord } from "../../../core/is-record.ts";
import { type TimelineFilter, timelinePage } from "../../../kernel/history/timeline.ts";
import type { NamedWorkspace } from "../../../serve/workspaces/named.ts";
import type { EntryLine, TimelineAnswer, Trouble } from "../../wire.ts";
import { type Fields, numberIn, textIn } from "../request.ts";
import type { Room, Visit } from "../visit.ts";
import { linesOf } from "./lines.ts";
import { newestSeq } from "./state.ts";

const USUAL_LIMIT = 100;
const MAX = 500;
const OUTCOMES: readonly Outcome[] = ["applied", "refused", "external", "aborted", "note"];
/** Notes are about the journal itself, and are shown only when asked for. */
const USUAL_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== "note");

export async function timeline({ room, fields }: Visit): Promise<TimelineAnswer> {
  const limit = Math.max(1, Math.min(MAX, numberIn(fields, "limit") ?? USUAL_LIMIT));
  const from = textIn(fields, "before");
  const places = from === undefined ? undefined : placesIn(from);
  if (from !== undefined && places === undefined)
    throw new Refusal("invalid_input", "before is no place in the timeline.", { next: "Load the page again." });
  const chosen = await room.chosen(textIn(fields, "w"));
  filterIn(fields, new Set());
  const after = places === undefined ? idOf(await newestPlaces(chosen)) : undefined;
  const troubles: Trouble[] = [];
  const pages = await Promise.all(
    chosen
      .filter(({ name }) => places?.get(name) !== 0)
      .map((served) =>
        pageOf(room, served, fields, { limit, before: places?.get(served.name) }).catch((error: unknown) => {
          troubles.push(troubleOf(served.name, error));
          return { w: served.name, lines: [], before: undefined };
        }),
      ),
  );
  const newest = pages.flatMap(({ lines }) => lines).sort(newestFirst);
  const entries = newest.slice(0, limit);
  const read = new Map(pages.map((page) => [page.w, placeAfter(page, entries)]));
  // A workspace that is left out would begin anew, so that of one that is over stays in.
  const next = new Map(chosen.map(({ name }) => [name, read.get(name) ?? 0]));
  const isOver = [...next.values()].every((place) => place === 0);
  return {
    entries,
    after,
    before: isOver ? undefined : idOf(next),
    troubles: troubles.length > 0 ? troubles : undefined,
  };
}

/** A workspace that cannot be read does not hide the others. */
export function troubleOf(w: string, error: unknown): Trouble {
  if (!(error instanceof Refusal)) throw error;
  const { kind, message, suggestedAction: next } = error.failure;
  return { w, kind, message, next };
}

/** Entry numbers by the names of workspaces. */
export type Places = ReadonlyMap<string, number>;

/** To be asked for before anything is read: the stream has all that comes later, and the page drops what it has twice. */
async function newestPlaces(served: readonly NamedWorkspace[]): Promise<Places> {
  const seqs = await Promise.all(served.map(({ workspace }) => newestSeq(workspace.backend)));
  return new Map(served.map(({ name }, n) => [name, seqs[n] ?? 0]));
}

/** Encoded, so that it can stand in a header. */
export function idOf(places: Places): string {
  return encodeURIComponent(JSON.stringify(Object.fromEntries(places)));
}

/** Undefined where the id is malformed. */
export function placesIn(id: string): Places | undefined {
  try {
    const places: unknown = JSON.parse(decodeURIComponent(id));
    if (!isRecord(places)) return undefined;
    const pairs = Object.entries(places);
    const isPlace = (pair: [string, unknown]): pair is [string, number] =>
      (pair[1] as number) >= 0 && Number.isSafeInteger(pair[1]);
    return pairs.every(isPlace) ? new Map(pairs) : undefined;
  } catch {
    return undefined;
  }
}

interface Page {
  readonly w: string;
  readonly lines: readonly EntryLine[];
  readonly before: number | undefined;
}

async function pageOf(
  room: Room,
  { name, workspace }: NamedWorkspace,
  fields: Fields,
  asked: { readonly limit: number; readonly before: number | undefined },
): Promise<Page> {
  const reviewed = await room.reviewed(workspace);
  const { entries, before } = await timelinePage(workspace, filterIn(fields, reviewed), asked);
  return { w: name, lines: await linesOf(workspace.backend, name, entries, reviewed), before };
}

/** The next page begins with what was read and did not fit on this one. 0: there is nothing more. */
function placeAfter({ w, lines, before }: Page, taken: readonly EntryLine[]): number {
  const own = taken.filter((line) => line.w === w);
  if (own.length === lines.length) return before ?? 0;
  return own.at(-1)?.seq ?? lines[0]!.seq + 1;
}

function newestFirst(a: EntryLine, b: EntryLine): number {
  if (a.w === b.w) return b.seq - a.seq;
  return a.at === b.at ? (a.w < b.w ? -1 : 1) : a.at < b.at ? 1 : -1;
}

/** Also decides about entries that come later. */
export function filterIn(fields: Fields, reviewed: { has(seq: number): boolean }): TimelineFilter {
  const outcome = textIn(fields, "outcome");
  return {
    agent: textIn(fields, "agent"),
    session: textIn(fields, "session"),
    tool: textIn(fields, "tool"),
    path: textIn(fields, "path"),
    text: textIn(fields, "text"),
    since: timeIn(fields, "since", "From"),
    until: timeIn(fields, "until", "To"),
    outcomes: outcome === undefined ? USUAL_OUTCOMES : OUTCOMES.filter((each) => outcome.split(",").includes(each)),
    except: textIn(fields, "unreviewed") === undefined ? undefined : reviewed,
  };
}

function timeIn(fields: Fields, name: string, label: string): string | undefined {
  const value = textIn(fields, name);
  if (value === undefined) return undefined;
  const written = Number.isNaN(Date.parse(value)) ? "" : new Date(value).toISOString();
  if (/^\d/.test(written)) return written;
  throw new Refusal("invalid_input", `${label} is not a time of the years 0000 to 9999.`, {
    next: "Write it as 2026-01-31 or 2026-01-31T12:00.",
  });
}
