// The version a caller read: which of its lines still exist in the current text, and where.

import { diffLines, type Region } from "../../diff/diff.ts";
import type { AnchorIndex } from "../lines/line-index.ts";

export interface SeenVersion {
  readonly index: AnchorIndex;
  /** The current number of a line of the seen version; undefined when it is gone or cannot be told from its equals. */
  follow(line: number): number | undefined;
  /** Where a vanished line stood in the current text: the lines that are there instead, or none and the next line as `from`. */
  placeOf(line: number): { readonly from: number; readonly to: number };
}

export function seenVersion(seen: AnchorIndex, current: AnchorIndex): SeenVersion {
  const [then, now] = [trimmed(seen), trimmed(current)];
  let places: readonly (number | undefined)[] | undefined;
  let regions: readonly Region[] | undefined;
  return {
    index: seen,
    follow(line) {
      places ??= placesNow(then, now, landmarksOf(then, now));
      return places[line];
    },
    placeOf(line) {
      regions ??= diffLines(then, now);
      const region = regions.find(({ aEnd }) => line <= aEnd);
      // A line that stayed, but cannot be told from its equals: by how far the lines around it moved.
      if (region === undefined || region.aStart >= line) {
        const moved = region === undefined ? now.length - then.length : region.bStart - region.aStart;
        return { from: line + moved, to: line + moved };
      }
      return { from: region.bStart + 1, to: region.bEnd };
    },
  };
}

/** Lines that a reader of the one text knows in the other: by a text that only they have, or where nothing moved. */
export function knownLines(seen: AnchorIndex, current: AnchorIndex): { readonly was: number; readonly now: number }[] {
  const [then, now] = [trimmed(seen), trimmed(current)];
  const landmarks = landmarksOf(then, now);
  return placesNow(then, now, landmarks).flatMap((place, was) =>
    place === was || landmarks[was - 1] !== undefined ? { was, now: place! } : [],
  );
}

/**
 * By the number of each line, where it stands now. A line that is the only one of its kind in both texts is a
 * landmark: it is followed wherever it went. Any other line is followed only when it stands between the same two
 * landmarks as before and nothing between them has changed. A diff alone would not do: where equal lines come and go
 * it pairs them as it likes.
 */
function placesNow(
  then: readonly string[],
  now: readonly string[],
  landmarks: readonly (number | undefined)[],
): (number | undefined)[] {
  const places = [undefined, ...landmarks].map((place) => (place === undefined ? undefined : place + 1));
  for (let above = -1, below = 0; above < then.length; above = below, below++) {
    while (below < then.length && landmarks[below] === undefined) below++;
    const shift = (landmarks[above] ?? -1) - above;
    if ((landmarks[below] ?? now.length) - below !== shift) continue;
    if (!then.slice(above + 1, below).every((text, at) => text === now[above + 1 + at + shift])) continue;
    for (let line = above + 2; line <= below; line++) places[line] = line + shift;
  }
  return places;
}

/** For each line of the one text its place in the other, where it is unique in both. */
function landmarksOf(then: readonly string[], now: readonly string[]): (number | undefined)[] {
  const thenAt = placesOf(then);
  const nowAt = placesOf(now);
  return then.map((text) => (thenAt.get(text) === undefined ? undefined : nowAt.get(text)));
}

/** Where each line stands; undefined when it stands in several places. */
function placesOf(lines: readonly string[]): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  lines.forEach((text, at) => {
    places.set(text, places.has(text) ? undefined : at);
  });
  return places;
}

function trimmed(index: AnchorIndex): string[] {
  return index.lines.map((line) => line.text.trim());
}

/** How many lines at the top of both texts are the same. */
export function sameLinesFromTop(seen: AnchorIndex, current: AnchorIndex): number {
  const differs = seen.lines.findIndex(({ text, number }) => text !== current.lineAt(number)?.text);
  return differs === -1 ? seen.count : differs;
}

/** The first line (of the seen version) between two followed ends that the current text does not have in that place. */
export function changedInside(
  seen: AnchorIndex,
  seenFirst: number,
  seenLast: number,
  current: AnchorIndex,
  first: number,
  last: number,
): number | undefined {
  for (let line = seenFirst; line <= seenLast; line++) {
    const now = current.lineAt(first + line - seenFirst);
    if (now === undefined || now.number > last || now.digest !== seen.line(line).digest) return line;
  }
  return seenLast - seenFirst === last - first ? undefined : seenLast;
}

/** The first current line of a span whose text differs from the seen version, the hash being blind to outer whitespace. */
export function respacedInside(
  seen: AnchorIndex,
  seenFirst: number,
  current: AnchorIndex,
  first: number,
  last: number,
): number | undefined {
  for (let line = first; line <= last; line++) {
    if (current.line(line).text !== seen.line(seenFirst + line - first).text) return line;
  }
  return undefined;
}
