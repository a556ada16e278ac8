// The jobs that a worker may do: pure functions over texts that take and return plain data.

import { isRecord } from "../core/is-record.ts";
import { anchorIndex, editByAnchors } from "../edit/anchors/index.ts";
import { refuseManyLines } from "../edit/anchors/lines.ts";
import { type AnchorView, anchoredDiff, freshAnchors, type ReadWindow, renderAnchors } from "../edit/anchors/render.ts";
import { merge3 } from "../edit/diff/merge.ts";
import { changedPart, spliceDiff, unifiedDiff } from "../edit/diff/unified.ts";
import { ladder } from "../edit/ladder/index.ts";
import { type Patch, type PatchOptions, parsePatch, planFiles, type Section } from "../edit/patch/index.ts";
import { type ExactEdit, type ReplaceResult, replaceEdits, replaceFirst } from "../edit/replace/replace.ts";
import { occurrences } from "../edit/text/occurrences.ts";
import { type Splice, sortSplices } from "../edit/text/splice.ts";

const MAX_RANGES = 100;

export const JOBS = {
  anchoredDiff,
  editByAnchors,
  freshAnchors,
  ladder,
  merge3,
  outlinePatch,
  planOutlined,
  readAnchors: (text: string, window: ReadWindow): AnchorView => {
    refuseManyLines(text);
    return renderAnchors(anchorIndex(text), window);
  },
  /** With the first places of each edit only: no answer names more. */
  replaceEdits: (text: string, edits: readonly ExactEdit[]): ReplaceResult => {
    const { splices, applied } = replaceEdits(text, edits);
    return {
      splices,
      applied: applied.map(({ ranges, ...each }) => ({ ...each, ranges: ranges.slice(0, MAX_RANGES) })),
    };
  },
  replaceFirst,
  spliceDiff,
  unifiedDiff,
} as const;

export type Jobs = typeof JOBS;

/**
 * What of it is to be weighed: of two versions of one text, the second is work only where it differs from the first. A
 * diff that is made from splices looks only at what lies between the first and the last of them.
 */
export function worked(job: keyof Jobs, given: readonly unknown[]): readonly unknown[] {
  if (job === "spliceDiff") {
    const [text, splices, ...rest] = given as Parameters<Jobs["spliceDiff"]>;
    return [spliced(text, splices), splices, ...rest];
  }
  if (job !== "anchoredDiff" && job !== "unifiedDiff") return given;
  const [before, after, ...rest] = given as [string, string | readonly Splice[]];
  if (typeof after !== "string") return [before, spliced(before, after), after, ...rest];
  if (before.length + after.length > MAX_COMPARED) return given;
  const changed = changedPart(before, after, 0, 0);
  return [before, changed.before, changed.after, ...rest];
}

/** Characters: more are not looked at only to know how many are equal. */
const MAX_COMPARED = 2 * 1024 * 1024;

function spliced(text: string, splices: readonly Splice[]): string {
  const sorted = sortSplices(splices);
  return text.slice(sorted[0]?.start ?? 0, sorted.at(-1)?.end ?? 0);
}

/**
 * Whether a job is soon done although its text is long: it takes some steps for every line, or finds what is there to the
 * letter, once. Sending the text to another process and back would take several times as long.
 */
export function isLight(job: keyof Jobs, given: readonly unknown[]): boolean {
  const [text, ...rest] = worked(job, given);
  if (typeof text !== "string" || text.length > MAX_LIGHT.characters) return false;
  if (job === "replaceEdits") {
    const edits = rest[0] as readonly ExactEdit[];
    return edits.length <= MAX_LIGHT.edits && edits.every(({ oldText }) => isThereOnce(text, oldText));
  }
  if (job === "ladder") return isThereOnce(text, rest[0] as string);
  return BY_LINES.has(job) && linesIn(text) <= MAX_LIGHT.lines;
}

/** Some ten milliseconds of work at most. */
const MAX_LIGHT = { characters: 1024 * 1024, lines: 20_000, edits: 16 };
const BY_LINES: ReadonlySet<keyof Jobs> = new Set(["anchoredDiff", "editByAnchors", "readAnchors"]);

function isThereOnce(text: string, oldText: string): boolean {
  return occurrences(text, oldText, 2).length === 1;
}

/**
 * Whether a job may take long although its texts are short: the ladder compares lines of one with lines of the other. What
 * is there to the letter, once, it finds at a glance.
 */
export function isSteep(job: keyof Jobs, given: readonly unknown[]): boolean {
  if (job !== "ladder") return false;
  const [text, oldText, newText] = given as Parameters<Jobs["ladder"]>;
  if (linesIn(text) * (linesIn(oldText) + linesIn(newText)) <= MAX_PAIRS) return false;
  return /^\s/.test(oldText) || !isThereOnce(text, oldText);
}

/** A tenth of a second at worst. A page of old text in a file of two thousand lines has fewer. */
const MAX_PAIRS = 250_000;

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** A section of a patch without its lines: only a few words per file travel between the two jobs of a patch. */
export interface Outline {
  readonly op: Section["op"];
  readonly path: string;
  readonly toPath?: string;
  readonly hunks: number;
  /** The file need not be text: the patch takes it as it is. */
  readonly keepsBytes: boolean;
}

export function outlinePatch(text: string, options: PatchOptions): readonly Outline[] {
  return parsed(text, options).sections.map((section) => {
    const { op, path } = section;
    const hunks = "hunks" in section ? section.hunks.length : 0;
    const keepsBytes = op === "delete" ? section.content === undefined : op === "move" && hunks === 0;
    return { op, path, hunks, keepsBytes, ...(op === "move" && { toPath: section.toPath }) };
  });
}

/** Sections of the patch by their number, with the paths that they are now known by. */
export type Chosen = Pick<Outline, "path" | "toPath"> & { readonly number: number };

export function planOutlined(
  text: string,
  options: PatchOptions,
  chosen: readonly Chosen[],
  texts: ReadonlyMap<string, string | null>,
): { warnings: string[]; files: ReturnType<typeof planFiles>["files"] } {
  const { format, sections } = parsed(text, options);
  const wanted = chosen.map(({ number, ...paths }) => ({ ...sections[number]!, ...paths }) as Section);
  const { plans, files } = planFiles({ format, sections: wanted }, (path) => texts.get(path) ?? null);
  return { warnings: plans.flatMap(({ path, warnings }) => warnings.map((each) => `${path}: ${each}`)), files };
}

/** Cached for the second job, and for a patch that is applied file by file. */
let last: { readonly text: string; readonly maxFiles: number | undefined; readonly patch: Patch } | undefined;

function parsed(text: string, options: PatchOptions): Patch {
  const { maxFiles } = options;
  if (last?.text !== text || last.maxFiles !== maxFiles) last = { text, maxFiles, patch: parsePatch(text, options) };
  return last.patch;
}

/** Long lists travel as JSON: a hundred thousand objects take a second to copy, as text a few milliseconds. */
export function pack(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > MAX_COPIED ? { json: JSON.stringify(value) } : value;
  return hasSplices(value) ? { ...value, splices: pack(value.splices) } : value;
}

export function unpack(value: unknown): unknown {
  if (isRecord(value) && typeof value.json === "string") return JSON.parse(value.json);
  return hasSplices(value) ? { ...value, splices: unpack(value.splices) } : value;
}

const MAX_COPIED = 1000;

function hasSplices(value: unknown): value is { readonly splices: unknown } {
  return isRecord(value) && !(value instanceof Map) && "splices" in value;
}
