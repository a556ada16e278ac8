// The record of what a session was shown: canonical path -> version and line ranges. Links share the entry of their target.
import type { Ledger, LineRange, Path, Seen, Sha } from "../../core/backend.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Splice, sortSplices } from "../../edit/text/splice.ts";

/** With more than `most` files, the one shown or changed longest ago counts as unread. */
export function memoryLedger(most: number = LIMITS.seenFiles): Ledger {
  const entries = new Map<Path, Seen>();
  return {
    get: (path) => entries.get(path),
    set(path, seen) {
      entries.delete(path);
      entries.set(path, seen);
      if (entries.size > most) entries.delete(entries.keys().next().value!);
    },
    delete: (path) => void entries.delete(path),
  };
}

/** Lines that were shown to their end. */
export interface ShownLines extends LineRange {
  /** Their numbers count from now on. An answer to an edit sets no numbers: they may be mistaken for those of the last read. */
  readonly isNumbered?: boolean;
}

export interface LinesShown {
  /** Lines in the file. */
  readonly total: number;
  readonly shown: readonly ShownLines[];
  /** Hashes that a read shows: they mean these lines from now on. */
  readonly settled?: ReadonlySet<string>;
}

/** Adds shown lines of version `sha` to `before`; forgets what was seen of another version. */
export function withShown(before: Seen | undefined, sha: Sha, { total, shown: list, settled }: LinesShown): Seen {
  const known = before?.sha === sha ? before : undefined;
  const isRead = list.some(({ isNumbered }) => isNumbered);
  const isWithin = ({ from, to }: LineRange) => known?.shown.some((range) => range.from <= from && to <= range.to);
  if (known && list.length === 1 && isWithin(list[0]!) && !isRead) return known;
  const numbered = union([...(known?.numbered ?? []), ...list.filter(({ isNumbered }) => isNumbered)]);
  const repeated = before?.repeated?.filter((name) => !settled?.has(name)) ?? [];
  const isOlder = before && (!known || before.since === "older" || (isRead && before.since === "edited"));
  const since = isOlder ? "older" : before?.since;
  return {
    sha,
    lines: total,
    shown: union([...(known?.shown ?? []), ...list]),
    ...(numbered.length > 0 && { numbered }),
    ...(repeated.length > 0 && { repeated }),
    ...(since && { since }),
  };
}

/** From the moment of the change: an edit that was sent together with it may follow at once. */
export function inDoubt(seen: Seen, changed: readonly string[] = []): Seen {
  return changed.length === 0 ? seen : { ...seen, repeated: [...new Set([...(seen.repeated ?? []), ...changed])] };
}

const ALL = [{ from: 1, to: Number.MAX_SAFE_INTEGER }];

/** All of this version is seen, however many lines it has. With `before`, the line numbers that the session knew are void. */
export function wholeSeen(sha: Sha, before?: Seen): Seen {
  const seen = { sha, lines: 0, shown: ALL };
  if (before === undefined) return { ...seen, numbered: ALL };
  const { repeated } = before;
  return { ...seen, ...(repeated && { repeated }), since: "older" };
}

/**
 * Carries what was seen of a text over to the text after an edit, in one pass over both. A line that the edit touched
 * counts as shown if all that is left in it of old lines was: an edit within a line does not show the rest of it.
 */
export function afterSplices(before: Seen, text: string, splices: readonly Splice[], sha: Sha): Seen {
  const { repeated, since = "edited" } = before;
  const last = (firstMoved(text, splices) ?? Number.POSITIVE_INFINITY) - 1;
  const numbered = union((before.numbered ?? []).map(({ from, to }) => ({ from, to: Math.min(to, last) })));
  const names = { numbered, ...(repeated && { repeated }), since };
  if (neverShown(before).length === 0) return { sha, lines: 0, shown: ALL, ...names };
  const wasShown = shownIn(before.shown);
  const shown: LineRange[] = [];
  /** The line of each text. */
  let old = 1;
  let line = 1;
  /** Of the line after the edit: it has text, a splice is in it, and all that it has of old lines was shown. */
  let isOpen = false;
  let isTouched = false;
  let isKnown = true;
  const endLine = (): void => {
    const last = shown.at(-1);
    if (isKnown && last?.to === line - 1) shown[shown.length - 1] = { from: last.from, to: line };
    else if (isKnown) shown.push({ from: line, to: line });
    [isOpen, isTouched, isKnown] = [false, false, true];
    line++;
  };
  let at = 0;
  for (const splice of [...sortSplices(splices), { start: text.length, end: text.length, text: "" }]) {
    while (at < splice.start) {
      const lf = text.indexOf("\n", at);
      if (lf !== at || !isTouched) isKnown &&= wasShown(old);
      isOpen = true;
      if (lf === -1 || lf >= splice.start) break;
      endLine();
      old++;
      at = lf + 1;
    }
    const [first, ...more] = splice.text.split("\n");
    isOpen ||= first !== "";
    for (const each of more) {
      endLine();
      isOpen = each !== "";
    }
    isTouched = true;
    old += linesIn(text.slice(splice.start, splice.end)) - 1;
    at = splice.end;
  }
  if (isOpen) endLine();
  return { sha, lines: line - 1, shown, ...names };
}

/** The line of the first splice that changes the number of lines. */
function firstMoved(text: string, splices: readonly Splice[]): number | undefined {
  const first = sortSplices(splices).find((one) => linesIn(one.text) !== linesIn(text.slice(one.start, one.end)));
  return first && linesIn(text.slice(0, first.start));
}

/** At least one, and one more for each line end. */
function linesIn(part: string): number {
  return part.split("\n").length;
}

/** Takes ascending lines only. */
function shownIn(ranges: readonly LineRange[]): (line: number) => boolean {
  let n = 0;
  return (line) => {
    while (n < ranges.length && ranges[n]!.to < line) n++;
    return n < ranges.length && ranges[n]!.from <= line;
  };
}

/** Line ranges of the file that this session was never shown. */
export function neverShown(seen: Seen): LineRange[] {
  const gaps: LineRange[] = [];
  let next = 1;
  for (const { from, to } of seen.shown) {
    if (from > next) gaps.push({ from: next, to: from - 1 });
    next = to + 1;
  }
  if (next <= seen.lines) gaps.push({ from: next, to: seen.lines });
  return gaps;
}

function union(ranges: readonly LineRange[]): LineRange[] {
  const out: LineRange[] = [];
  for (const range of ranges.filter(({ from, to }) => to >= from).sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last === undefined || range.from > last.to + 1) out.push({ from: range.from, to: range.to });
    else out[out.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return out;
}
