// The entries that are loaded: pages as the reader comes to them, and new ones as they happen.
import { batch, signal } from "@preact/signals";
import { addressOf, ask } from "../api.ts";
import { counted, name } from "../shown.ts";
import type { EntryLine, TimelineAnswer } from "../wire.ts";
import { about, isToBeNamed, loadAbout } from "./about.ts";
import { filters, pinned } from "./route.ts";
import { complain, say } from "./said.ts";

export const entries = signal<readonly EntryLine[]>([]);
export const before = signal<string | undefined>(undefined);
export const loading = signal(false);
export const failed = signal(false);
export const live = signal<"connecting" | "live" | "away" | "crowded">("connecting");
/** Came in while the reader was further down. */
export const arrived = signal(0);
/** The entry that is open, also where the filters leave it out. */
export const opened = signal<EntryLine | undefined>(undefined);
/** Grows when a later entry said something about the open one. */
export const outdated = signal(0);
/** Grows with every entry of any kind: views of what is now look again. */
export const ticks = signal(0);

let current = new AbortController();
let stream: EventSource | undefined;

/** A new question: what was loaded is let go. */
export async function askAnew(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal: stopped } = current;
  batch(() => {
    entries.value = [];
    before.value = undefined;
    failed.value = false;
    arrived.value = 0;
  });
  stream?.close();
  live.value = "connecting";
  if (pinned.value && filters.value.w !== about.value?.workspaces[0]?.w) await loadAbout();
  if (stopped.aborted || isToBeNamed()) return;
  await page(undefined);
}

/** Nothing more is loaded, and nothing is kept of what was. */
export function forget(): void {
  current.abort();
  stream?.close();
  stream = undefined;
  entries.value = [];
  opened.value = undefined;
}

export async function loadMore(): Promise<void> {
  if (loading.value || before.value === undefined) return;
  await page(before.value);
}

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
      if (answer.after !== undefined) listen(answer.after);
      batch(() => {
        entries.value = [...entries.value, ...answer.entries.filter((line) => !known.has(keyOf(line)))];
        before.value = place;
      });
      if (answer.entries.length > 0) break;
    } while (place !== undefined && !stopped.aborted);
    failed.value = false;
  } catch (error) {
    if (stopped.aborted) return;
    failed.value = true;
    if (entries.value.length === 0) live.value = "away";
    complain(error);
  } finally {
    if (!stopped.aborted) loading.value = false;
  }
}

export function keyOf({ w, seq }: Pick<EntryLine, "w" | "seq">): string {
  return `${seq}@${w}`;
}

const AGAIN_MS = 1000;

/** From where the first page was read. */
function listen(after: string): void {
  stream?.close();
  const own = new EventSource(addressOf("events", { ...filters.value, after }));
  stream = own;
  stream.addEventListener("ready", () => {
    live.value = "live";
  });
  stream.addEventListener("missed", () => void askAnew());
  stream.addEventListener("crowded", ({ data }) => {
    live.value = "crowded";
    say((JSON.parse(data) as { message: string }).message);
  });
  stream.addEventListener("error", () => {
    if (live.value !== "crowded" || own.readyState === EventSource.CLOSED) live.value = "away";
    // Refused by a server that answers: the browser does not try again.
    if (own.readyState === EventSource.CLOSED && own === stream)
      setTimeout(() => own === stream && askAnew(), AGAIN_MS);
  });
  stream.addEventListener("entry", ({ data }) => {
    const { line, fits } = JSON.parse(data) as { line: EntryLine; fits: boolean };
    take(line, fits);
  });
}

function take(line: EntryLine, fits: boolean): void {
  batch(() => {
    ticks.value++;
    const others = entries.value.filter((each) => keyOf(each) !== keyOf(line)).map((each) => touched(each, line));
    entries.value = fits ? [line, ...others] : others;
    const open = opened.value && touched(opened.value, line);
    if (open !== opened.value) outdated.value++;
    opened.value = open;
    if (!fits) return;
    arrived.value++;
    const what = line.outcome === "refused" ? "was refused" : "changed";
    say(
      `${name(line.agent ?? line.tool)} ${what} ${line.paths.length === 0 ? "" : counted(line.files, "file")}`.trim(),
    );
  });
}

/** What a later entry says about one that is shown. */
function touched(each: EntryLine, later: EntryLine): EntryLine {
  if (each.w !== later.w) return each;
  if (later.mark?.of.includes(each.seq)) return { ...each, reviewed: later.mark.reviewed };
  if (later.outcome !== "applied" || later.part === true) return each;
  if (later.of?.includes(each.seq)) return { ...each, takenBackBy: later.seq };
  if (each.takenBackBy === undefined || !later.of?.includes(each.takenBackBy)) return each;
  const { takenBackBy: _, ...again } = each;
  return again;
}
