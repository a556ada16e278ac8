// Splices: the result of every engine. A splice replaces one span of the original text.

/** Replaces `text.slice(start, end)` of the original by `text`. Offsets are UTF-16 code units. */
export interface Splice {
  /** Offset of the first unit of the span. */
  readonly start: number;
  /** Offset behind the last unit; equals `start` for an insertion. */
  readonly end: number;
  /** The new text of the span. */
  readonly text: string;
}

/** Sorts by position; splices at the same position keep their order. */
export function sortSplices(splices: readonly Splice[]): readonly Splice[] {
  const before = (a: Splice, b: Splice): number => a.start - b.start || a.end - b.end;
  return splices.every((splice, n) => n === 0 || before(splices[n - 1]!, splice) <= 0)
    ? splices
    : [...splices].sort(before);
}

/** Throws RangeError unless the splice fits behind one that ends at `at`, in a text of this length. */
export function checkPlace(splice: Splice, at: number, length: number): void {
  const why = misplaced(splice, at, length);
  if (why !== undefined) throw new RangeError(`splice ${splice.start}-${splice.end} ${why}`);
}

/** Returns why a splice does not fit behind one that ends at `at`; undefined if it does. */
export function misplaced({ start, end }: Splice, at: number, length: number): string | undefined {
  if (start >= at && end >= start && end <= length) return undefined;
  if (end < start) return "ends before it begins";
  return start < 0 || end > length
    ? `leaves the text of ${length} characters`
    : `overlaps the one before it, which ends at ${at}`;
}

/** Applies splices. Throws RangeError if two overlap: then the engine is defective. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let out = "";
  let at = 0;
  for (const splice of sortSplices(splices)) {
    checkPlace(splice, at, text.length);
    out += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return out + text.slice(at);
}

/** Returns the splices that turn the result of `splices` back into `text`. */
export function reverseSplices(text: string, splices: readonly Splice[]): Splice[] {
  let shift = 0;
  return sortSplices(splices).map((splice) => {
    const start = splice.start + shift;
    shift += splice.text.length - (splice.end - splice.start);
    return { start, end: start + splice.text.length, text: text.slice(splice.start, splice.end) };
  });
}
