// Finds the one place where each hunk belongs, or refuses.
import { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import type { HunkFacts } from "../../words/patch.ts";
import { nearestPlaces } from "../replace/suggest.ts";
import { endOfOpened, type FileLines, type FoundHeader, findHeaders, findHeadings, MAX_PLACES } from "./file-lines.ts";
import type { Hunk, HunkLine } from "./sections.ts";

/** A hunk and the index of the line that its first context or removed line matches. */
export interface PlacedHunk {
  readonly hunk: Hunk;
  readonly lines: readonly HunkLine[];
  readonly old: readonly HunkLine[];
  readonly at: number;
  /** All possible places: more than one only for a hunk that changes nothing. */
  readonly places: readonly number[];
}

type Warn = (warning: string) => void;

/** Places hunks in order, each after the one before. `warn` gets every choice that a caller may want to see. */
export function locateHunks(file: FileLines, path: string, hunks: readonly Hunk[], warn: Warn): PlacedHunk[] {
  const placed: PlacedHunk[] = [];
  let byNumber: (() => Refusal) | undefined;
  let from = 0;
  let shift = 0;
  for (const [hunkIndex, hunk] of hunks.entries()) {
    const about = { path, hunkIndex, patchLine: hunk.patchLine };
    const locator = placed.slice(-1).find((before) => isLocator(before.hunk));
    const search = { file, about, hunk, from, shift, locator, warn };
    const one = place(search);
    refuseApplied(search, one);
    if (hunk.oldLine !== undefined && one.old.length > 0) {
      const moved = one.at - (hunk.oldLine - 1);
      const where = `line ${one.at + 1}, not at line ${hunk.oldLine + shift}`;
      const alike = moved === shift ? file.find(one.old, 0, MAX_PLACES) : [];
      // Line numbers are of another version of the file, so they cannot choose among several places.
      if (moved !== shift && byNumber) throw byNumber();
      if (moved !== shift) warn(`Hunk ${hunkIndex + 1} of ${path}: its lines were found at ${where}.`);
      byNumber = alike.length > 1 ? (byNumber ?? (() => severalPlaces(search, alike, one.old.length))) : undefined;
      shift = moved;
    }
    from = one.at + one.old.length;
    placed.push(one);
  }
  return placed;
}

interface Search {
  readonly file: FileLines;
  readonly about: HunkFacts;
  readonly hunk: Hunk;
  /** The first line behind the hunk before. */
  readonly from: number;
  /** How far the line numbers of the hunks before were off. */
  readonly shift: number;
  /** The hunk before, if it only says where to look. */
  readonly locator: Locator | undefined;
  readonly warn: Warn;
}

/** Refuses an applied hunk whose old lines are found again in its own result. */
function refuseApplied(search: Search, { lines, old, at }: PlacedHunk): void {
  const { file, hunk, shift } = search;
  const fresh = lines.filter((line) => line.sign !== "-");
  // At its stated line the hunk is new: equal lines above are not its result.
  const isExact = old.length > 0 && at + 1 === (hunk.oldLine ?? Number.NaN) + shift;
  const longer = fresh.length - old.length;
  const [done] = longer > 0 ? file.find(fresh, isExact ? at : at - longer, 1) : [];
  if (done !== undefined && done <= at) throw alreadyApplied(search, done);
  if (longer > 0 || isExact || !lines.some((line) => line.sign === "+")) return;
  // With repeated lines, the result may begin among the old lines and continue behind them.
  const [behind] = file.find(fresh, Math.max(at, at - longer) + 1, 1);
  if (behind !== undefined && behind < at + old.length) throw alreadyApplied(search, behind);
}

/** Refuses a hunk whose result is at its stated place: another place with its old lines is not the intended one. */
function refuseDone(search: Search, headers: readonly FoundHeader[]): void {
  const { file, hunk, from, shift } = search;
  const fresh = file.named(hunk.lines, hunk.spacing).filter((line) => line.sign !== "-");
  // For a pure deletion, only the line number tells which of several equal lines is meant.
  if (fresh.length === 0 && hunk.oldLine !== undefined) throw alreadyApplied(search, hunk.oldLine - 1 + shift);
  if (fresh.length === 0) return;
  const at = statedPoint(search, fresh) ?? placesUnder(file, fresh, headers, from)[0];
  if (at !== undefined) throw alreadyApplied(search, at);
}

/** The place of a hunk's lines, and all possible ones. */
type Found = Pick<PlacedHunk, "at" | "places">;

const certain = (at: number): Found => ({ at, places: [at] });

function place(search: Search): PlacedHunk {
  const { file, hunk } = search;
  const full = file.named(hunk.lines, hunk.spacing);
  const tight = full.slice(0, full.length - hunk.spacing);
  const proof = oldLines(tight);
  const placed = (lines: readonly HunkLine[], found: Found) => ({ hunk, lines, old: oldLines(lines), ...found });
  if (proof.length === 0) return placed(tight, certain(insertionPoint(search)));
  try {
    return placed(full, matchPoint(search, oldLines(full), proof));
  } catch (refusal) {
    const notFound = refusal instanceof Refusal && refusal.kind === "patch_apply_error";
    if (!notFound || tight.length === full.length) throw refusal;
    return placed(tight, matchPoint(search, proof, proof));
  }
}

function oldLines(lines: readonly HunkLine[]): HunkLine[] {
  return lines.filter((line) => line.sign !== "+");
}

/** `proof`: the old lines without blank ones at the end, which may be spacing in the patch. */
function matchPoint(search: Search, old: readonly HunkLine[], proof: readonly HunkLine[]): Found {
  const { file, about, hunk, from, locator } = search;
  const { found: headers, missing } = findHeaders(file, hunk.headers);
  const stated = statedPoint(search, old);
  const end = locator && endOfLocated(file, locator);
  const everywhere = file.find(proof, 0, MAX_PLACES);
  // The lines may belong to another block, if the header's block is gone.
  if (missing !== undefined && everywhere.length > 0)
    throw refuse("hunk_misfit", { ...about, problem: "no_header", text: missing });
  if (stated !== undefined && stated < from) throw contextNotFound(search, old);
  if (stated !== undefined) {
    if (end !== undefined && everywhere.length > 1 && stated >= end)
      throw severalPlaces(search, everywhere, proof.length, locator);
    if (headers.length > 0 && !headers.some((header) => isUnder(header, stated, old.length)))
      throw outsideHeader(search, stated, headers);
    const named = everywhere.length > 1 ? underHeading(search, old, stated) : stated;
    if (named === undefined) throw severalPlaces(search, everywhere, proof.length);
    return certain(named);
  }
  refuseDone(search, []);
  const found = hunk.atEnd ? [] : file.find(old, from, MAX_PLACES);
  if (found.length === 0) throw contextNotFound(search, old);
  if (headers.length > 0) return certain(matchBelow(search, old, headers));
  // Behind a locator the lines must be unique in the file, or in the block that the locator opens.
  const within = end === undefined ? [] : found.filter((at) => at < end);
  const inside = everywhere.length === 1 ? found[0] : within.length === 1 ? within[0] : undefined;
  const one =
    !locator || inside === undefined ? { at: found[0]!, places: locator ? everywhere : found } : certain(inside);
  if (isLocator(hunk)) return locator ? one : { ...one, places: file.find(proof, from, MAX_PLACES) };
  const named = one.places.length > 1 ? underHeading(search, old) : undefined;
  if (named !== undefined) return certain(named);
  if (one.places.length > 1) throw severalPlaces(search, one.places, proof.length, locator);
  return one;
}

/** Chooses the place below the hunk's heading: the stated one, unless another heading like it is in between. */
function underHeading(search: Search, old: readonly HunkLine[], stated?: number): number | undefined {
  const { file, about, hunk, from, warn } = search;
  const headings = findHeadings(file, hunk.heading);
  const unread = `Hunk ${about.hunkIndex + 1} of ${about.path}: placed by its number; no line reads "${hunk.heading}".`;
  if (stated !== undefined && headings.length === 0 && hunk.heading !== "") warn(unread);
  if (headings.length === 0) return stated;
  if (stated !== undefined && headings.some((heading) => isUnder(heading, stated, old.length))) return stated;
  const [named, ...more] = placesUnder(file, old, headings, from);
  if (stated === undefined || headings.every(({ line }) => line >= stated || hasLike(file, line, stated)))
    return more.length === 0 ? named : undefined;
  return named === undefined ? stated : undefined;
}

/** True when a line between heading and place begins like the heading: git would have named that line. */
function hasLike({ lines }: FileLines, heading: number, at: number): boolean {
  const begin = `${lines[heading]!.text.match(/^\s*\S+/)?.[0]} `;
  return lines.slice(heading + 1, at).some(({ text }) => text.startsWith(begin));
}

/** Returns the place that the hunk states by line number or as the end of the file, if its lines are there. */
function statedPoint({ file, hunk, shift }: Search, old: readonly HunkLine[]): number | undefined {
  if (!hunk.atEnd && hunk.oldLine === undefined) return undefined;
  const at = hunk.atEnd ? file.lines.length - old.length : hunk.oldLine! - 1 + shift;
  return file.matchesAt(old, at) ? at : undefined;
}

/** Finds the only place in the blocks that the lines of the header open. */
function matchBelow(search: Search, old: readonly HunkLine[], headers: readonly FoundHeader[]): number {
  const { file, from } = search;
  const under = placesUnder(file, old, headers, from);
  if (under.length > 1) throw severalPlaces(search, under, old.length);
  if (under[0] !== undefined) return under[0];
  refuseDone(search, headers);
  const [below] = file.find(old, Math.max(from, headers[0]!.line), 1);
  throw outsideHeader(search, below ?? file.find(old, from, 1)[0]!, headers);
}

/** Finds up to `MAX_PLACES` under each of these lines. */
function placesUnder(file: FileLines, old: readonly HunkLine[], headers: readonly FoundHeader[], from: number) {
  const under = headers.flatMap((header) => {
    const below = file.find(old, Math.max(from, header.line - old.length + 1), MAX_PLACES);
    return below.filter((at) => isUnder(header, at, old.length));
  });
  return [...new Set(under)].sort((a, b) => a - b);
}

/** True when the place contains the header's line, or begins in the block that the header opens. */
function isUnder(header: FoundHeader, at: number, count: number): boolean {
  return at + count > header.line && (at <= header.line || at < header.reach);
}

/** Places a hunk of added lines only: it must name an unmistakable place. */
function insertionPoint(search: Search): number {
  const { file, about, hunk, from, locator, warn } = search;
  const end = file.lines.length;
  if (hunk.atEnd) return end;
  if (hunk.headers.length > 0) {
    const headers = findHeaders(file, hunk.headers).found.filter(({ line }) => line + 1 >= from);
    const lines = headers.map(({ line }) => line);
    if (lines.length > 1) throw severalPlaces(search, lines.slice(0, MAX_PLACES), 1);
    if (headers[0]?.wholeLine) return lines[0]! + 1;
    throw refuse("hunk_misfit", { ...about, problem: "nowhere_by_header", by: hunk.headers.at(-1) });
  }
  if (hunk.oldLine === undefined) {
    if (locator) throw refuse("hunk_misfit", { ...about, problem: "nowhere_by_locator" });
    const said = `Hunk ${about.hunkIndex + 1} of ${about.path} has no context; its lines were added at the end of the file.`;
    if (end > 0) warn(said);
    return end;
  }
  // A line number alone proves nothing about the text there, except at the end of the file.
  if (end === 0 || hunk.oldLine === end) return end;
  throw refuse("hunk_misfit", { ...about, problem: "nowhere_by_number", by: hunk.oldLine });
}

/** True for a hunk of context only. It changes nothing: the next hunk is searched behind it. */
export function isLocator({ lines }: Hunk): boolean {
  return lines.every((line) => line.sign === " ");
}

/** A hunk of context only, for the hunk behind it. */
export interface Locator {
  /** Its place, or all possible ones. */
  readonly places: readonly number[];
  readonly old: readonly HunkLine[];
}

/** Returns the end of the block that the locator opens; undefined if it has several places or opens none. */
function endOfLocated(file: FileLines, { places, old }: Locator): number | undefined {
  return places.length === 1 ? endOfOpened(file, places[0]!, old) : undefined;
}

/** Makes the refusal of a hunk whose lines are not where they must be. */
function contextNotFound(search: Search, old: readonly HunkLine[]): Refusal {
  const { file, about, hunk, from } = search;
  const [there] = file.find(old, 0, 1);
  const fresh = hunk.lines.filter((line) => line.sign !== "-");
  const [applied] = fresh.some((line) => line.sign === "+") ? file.find(fresh, from, 1) : [];
  if (applied !== undefined && there === undefined) return alreadyApplied(search, applied);
  if (file.lines.length === 0) return refuse("hunk_misfit", { ...about, problem: "empty_file" });
  if (there !== undefined) {
    const problem = there < from ? "out_of_order" : "not_at_end";
    return refuse("hunk_misfit", { ...about, problem, foundAtLine: there + 1 });
  }
  const [text, wanted] = [file.lines, old].map((lines) => lines.map((line) => `${line.text}\n`).join(""));
  const candidates = nearestPlaces(text!, wanted!, 1);
  return refuse("hunk_misfit", { ...about, problem: "missing", text: old[0]!.text, candidates });
}

/** `at`: the place of the hunk's result. */
function alreadyApplied({ about, hunk }: Search, at: number): Refusal {
  const problem = hunk.lines.some((line) => line.sign === "+") ? "added" : "deleted";
  return refuse("hunk_misfit", { ...about, problem, alreadyAppliedAtLine: at + 1 });
}

function severalPlaces({ file, about }: Search, at: readonly number[], count: number, locator?: Locator): Refusal {
  const locatorLines = locator?.places.map((place) => place + 1);
  const ranges = at.map((place) => file.range(place, count));
  return refuse("hunk_in_several_places", { ...about, ranges, more: at.length >= MAX_PLACES, locatorLines });
}

function outsideHeader({ file, about }: Search, at: number, headers: readonly FoundHeader[]): Refusal {
  const { line, reach } = headers.findLast((header) => header.line <= at) ?? headers[0]!;
  const lines = { headerLine: line + 1, matchLine: at + 1, lastLine: at < line ? undefined : reach };
  return refuse("hunk_misfit", { ...about, problem: "outside_header", text: file.lines[line]!.text, ...lines });
}
