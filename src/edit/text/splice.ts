// Splices: what every engine returns. A splice replaces one span of the original text, and nothing else.

/** Replace `text.slice(start, end)` of the original by `text`. Offsets are UTF-16 code units. */
export interface Splice {
  /** Where the span begins. */
  readonly start: number;
  /** Behind the last unit of the span; equal to `start` to insert. */
  readonly end: number;
  /** What stands there afterwards. */
  readonly text: string;
}

/** Sorted by position; splices at the same position keep the order they were given in. */
export function sortSplices(splices: readonly Splice[]): readonly Splice[] {
  const before = (a: Splice, b: Splice): number => a.start - b.start || a.end - b.end;
  return splices.every((splice, n) => n === 0 || before(splices[n - 1]!, splice) <= 0)
    ? splices
    : [...splices].sort(before);
}

/** Throws RangeError where a splice cannot follow one that ends at `at`, in a text of this length. */
export function checkPlace(splice: Splice, at: number, length: number): void {
  const why = misplaced(splice, at, length);
  if (why !== undefined) throw new RangeError(`splice ${splice.start}-${splice.end} ${why}`);
}

/** Why a splice cannot follow one that ends at `at`; undefined where it can. */
export function misplaced({ start, end }: Splice, at: number, length: number): string | undefined {
  if (start >= at && end >= start && end <= length) return undefined;
  if (end < start) return "ends before it begins";
  return start < 0 || end > length
    ? `leaves the text of ${length} characters`
    : `overlaps the one before it, which ends at ${at}`;
}

/** Applies non-overlapping splices. Throws RangeError on overlap: an engine that returns one is defective. */
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

/** The splices that turn the result of `splices` back into `text`. */
export function reverseSplices(text: string, splices: readonly Splice[]): Splice[] {
  let shift = 0;
  return sortSplices(splices).map((splice) => {
    const start = splice.start + shift;
    shift += splice.text.length - (splice.end - splice.start);
    return { start, end: start + splice.text.length, text: text.slice(splice.start, splice.end) };
  });
}
