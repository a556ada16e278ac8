// Times, durations, sizes and counts as people type them.
import type { Given } from "./command.ts";
import { UsageError } from "./usage.ts";

export function textOf({ values }: Given, option: string): string | undefined {
  const value = values[option];
  return typeof value === "string" ? value : undefined;
}

/** A moment, or how long ago it was; as ISO time. */
export function momentOf(given: Given, option: string, now = Date.now()): string | undefined {
  const text = textOf(given, option)?.trim();
  if (text === undefined) return undefined;
  const ago = millisecondsIn(text);
  if (ago !== undefined) return inTime(now - ago, option, text);
  if (!MOMENT.test(text) || !isDay(text)) throw notATime(option, text);
  // A date alone means the day here, not the day in Greenwich.
  return inTime(Date.parse(text.length === "2026-01-31".length ? `${text}T00:00` : text), option, text);
}

export function durationOf(given: Given, option: string): number | undefined {
  const text = textOf(given, option);
  if (text === undefined) return undefined;
  const duration = millisecondsIn(text.trim());
  if (duration !== undefined) return duration;
  throw new UsageError(
    `--${option} is no duration: ${JSON.stringify(text)}.`,
    "Give a number and s, m, h, d or w: 30d.",
  );
}

export function bytesOf(given: Given, option: string): number | undefined {
  const text = textOf(given, option);
  if (text === undefined) return undefined;
  const [, amount, unit = ""] = BYTES.exec(text.trim()) ?? [];
  if (amount !== undefined) return Math.floor(Number(amount) * 1024 ** " kmgt".indexOf(unit.toLowerCase() || " "));
  throw new UsageError(
    `--${option} is no size: ${JSON.stringify(text)}.`,
    "Give bytes, or a number and K, M or G: 500M.",
  );
}

/** A whole number from 1 on. */
export function countOf(given: Given, option: string): number | undefined {
  const text = textOf(given, option);
  return text === undefined ? undefined : wholeNumber(text, `--${option}`);
}

export function wholeNumber(text: string, what: string): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text.trim()) && number >= 1) return number;
  throw new UsageError(`${what} must be a whole number from 1 on, not ${JSON.stringify(text)}.`);
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const BYTES = /^(\d+(?:\.\d+)?) ?(?:([kmgt])(?:i?b)?|b)?$/i;

function millisecondsIn(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9}) ?([smhdw])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** A 31st of February would count as the 3rd of March. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, "2026-01-31".length).split("-").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function inTime(time: number, option: string, text: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || time < 0) throw notATime(option, text);
  return date.toISOString();
}

function notATime(option: string, text: string): UsageError {
  return new UsageError(
    `--${option} is no time: ${JSON.stringify(text)}.`,
    'Give a date, a time, or how long ago: 2026-01-31, "2026-01-31 12:00", 2h, 3d.',
  );
}
