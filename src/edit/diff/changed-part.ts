// The part of two texts in which they differ, in whole lines: what is equal at both ends need not be cut into lines.

export interface ChangedPart {
  readonly before: string;
  readonly after: string;
  /** Lines that both texts have in front of it. */
  readonly linesBefore: number;
  /** False: both texts go on with the same lines behind it. */
  readonly isEnd: boolean;
}

/** With so many lines of what is equal in front of it and behind it. */
export function changedPart(before: string, after: string, lead: number, tail: number): ChangedPart {
  const start = lineStart(before, commonStart(before, after));
  let from = start;
  for (let n = 0; n < lead && from > 0; n++) from = lineStart(before, from - 1);
  const equal = commonEnd(before, after, start);
  const stands = isLineStart(before, before.length - equal) && isLineStart(after, after.length - equal);
  let end = stands ? before.length - equal : lineEnd(before, before.length - equal);
  for (let n = 0; n < tail && end < before.length; n++) end = lineEnd(before, end);
  return {
    before: before.slice(from, end),
    after: after.slice(from, after.length - (before.length - end)),
    linesBefore: lineEnds(before, from),
    isEnd: end === before.length,
  };
}

/** By halves: two strings are compared as a whole many times faster than their characters one by one. */
export function commonStart(a: string, b: string): number {
  let equal = 0;
  for (let most = Math.min(a.length, b.length); equal < most; ) {
    const middle = (equal + most + 1) >> 1;
    if (a.slice(equal, middle) === b.slice(equal, middle)) equal = middle;
    else most = middle - 1;
  }
  return equal;
}

/** Of what is behind `start` in both. */
export function commonEnd(a: string, b: string, start: number): number {
  let equal = 0;
  for (let most = Math.min(a.length, b.length) - start; equal < most; ) {
    const middle = (equal + most + 1) >> 1;
    if (a.slice(a.length - middle, a.length - equal) === b.slice(b.length - middle, b.length - equal)) equal = middle;
    else most = middle - 1;
  }
  return equal;
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

function lineEnds(text: string, until: number): number {
  let n = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < until; at = text.indexOf("\n", at + 1)) n++;
  return n;
}
