// What is shown of names, times and sizes. Everything that agents wrote goes through `name` or `lines`.
import { signal } from "@preact/signals";
import { printable, printableLines } from "../../core/printable.ts";

/** On one line: what cannot be seen, or turns the direction of text, is escaped. */
export function name(text: string): string {
  return printable(text);
}

/** Of files and messages. */
export function lines(text: string): string {
  return printableLines(text);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", month: "short", day: "numeric", year: "numeric" });
const relative = new Intl.RelativeTimeFormat(undefined, { style: "narrow", numeric: "auto" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

const DAY_MS = 86_400_000;

/** Moves on, so that relative times are drawn anew. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

/** Of the last hour how long ago; before that the time of day, in the zone of the viewer. */
export function shortTime(at: string): string {
  const date = new Date(at);
  if (isNoTime(date)) return name(at);
  const minutes = Math.round((now.value - date.getTime()) / 60_000);
  if (minutes < 0 || minutes >= 60) return clock.format(date);
  return minutes === 0 ? relative.format(0, "second") : relative.format(-minutes, "minute");
}

/** "today", "yesterday", or the date. */
export function dayOf(at: string): string {
  const date = new Date(at);
  if (isNoTime(date)) return name(at);
  const days = Math.round((midnight(new Date(now.value)) - midnight(date)) / DAY_MS);
  return days === 0 || days === 1 ? relative.format(-days, "day") : day.format(date);
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function longTime(at: string): string {
  const date = new Date(at);
  return isNoTime(date) ? name(at) : whole.format(date);
}

/** An address, or a journal, may say anything. */
export function isNoTime(date: Date): boolean {
  return Number.isNaN(date.getTime());
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

/** Of a refusal: stale_file reads "stale file". */
export function kind(error: string): string {
  return name(error.replaceAll("_", " "));
}

export function short(id: string): string {
  return name(id.length > 12 ? id.slice(0, 8) : id);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
