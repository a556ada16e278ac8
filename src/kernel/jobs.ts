// Jobs of a worker: pure functions over texts that take and return plain data.
import { anchorIndex, editByAnchors, repeatedIn } from "../edit/anchors/index.ts";
import { refuseManyLines } from "../edit/anchors/lines.ts";
import { type AnchorView, anchoredDiff, freshAnchors, type ReadWindow, renderAnchors } from "../edit/anchors/render.ts";
import { merge3 } from "../edit/diff/merge.ts";
import { unifiedDiff } from "../edit/diff/unified.ts";
import { editInTurn } from "../edit/ladder/in-turn.ts";
import { ladder } from "../edit/ladder/index.ts";
import { type Patch, type PatchOptions, parsePatch, planFiles, type Section } from "../edit/patch/index.ts";
import { type ExactEdit, type ReplaceResult, replaceEdits, replaceFirst } from "../edit/replace/replace.ts";
import { occurrences } from "../edit/text/occurrences.ts";

const MAX_RANGES = 100;

export const JOBS = {
  anchoredDiff,
  editByAnchors,
  editInTurn,
  freshAnchors,
  ladder,
  merge3,
  outlinePatch,
  planOutlined,
  repeatedIn,
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

  unifiedDiff,
} as const;

export type Jobs = typeof JOBS;

/** Whether a job may take long although its texts are short: the ladder compares lines of one with lines of the other. */
export function isSteep(job: keyof Jobs, [text, oldText, newText]: readonly unknown[]): boolean {
  if (job === "editInTurn") {
    const edits = oldText as Parameters<typeof editInTurn>[1];
    if (edits.length * (text as string).length > MAX_IN_TURN) return true;
    return edits.some((each) => isSteep("ladder", [text, each.oldText, each.newText]));
  }
  if (job !== "ladder") return false;
  const pairs = linesIn(text as string) * (linesIn(oldText as string) + linesIn(newText as string));
  return pairs > MAX_PAIRS && !isThereOnce(text as string, oldText as string);
}

/** A tenth of a second at worst. A page of old text in a file of two thousand lines has fewer. */
const MAX_PAIRS = 250_000;

/** Characters, once for each edit: what a page of edits to an ordinary file comes to. */
const MAX_IN_TURN = 250_000;

function isThereOnce(text: string, oldText: string): boolean {
  return occurrences(text, oldText, 2).length === 1;
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** A section of a patch without its lines, to send little between the two jobs of a patch. */
export interface Outline {
  readonly op: Section["op"];
  readonly path: string;
  readonly toPath?: string;
  readonly hunks: number;
  /** The patch does not read the file, which need not be text. */
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

/** A section by its number, with the resolved paths. */
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
