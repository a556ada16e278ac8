// The entries that are loaded: pages as the reader comes to them, and new ones as they happen.
import { batch, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { EntryLine, EntryNews, Refused, TimelineAnswer, Trouble } from "../../wire.ts";
import { ask, isAway } from "../api.ts";
import { about, isToBeNamed, loadAbout } from "./about.ts";
import { follow, live, unfollow } from "./live.ts";
import { newsOf } from "./news.ts";
import { filters, pinned } from "./route.ts";
import { heed, refusedOf, say } from "./said.ts";

export const entries = signal<readonly EntryLine[]>([]);
export const before = signal<string | undefined>(undefined);
export const loading = signal(false);
/** Why the last page did not come. */
export const failed = signal<Refused | undefined>(undefined);
/** Workspaces whose entries are not among these. */
export const troubles = signal<readonly Trouble[]>([]);
/** Came in while the reader was further down. */
export const arrived = signal(0);
/** The entry that is open, also where the filters leave it out. */
export const opened = signal<EntryLine | undefined>(undefined);
/** Grows when a later entry said something about the open one. */
export const outdated = signal(0);

type Hear = (line: EntryLine | undefined) => void;
const hearers = new Set<Hear>();

/** Grows with each new entry that a view is about, and when entries were missed. */
export function useNews(key: string, isAbout: (line: EntryLine) => boolean): number {
  const count = useSignal(0);
  useEffect(() => {
    const hear: Hear = (line) => {
      if (line === undefined || isAbout(line)) count.value++;
    };
    hearers.add(hear);
    return () => void hearers.delete(hear);
  }, [key]);
  return count.value;
}

let current = new AbortController();

/** A new question: what was loaded is let go. */
export async function askAnew(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal: stopped } = current;
  batch(() => {
    entries.value = [];
    before.value = undefined;
    failed.value = undefined;
    troubles.value = [];
    arrived.value = 0;
  });
  unfollow();
  live.value = "connecting";
  if (pinned.value && filters.value.w !== about.value?.workspaces[0]?.w) await loadAbout();
  if (stopped.aborted || isToBeNamed()) return;
  await page(undefined);
}

/** Nothing more is loaded, and nothing is kept of what was. */
export function forget(): void {
  current.abort();
  unfollow();
  entries.value = [];
  opened.value = undefined;
}

export async function loadMore(): Promise<void> {
  if (loading.value || failed.value !== undefined || before.value === undefined) return;
  await page(before.value);
}

const AGAIN_MS = 2000;

/** Pages may be empty although older entries fit: the server looks for a moment at a time. */
async function page(from: string | undefined): Promise<void> {
  const { signal: stopped } = current;
  loading.value = true;
  try {
    let place = from;
    do {
      const answer = await ask<TimelineAnswer>("timeline", { ...filters.value, before: place }, stopped);
      const known = new Set(entries.value.map(keyOf));
      place = answer.before;
      if (answer.after !== undefined) follow(answer.after, hear);
      batch(() => {
        entries.value = [...entries.value, ...answer.entries.filter((line) => !known.has(keyOf(line)))];
        before.value = place;
        for (const trouble of answer.troubles ?? []) tellTrouble(trouble);
      });
      if (answer.entries.length > 0) break;
    } while (place !== undefined && !stopped.aborted);
    failed.value = undefined;
  } catch (error) {
    if (stopped.aborted || heed(error)) return;
    failed.value = refusedOf(error);
    if (from === undefined) live.value = isAway(error) ? "away" : "waiting";
    if (isAway(error)) setTimeout(() => void (stopped.aborted || page(from)), AGAIN_MS);
  } finally {
    if (!stopped.aborted) loading.value = false;
  }
}

export function again(): Promise<void> {
  return entries.value.length === 0 ? askAnew() : page(before.value);
}

export function keyOf({ w, seq }: Pick<EntryLine, "w" | "seq">): string {
  return `${seq}@${w}`;
}

function tellTrouble(trouble: Trouble): void {
  troubles.value = [...troubles.value.filter(({ w }) => w !== trouble.w), trouble];
}

function hear(event: string, data: string): void {
  if (event === "missed") {
    void askAnew();
    for (const each of hearers) each(undefined);
  } else if (event === "trouble") tellTrouble(JSON.parse(data) as Trouble);
  else if (event === "entry") {
    take(JSON.parse(data) as EntryNews);
  }
}

function take({ line, fits, fates }: EntryNews): void {
  batch(() => {
    for (const each of hearers) each(line);
    const others = entries.value
      .filter((each) => keyOf(each) !== keyOf(line))
      .map((each) => touched(each, line, fates));
    entries.value = fits ? [line, ...others] : others;
    const open = opened.value && touched(opened.value, line, fates);
    if (open !== opened.value) outdated.value++;
    opened.value = open;
    if (!fits) return;
    arrived.value++;
    const isOwn = line.tool === "page" && line.agent === about.value?.person;
    if (!isOwn) say(newsOf(line));
  });
}

/** What a later entry says about one that is shown. */
function touched(each: EntryLine, later: EntryLine, fates: EntryNews["fates"]): EntryLine {
  if (each.w !== later.w) return each;
  if (later.mark?.of.includes(each.seq)) return { ...each, reviewed: later.mark.reviewed };
  const fate = fates.find(({ seq }) => seq === each.seq);
  if (fate === undefined) return each;
  const { takenBackBy: _, partsBack: __, ...plain } = each;
  return { ...plain, ...fate };
}
