// What is shown of names, times and sizes. Everything that agents wrote goes through `name` or `lines`.
import { printable, printableLines } from "../../core/printable.ts";

/** On one line: what cannot be seen, or turns the direction of text, is escaped. */
export function name(text: string): string {
  return printable(text);
}

/** Of files and messages. */
export function lines(text: string): string {
  return printableLines(text);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** In the zone of the viewer; with the day unless it is today. */
export function shortTime(at: string): string {
  const date = new Date(at);
  if (isNoTime(date)) return name(at);
  const today = date.toDateString() === new Date().toDateString();
  return today ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
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
