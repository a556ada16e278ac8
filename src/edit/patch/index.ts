// Patches: turns patch text into one plan per file, and refuses all if one section does not fit.
import { strictOptions, validate } from "../../api/options.ts";
import type { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { spliceHunks, spliceLines } from "./apply.ts";
import { isEnvelope, parseEnvelope } from "./envelope.ts";
import { FileLines } from "./file-lines.ts";
import { isLocator, locateHunks } from "./locate.ts";
import { type HunkLine, type Patch, refuseMany, type Section, unwrap } from "./sections.ts";
import { parseStandard } from "./standard.ts";

export type { Patch, Section } from "./sections.ts";

interface PlanBase {
  readonly path: string;
  /** Choices that a caller may want to see. */
  readonly warnings: readonly string[];
  /** Permission bits that the patch asks for. */
  readonly mode?: number | undefined;
}

/**
 * The change of one file. `splices` are offsets into the text as read, even if an earlier section changed the file;
 * `newText` is the result.
 */
export type FilePlan =
  | (PlanBase & { readonly op: "add"; readonly newText: string })
  | (PlanBase & { readonly op: "update"; readonly splices: readonly Splice[]; readonly newText: string })
  | (PlanBase & {
      readonly op: "move";
      readonly toPath: string;
      readonly splices: readonly Splice[];
      readonly newText: string;
    })
  | (PlanBase & { readonly op: "delete" });

export interface PatchOptions {
  /** Maximum number of files; 1000 by default. */
  readonly maxFiles?: number;
}

const OPTIONS = strictOptions<PatchOptions>({ maxFiles: true });
const MAX_FILES = 1000;

/** Reads a `*** Begin Patch` envelope or a standard unified diff. */
export function parsePatch(text: string, options: PatchOptions = {}): Patch {
  validate(options, OPTIONS);
  const maxFiles = options.maxFiles ?? MAX_FILES;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const patch = unwrap(lines);
  const sections: Section[] = [];
  let hunks = 0;
  const envelope = patch.at < patch.end && isEnvelope(patch.lines[patch.at]!);
  for (const section of envelope ? parseEnvelope(patch) : parseStandard(patch)) {
    sections.push(section);
    hunks += "hunks" in section ? section.hunks.length : 0;
    if (sections.length > maxFiles) throw refuse("patch_of_many_files", { max: maxFiles });
    refuseMany(hunks);
  }
  return { format: envelope ? "envelope" : "unified", sections };
}

/** A file after the sections so far. */
export interface PatchedFile {
  /** The file as read, before any move; undefined for a file that the patch adds. */
  readonly from: { readonly path: string; readonly text: string } | undefined;
  /** Offsets into the text as read. */
  readonly splices: readonly Splice[];
  readonly text: string;
  readonly mode: number | undefined;
}

/**
 * Makes one plan per section, in order, or refuses the whole patch. `read` returns the text of a file, null when there is
 * none. Each section applies to the files as the earlier ones leave them.
 */
export function planPatch(patch: Patch, read: (path: string) => string | null): FilePlan[] {
  return planFiles(patch, read).plans;
}

/** Makes the plans of `planPatch`, and each file after them: null where none is left. */
export function planFiles(patch: Patch, read: (path: string) => string | null) {
  const files = new Map<string, PatchedFile | null>();
  const know = (path: string): PatchedFile | null => {
    const name = plain(path);
    if (!files.has(name)) {
      const text = read(path);
      files.set(name, text === null ? null : { from: { path: name, text }, splices: [], text, mode: undefined });
    }
    return files.get(name)!;
  };
  const plans = patch.sections.map((section, at) => {
    if (section.op !== "add" && know(section.path) === null) throw notThere(section, patch.sections.slice(0, at));
    const plan = planSection(section, know);
    const before = know(plan.path);
    files.set(plain(plan.path), null);
    if (plan.op === "delete") return plan;
    const { newText: text, mode = before?.mode } = plan;
    const splices = plan.op === "add" ? [] : plan.splices;
    files.set(plain(plan.op === "move" ? plan.toPath : plan.path), { from: before?.from, splices, text, mode });
    return plan;
  });
  return { plans, files };
}

function planSection(section: Section, know: (path: string) => PatchedFile | null): FilePlan {
  const { path, op, mode } = section;
  const known = know(path);
  if (op === "add") {
    if (known !== null) throw refuse("patched_file_exists", { path, moves: false });
    return { op, path, newText: section.text, warnings: [], mode };
  }
  const { text, from } = known!;
  const file = new FileLines(text, oldLines(section));
  if (op === "delete") {
    refuseOtherContent(section, file);
    return { op, path, warnings: [] };
  }
  if (op === "move" && plain(path) === plain(section.toPath)) {
    throw refuse("patch_moves_onto_itself", { path, line: section.patchLine });
  }
  if (op === "move" && know(section.toPath) !== null) {
    throw refuse("patched_file_exists", { path: section.toPath, moves: true });
  }
  const warnings: string[] = [];
  const placed = locateHunks(file, path, section.hunks, (warning) => warnings.push(warning));
  const changes = spliceHunks(file, placed);
  if (section.hunks.length > 0 && section.hunks.every(isLocator)) {
    warnings.push("its hunks have context lines only, which say where to look; nothing in it changes.");
  }
  const newText = applySplices(text, changes);
  const base = from?.text ?? text;
  const splices = text === base ? changes : spliceLines(base, newText);
  const change = { path, splices, newText, warnings, mode };
  return op === "move" ? { op, toPath: section.toPath, ...change } : { op, ...change };
}

function oldLines(section: Section): readonly HunkLine[] {
  if (section.op === "add") return [];
  if (section.op === "delete") return section.content ?? [];
  return section.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.sign !== "+"));
}

/** Refuses to delete content other than the diff states: its author has not seen it. */
function refuseOtherContent(section: Section & { readonly op: "delete" }, file: FileLines): void {
  const { path, patchLine } = section;
  const content = section.content && file.named(section.content);
  if (!content || (content.length === file.lines.length && file.matchesAt(content, 0))) return;
  const differs = file.lines.findIndex((line, i) => line.text !== content[i]?.text);
  const line = (differs === -1 ? file.lines.length : differs) + 1;
  throw refuse("patch_deletes_other_content", { path, patchLine, line });
}

/** Normalises ".", ".." and doubled slashes in a path. */
function plain(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === ".." && names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return (path.startsWith("/") ? "/" : "") + names.join("/");
}

/** Makes the refusal of a missing file, which a section `before` may have moved or deleted. */
function notThere({ op, path, patchLine }: Section, before: readonly Section[]): Refusal {
  const gone = before.findLast((each) => each.op !== "add" && each.op !== "update" && plain(each.path) === plain(path));
  if (gone === undefined) return refuse("patched_file_missing", { path, updates: op === "update" });
  const toPath = gone.op === "move" ? gone.toPath : undefined;
  return refuse("patched_file_gone", { path, line: patchLine, goneLine: gone.patchLine, toPath });
}
