// Finds literal strings and sequences, with overlaps, and never in quadratic time.

/** Returns the offsets of `needle` in order, with overlaps, up to `limit`. */
export function occurrences(text: string, needle: string, limit = Number.POSITIVE_INFINITY): number[] {
  return offsets(text, needle, 1, limit);
}

/** Returns the offsets that a replace-all would take: the leftmost ones without overlaps, up to `limit`. */
export function occurrencesApart(text: string, needle: string, limit = Number.POSITIVE_INFINITY): number[] {
  return offsets(text, needle, needle.length, limit);
}

function offsets(text: string, needle: string, distance: number, limit: number): number[] {
  const found: number[] = [];
  if (needle === "" || needle.length > text.length) return found;
  const next = searchFor(text, needle);
  let free = 0;
  for (let at = next(0); at !== -1 && found.length < limit; at = next(Math.max(at + 1, free))) {
    if (at < free) continue;
    free = at + distance;
    found.push(at);
  }
  return found;
}

/** Like `String.includes`, but always in linear time. */
export function contains(text: string, needle: string): boolean {
  return needle === "" || occurrences(text, needle, 1).length > 0;
}

// The built-in search is fast on real text, but takes 20 s for a periodic needle of 100 kB in a text of 1 MB.
const SAFE_PRODUCT = 200_000_000;

function searchFor(text: string, needle: string): (from: number) => number {
  return needle.length * text.length > SAFE_PRODUCT ? linearSearch(text, needle) : nativeSearch(text, needle);
}

function nativeSearch(text: string, needle: string): (from: number) => number {
  return (from) => text.indexOf(needle, from);
}

/** Knuth-Morris-Pratt. The positions asked for must ascend: the search continues where it stopped. */
function linearSearch(text: string, needle: string): (from: number) => number {
  const fallback = fallbackTable(needle.length, (a, b) => needle.charCodeAt(a) === needle.charCodeAt(b));
  let at = 0;
  let matched = 0;
  return () => {
    while (at < text.length) {
      const code = text.charCodeAt(at++);
      while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1]!;
      if (needle.charCodeAt(matched) === code) matched++;
      if (matched === needle.length) {
        matched = fallback[matched - 1]!;
        return at - needle.length;
      }
    }
    return -1;
  };
}

/** Returns the positions at which the sequence `needle` starts in `ids`. */
export function sequenceOccurrences(ids: Int32Array, needle: Int32Array): number[] {
  if (needle.length === 0 || needle.length > ids.length) return [];
  const fallback = fallbackTable(needle.length, (a, b) => needle[a] === needle[b]);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < ids.length; at++) {
    while (matched > 0 && needle[matched] !== ids[at]) matched = fallback[matched - 1]!;
    if (needle[matched] === ids[at]) matched++;
    if (matched === needle.length) {
      found.push(at + 1 - matched);
      matched = fallback[matched - 1]!;
    }
  }
  return found;
}

/** Numbers texts for `sequenceOccurrences`: equal texts get the same number. `known` carries on from earlier calls. */
export function numbersOf(texts: readonly string[], known = new Map<string, number>()): Int32Array {
  const numbers = new Int32Array(texts.length);
  for (let at = 0; at < texts.length; at++) {
    const number = known.get(texts[at]!) ?? known.size;
    if (number === known.size) known.set(texts[at]!, number);
    numbers[at] = number;
  }
  return numbers;
}

/** Returns the index of the first of the ascending `values` that is greater than `limit`. */
export function firstAbove(values: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fallbackTable(length: number, same: (a: number, b: number) => boolean): Int32Array {
  const table = new Int32Array(length);
  for (let at = 1, matched = 0; at < length; at++) {
    while (matched > 0 && !same(matched, at)) matched = table[matched - 1]!;
    if (same(matched, at)) matched++;
    table[at] = matched;
  }
  return table;
}
