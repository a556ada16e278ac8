// A patch in two jobs: first which files it names, then, with their texts, what becomes of them. Between the two only a
// few words per file travel between threads, not the lines of the patch.

import { type Patch, type PatchOptions, parsePatch, planFiles, type Section } from "../../edit/patch/index.ts";

/** A section without its lines. */
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

/** The last one is kept for the second job, and for a patch that is applied file by file. */
let last: { readonly text: string; readonly maxFiles: number | undefined; readonly patch: Patch } | undefined;

function parsed(text: string, options: PatchOptions): Patch {
  const { maxFiles } = options;
  if (last?.text !== text || last.maxFiles !== maxFiles) last = { text, maxFiles, patch: parsePatch(text, options) };
  return last.patch;
}
