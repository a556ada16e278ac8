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
import { headOf } from "./state.ts";

const USUAL_LIMIT = 100;
const MAX = 500;
const OUTCOMES: readonly Outcome[] = ["applied", "refused", "external", "aborted", "note"];
/** Notes are about the journal itself: shown when asked for. */
const USUAL_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== "note");

export async function timeline({ room, fields }: Visit): Promise<TimelineAnswer> {
  const limit = Math.max(1, Math.min(MAX, numberIn(fields, "limit") ?? USUAL_LIMIT));
  const places = placesIn(textIn(fields, "before"));
  const chosen = await room.chosen(textIn(fields, "w"));
  filterIn(fields, new Set());
  const after = places === undefined ? { after: idOf(await newestPlaces(chosen)) } : {};
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
  const taken = newest.slice(0, limit);
  const read = new Map(pages.map((page) => [page.w, placeAfter(page, taken)]));
  // of each, also of one that was over before: it would begin anew
  const next = chosen.map(({ name }) => [name, read.get(name) ?? 0] as const);
  const isOver = next.every(([, place]) => place === 0);
  return {
    entries: taken,
    ...after,
    ...(!isOver && { before: JSON.stringify(Object.fromEntries(next)) }),
    ...(troubles.length > 0 && { troubles }),
  };
}

/** A workspace that cannot be read is no reason to hide the others. */
export function troubleOf(w: string, error: unknown): Trouble {
  if (!(error instanceof Refusal)) throw error;
  const { kind, message, suggestedAction: next } = error.failure;
  return { w, kind, message, ...(next !== undefined && { next }) };
}

/** By the names of workspaces, which may be any. */
export type Places = ReadonlyMap<string, number>;

/** Before anything is read: what comes later is told by the stream, and what is told twice is seen once. */
async function newestPlaces(served: readonly NamedWorkspace[]): Promise<Places> {
  const seqOf = async ({ workspace }: NamedWorkspace): Promise<number> => {
    try {
      return (await headOf(workspace.backend))?.seq ?? 0;
    } catch (error) {
      if (error instanceof Refusal) return 0;
      throw error;
    }
  };
  return new Map(await Promise.all(served.map(async (each) => [each.name, await seqOf(each)] as const)));
}

export function idOf(places: Places): string {
  return encodeURIComponent(JSON.stringify(Object.fromEntries(places)));
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
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<Page> {
  const reviewed = await room.reviewed(workspace);
  const wanted = filterIn(fields, reviewed);
  const page = await timelinePage(workspace, wanted, { limit, ...(before !== undefined && { before }) });
  return { w: name, lines: await linesOf(workspace.backend, name, page.entries, reviewed), before: page.before };
}

/** 0: there is nothing more. Of what was read and did not fit on the page, the next one begins. */
function placeAfter({ w, lines, before }: Page, taken: readonly EntryLine[]): number {
  const own = taken.filter((line) => line.w === w);
  if (own.length === lines.length) return before ?? 0;
  return own.at(-1)?.seq ?? lines[0]!.seq + 1;
}

function newestFirst(a: EntryLine, b: EntryLine): number {
  if (a.w === b.w) return b.seq - a.seq;
  return a.at === b.at ? (a.w < b.w ? -1 : 1) : a.at < b.at ? 1 : -1;
}

function placesIn(before: string | undefined): Places | undefined {
  if (before === undefined) return undefined;
  const places = placesFrom(before);
  if (places !== undefined) return places;
  throw new Refusal("invalid_input", "before is no place in the timeline.", { next: "Load the page again." });
}

/** Undefined: this is none. */
export function placesFrom(text: string): Places | undefined {
  try {
    const places: unknown = JSON.parse(text);
    if (!isRecord(places)) return undefined;
    const pairs = Object.entries(places);
    return pairs.every((pair): pair is [string, number] => isPlace(pair[1])) ? new Map(pairs) : undefined;
  } catch {
    return undefined;
  }
}

function isPlace(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The same question for entries that come later. */
export function filterIn(fields: Fields, reviewed: { has(seq: number): boolean }): TimelineFilter {
  const outcome = textIn(fields, "outcome");
  const one = (name: string) => {
    const value = textIn(fields, name);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...one("agent"),
    ...one("session"),
    ...one("tool"),
    ...one("path"),
    ...one("text"),
    ...time(fields, "since"),
    ...time(fields, "until"),
    outcomes: outcome === undefined ? USUAL_OUTCOMES : OUTCOMES.filter((each) => outcome.split(",").includes(each)),
    ...(textIn(fields, "unreviewed") !== undefined && { except: reviewed }),
  };
}

function time(fields: Fields, name: "since" | "until"): Pick<TimelineFilter, "since" | "until"> {
  const value = textIn(fields, name);
  if (value === undefined) return {};
  const written = Number.isNaN(Date.parse(value)) ? "" : new Date(value).toISOString();
  if (/^\d/.test(written)) return { [name]: written };
  throw new Refusal("invalid_input", `${name === "since" ? "From" : "To"} is not a time of the years 0000 to 9999.`, {
    next: "Write it as 2026-01-31 or 2026-01-31T12:00.",
  });
}
