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

/** Lines that were shown: the first one from `column` on; where there is only one, perhaps as far as before `next`. */
export interface ShownLines extends LineRange {
  readonly column?: number | undefined;
  readonly next?: number | undefined;
}

/** `before` with more shown of version `sha`; what was seen of another version is forgotten. */
export function withShown(
  before: Seen | undefined,
  sha: Sha,
  lines: number,
  shown: ShownLines | readonly ShownLines[],
): Seen {
  const known = before?.sha === sha ? before : undefined;
  const list = [shown].flat() as readonly ShownLines[];
  if (known !== undefined && list.length === 1 && isShown(known, list[0]!)) return known;
  const upTo = new Map(known?.parts?.map((part) => [part.line, part.upTo]));
  const whole = list.map((one) => wholeLines(one, upTo));
  const parts = [...upTo].map(([line, characters]) => ({ line, upTo: characters }));
  return { sha, lines, shown: union([...(known?.shown ?? []), ...whole]), ...(parts.length > 0 && { parts }) };
}

function isShown({ shown }: Seen, { from, to }: LineRange): boolean {
  return shown.some((range) => range.from <= from && to <= range.to);
}

/** Those that were shown to their end by now. A line that is shown piece after piece is whole with its last one. */
function wholeLines({ from, to, column = 1, next }: ShownLines, upTo: Map<number, number>): LineRange {
  if (to < from) return { from, to };
  const fromStart = column - 1 <= (upTo.get(from) ?? 0);
  if (next !== undefined) {
    if (fromStart) upTo.set(from, Math.max(upTo.get(from) ?? 0, next - 1));
    return { from, to: from - 1 };
  }
  if (fromStart) upTo.delete(from);
  return { from: fromStart ? from : from + 1, to };
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
  const partly = new Set(before.parts?.map(({ line }) => line));
  for (const splice of sortSplices(splices).reverse()) {
    const first = newlines(text.slice(0, splice.start)) + 1;
    const added = newlines(splice.text) - newlines(text.slice(splice.start, splice.end));
    const move = (line: number): number => (line > first ? Math.max(first, line + added) : line);
    shown = shown.map(({ from, to }) => ({ from: move(from), to: move(to) }));
    // An edit within a line of which only a part was shown does not show the rest of it.
    if (!partly.has(first)) shown.push({ from: first, to: first + newlines(splice.text) });
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
