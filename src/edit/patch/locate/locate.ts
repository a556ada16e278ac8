// Finds the one place where each hunk belongs, or refuses.

import { Refusal } from "../../../core/failure.ts";
import {
  alreadyApplied,
  contextNotFound,
  headerMismatch,
  insertWithoutContext,
  MAX_PLACES,
  severalPlaces,
} from "../complaints.ts";
import type { Hunk, HunkLine, HunkRef } from "../parse/sections.ts";
import type { FileLines } from "./file-lines.ts";
import { type FoundHeader, findHeader } from "./headers.ts";
import { isLocator, isOutside, type Locator, onlyInside } from "./locators.ts";

/** A hunk and the line of the file at which its first context or removed line stands. */
export interface PlacedHunk {
  readonly hunk: Hunk;
  readonly lines: readonly HunkLine[];
  readonly old: readonly HunkLine[];
  readonly at: number;
  /** All the lines at which it may be meant to stand: more than one only of a hunk that changes nothing. */
  readonly places: readonly number[];
}

type Warn = (warning: string) => void;

/** Hunks are taken in order, each after the one before. `warn` is told of every choice that a caller may want to see. */
export function locateHunks(file: FileLines, path: string, hunks: readonly Hunk[], warn: Warn): PlacedHunk[] {
  const placed: PlacedHunk[] = [];
  let from = 0;
  let shift = 0;
  for (const [hunkIndex, hunk] of hunks.entries()) {
    const ref = { path, hunkIndex, hunk };
    const locator = placed.slice(-1).find((before) => isLocator(before.hunk));
    const one = place(file, ref, { from, shift, locator, warn });
    refuseApplied(file, ref, one);
    if (hunk.oldLine !== undefined && one.old.length > 0) {
      const moved = one.at - (hunk.oldLine - 1);
      const where = `line ${one.at + 1}, not at line ${hunk.oldLine + shift}`;
      if (moved !== shift) warn(`Hunk ${hunkIndex + 1} of ${path}: its lines were found at ${where}.`);
      shift = moved;
    }
    from = one.at + one.old.length;
    placed.push(one);
  }
  return placed;
}

/** Where a hunk adds lines at one side of its old lines only, these are found again: it must not add the same twice. */
function refuseApplied(file: FileLines, ref: HunkRef, { lines, old, at }: PlacedHunk): void {
  const fresh = lines.filter((line) => line.sign !== "-");
  const added = fresh.length - old.length;
  const signs = new Set(lines.map((line) => line.sign));
  const ahead = signs.has("-") || !signs.has(" ") ? [0, added] : [lines.findIndex((line) => line.sign === " ")];
  for (const count of added > 0 ? ahead : []) {
    const keepsOld = old.every((line, i) => line.text === fresh[count + i]?.text);
    if (keepsOld && file.matchesAt(fresh, at - count)) throw alreadyApplied(ref, at - count);
  }
}

/** A hunk whose result stands where it says was applied before: another place with its old lines is not meant. */
function refuseDone(file: FileLines, ref: HunkRef, { from, shift }: Search, header?: FoundHeader): void {
  const fresh = file.named(ref.hunk.lines, ref.hunk.spacing).filter((line) => line.sign !== "-");
  if (fresh.length === 0) return;
  const below = header ? file.find(fresh, Math.max(from, header.line - fresh.length + 1), MAX_PLACES) : [];
  const at = statedPoint(file, ref.hunk, fresh, shift) ?? below.find((each) => isUnder(header!, each, fresh.length));
  if (at !== undefined) throw alreadyApplied(ref, at);
}

interface Search {
  /** The first line that the hunk before it leaves. */
  readonly from: number;
  /** By how much the line numbers of the hunks before were wrong. */
  readonly shift: number;
  /** The hunk before, where it only says where to look. */
  readonly locator: Locator | undefined;
  readonly warn: Warn;
}

/** A place for lines of a hunk, and all that may be meant. */
interface Found {
  readonly at: number;
  readonly places: readonly number[];
}

const certain = (at: number): Found => ({ at, places: [at] });

function place(file: FileLines, ref: HunkRef, search: Search): PlacedHunk {
  const full = file.named(ref.hunk.lines, ref.hunk.spacing);
  const tight = full.slice(0, full.length - ref.hunk.spacing);
  const proof = oldLines(tight);
  if (proof.length === 0) return placedAt(ref.hunk, tight, certain(insertionPoint(file, ref, search)));
  try {
    return placedAt(ref.hunk, full, matchPoint(file, ref, oldLines(full), proof, search));
  } catch (refusal) {
    const notFound = refusal instanceof Refusal && refusal.kind === "patch_apply_error";
    if (!notFound || tight.length === full.length) throw refusal;
    return placedAt(ref.hunk, tight, matchPoint(file, ref, proof, proof, search));
  }
}

function placedAt(hunk: Hunk, lines: readonly HunkLine[], found: Found): PlacedHunk {
  return { hunk, lines, old: oldLines(lines), ...found };
}

function oldLines(lines: readonly HunkLine[]): HunkLine[] {
  return lines.filter((line) => line.sign !== "+");
}

