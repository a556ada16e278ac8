// What a session has been shown: canonical path -> version and line ranges. Links share the entry of their target.
import type { Ledger, LineRange, Path, Seen, Sha } from "../backends/backend.ts";
import { type Splice, sortSplices } from "../edit/splice.ts";

export function memoryLedger(): Ledger {
  const entries = new Map<Path, Seen>();
  return {
    get: (path) => entries.get(path),
    set: (path, seen) => void entries.set(path, seen),
    delete: (path) => void entries.delete(path),
  };
}

/** `before` with more shown of version `sha`; what was seen of another version is forgotten. */
export function withShown(
  before: Seen | undefined,
  sha: Sha,
  lines: number,
  shown: LineRange | readonly LineRange[],
): Seen {
  const known = before?.sha === sha ? before : undefined;
  if (known !== undefined && !Array.isArray(shown) && isShown(known, shown as LineRange)) return known;
  return { sha, lines, shown: union((known?.shown ?? []).concat(shown)) };
}

function isShown({ shown }: Seen, { from, to }: LineRange): boolean {
  return shown.some((range) => range.from <= from && to <= range.to);
}

/** Nothing of this version is unseen, however many lines it has. */
export function wholeSeen(sha: Sha): Seen {
  return { sha, lines: 0, shown: [{ from: 1, to: Number.MAX_SAFE_INTEGER }] };
}

/** What was seen of a text, carried over to the text after an edit. The lines that the edit wrote count as shown. */
export function afterSplices(before: Seen, text: string, splices: readonly Splice[], sha: Sha): Seen {
  const whole = neverShown(before).length === 0;
  if (whole) return wholeSeen(sha);
  let shown: LineRange[] = [...before.shown];
  let lines = before.lines;
  for (const splice of sortSplices(splices).reverse()) {
    const first = newlines(text.slice(0, splice.start)) + 1;
    const added = newlines(splice.text) - newlines(text.slice(splice.start, splice.end));
    const move = (line: number): number => (line > first ? Math.max(first, line + added) : line);
    shown = [
      ...shown.map(({ from, to }) => ({ from: move(from), to: move(to) })),
      { from: first, to: first + newlines(splice.text) },
    ];
    lines += added;
  }
  return { sha, lines, shown: union(shown) };
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

export function formatRanges(ranges: readonly LineRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

function newlines(text: string): number {
  let n = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) n++;
  return n;
}

function union(ranges: readonly LineRange[]): LineRange[] {
  const out: LineRange[] = [];
  for (const range of ranges.filter((r) => r.to >= r.from).sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last !== undefined && range.from <= last.to + 1) {
      out[out.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
      continue;
    }
    out.push(range);
  }
  return out;
}