/** `proof`: the old lines without blank ones at the end that may be spacing of the patch, and prove no place. */
function matchPoint(
  file: FileLines,
  ref: HunkRef,
  old: readonly HunkLine[],
  proof: readonly HunkLine[],
  search: Search,
): Found {
  const { from, shift, locator, warn } = search;
  const { hunk } = ref;
  const header = findHeader(file, hunk.headers, from);
  const stated = statedPoint(file, hunk, old, shift);
  if (stated !== undefined && stated < from) throw contextNotFound(file, ref, old, from);
  if (stated !== undefined) {
    const everywhere = file.find(proof, 0, MAX_PLACES);
    if (locator && everywhere.length > 1 && isOutside(file, locator, stated)) {
      throw severalPlaces(file, ref, everywhere, proof.length, locator);
    }
    if (header.kind !== "found" || isUnder(header, stated, old.length)) return certain(stated);
    throw headerMismatch(file, ref, stated, header);
  }
  refuseDone(file, ref, search);
  const found = hunk.atEnd ? [] : file.find(old, from, MAX_PLACES);
  if (found.length === 0) throw contextNotFound(file, ref, old, from);
  if (header.kind === "found") return certain(matchBelow(file, ref, old, search, header));
  const one = locator ? behind(file, locator, found, old, proof) : { at: found[0]!, places: found };
  if (isLocator(hunk)) return locator ? one : { ...one, places: file.find(proof, from, MAX_PLACES) };
  if (one.places.length > 1) throw severalPlaces(file, ref, one.places, proof.length, locator);
  if (header.kind === "missing") {
    warn(`Hunk ${ref.hunkIndex + 1} of ${ref.path}: no line reads ${JSON.stringify(header.text)}, only its lines do.`);
  }
  return one;
}

/** Behind a locator: lines that the whole file has once, or once in what the locator opens. */
function behind(
  file: FileLines,
  locator: Locator,
  found: readonly number[],
  old: readonly HunkLine[],
  proof: readonly HunkLine[],
): Found {
  const everywhere = file.find(proof, 0, MAX_PLACES);
  if (everywhere.length === 1) return certain(found[0]!);
  const inside = onlyInside(file, locator, found, old.length);
  return inside === undefined ? { at: found[0]!, places: everywhere } : certain(inside);
}

/** The place that the hunk states by a line number or by the end of the file, if its lines stand there. */
function statedPoint(file: FileLines, hunk: Hunk, old: readonly HunkLine[], shift: number) {
  if (!hunk.atEnd && hunk.oldLine === undefined) return undefined;
  const at = hunk.atEnd ? file.lines.length - old.length : hunk.oldLine! - 1 + shift;
  return file.matchesAt(old, at) ? at : undefined;
}

/** The one place inside the header's block; failing that, the one place that begins in what the header opens. */
function matchBelow(
  file: FileLines,
  ref: HunkRef,
  old: readonly HunkLine[],
  search: Search,
  header: FoundHeader,
): number {
  const { from } = search;
  const below = file.find(old, Math.max(from, header.line - old.length + 1), MAX_PLACES);
  const under = below.filter((at) => isUnder(header, at, old.length));
  if (under.length === 0) {
    refuseDone(file, ref, search, header);
    throw headerMismatch(file, ref, below[0] ?? file.find(old, from, 1)[0]!, header);
  }
  const inside = below.filter((at) => at <= header.line || at + old.length <= header.blockEnd);
  if (inside.length === 1) return inside[0]!;
  if (under.length > 1) throw severalPlaces(file, ref, below, old.length);
  return under[0]!;
}

/** The place has the header's line in it, or begins below it and not behind what the header opens. */
function isUnder(header: FoundHeader, at: number, count: number): boolean {
  return at + count > header.line && (at <= header.line || at < (header.reach ?? Number.POSITIVE_INFINITY));
}

/** A hunk without context or removed lines goes only where it names a place that cannot be mistaken. */
function insertionPoint(file: FileLines, ref: HunkRef, { from, locator, warn }: Search): number {
  const { hunk } = ref;
  const end = file.lines.length;
  if (hunk.atEnd) return end;
  if (hunk.headers.length > 0) {
    const header = findHeader(file, hunk.headers, from);
    if (header.kind === "found" && header.wholeLine && header.line + 1 >= from) return header.line + 1;
    if (header.kind === "ambiguous") throw severalPlaces(file, ref, header.lines, 1);
    const text = JSON.stringify(hunk.headers.at(-1));
    throw insertWithoutContext(ref, `no single line below the hunk before it reads ${text}`);
  }
  if (hunk.oldLine === undefined) {
    if (locator) throw insertWithoutContext(ref, "right behind the hunk before it, or at the end of the file");
    const said = `Hunk ${ref.hunkIndex + 1} of ${ref.path} has no context; its lines were added at the end of the file.`;
    if (end > 0) warn(said);
    return end;
  }
  // A line number alone proves nothing about the text there, but the end of the file is the end of the file.
  if (end === 0 || hunk.oldLine === end) return end;
  throw insertWithoutContext(ref, `line ${hunk.oldLine} is not the last, and a number alone does not prove a place`);
}
