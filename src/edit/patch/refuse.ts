// Refusals of patches that do not fit: what differs, where, and what to do.
import { Refusal } from "../../core/failure.ts";
import { describe, nearestPlaces } from "../replace/suggest.ts";
import { type FileLines, type FoundHeader, MAX_PLACES } from "./file-lines.ts";
import type { Locator } from "./locate.ts";
import type { HunkLine, HunkRef, Section } from "./sections.ts";

export function contextNotFound(file: FileLines, ref: HunkRef, old: readonly HunkLine[], from: number): Refusal {
  const fresh = ref.hunk.lines.filter((line) => line.sign !== "-");
  const [applied] = fresh.some((line) => line.sign === "+") ? file.find(fresh, from, 1) : [];
  const isThere = file.find(old, 0, 1).length > 0;
  return applied !== undefined && !isThere ? alreadyApplied(ref, applied) : doesNotFit(ref, explain(file, old, from));
}

/** `at`: where the result of the hunk stands. */
export function alreadyApplied(ref: HunkRef, at: number): Refusal {
  const adds = ref.hunk.lines.some((line) => line.sign === "+");
  const again = " To add its lines once more, give those that are there as context lines.";
  return doesNotFit(ref, {
    why: adds
      ? `the file already has its new lines at line ${at + 1}.`
      : `the lines that it deletes are already gone at line ${at + 1}.`,
    next: `Nothing is left to do for it: read ${ref.path} again and write other hunks for what is there now.${adds ? again : ""}`,
    details: { reason: "already_applied", alreadyAppliedAtLine: at + 1 },
  });
}

function doesNotFit(ref: HunkRef, { why, details, next }: Explanation): Refusal {
  const exact = `Read ${ref.path} again and write the hunk with the file's exact lines.`;
  return misfit(ref, `does not fit the file: ${why}`, next ?? exact, { reason: "context_not_found", ...details });
}

export function severalPlaces(
  file: FileLines,
  ref: HunkRef,
  found: readonly number[],
  count: number,
  locator?: Locator,
): Refusal {
  const matchRanges = found.map((at) => file.range(at, count));
  const more = found.length >= MAX_PLACES;
  const lines = matchRanges.map((range) => range.startLine).join(", ") + (more ? " and maybe more" : "");
  const matches = { matchCount: found.length, ...(more && { more }), matchRanges };
  const before = locator?.places.map((at) => at + 1);
  const hint = before
    ? ` The hunk before it, at ${before.length === 1 ? "line" : "lines"} ${before.join(", ")}, does not single one out.`
    : "";
  return new Refusal("multiple_matches", `${name(ref)} fits at several places, starting at lines ${lines}.${hint}`, {
    path: ref.path,
    next: "Add context lines to the hunk until they occur only once.",
    details: { ...base(ref), ...matches, ...(before && { locatorLines: before }) },
  });
}

export function headerMismatch(file: FileLines, ref: HunkRef, at: number, header: FoundHeader): Refusal {
  const text = quote(file.lines[header.line]!.text);
  const { reach = at } = header;
  const where = at < header.line ? "before it" : `behind what it opens, which ends at line ${reach}`;
  const why = `names ${text} (line ${header.line + 1}), but its lines stand only ${where}: at line ${at + 1}.`;
  const next = `Read ${ref.path} again and correct the "@@" header or the lines of the hunk.`;
  return misfit(ref, why, next, { reason: "header_mismatch", headerLine: header.line + 1, matchLine: at + 1 });
}

export function headerNotFound(ref: HunkRef, header: string): Refusal {
  const next = `Read ${ref.path} again and correct the "@@" header, or leave it out.`;
  return misfit(ref, `names ${quote(header)}, and no line there reads so.`, next, { reason: "header_mismatch" });
}

export function insertWithoutContext(ref: HunkRef, why: string): Refusal {
  const next = "Add the lines around the place as context lines to the hunk.";
  return misfit(ref, `only adds lines and does not say where: ${why}.`, next, { reason: "insert_without_context" });
}

function misfit(ref: HunkRef, why: string, next: string, details: Record<string, unknown>): Refusal {
  const more = { path: ref.path, next, details: { ...base(ref), ...details } };
  return new Refusal("patch_apply_error", `${name(ref)} ${why}`, more);
}

function name(ref: HunkRef): string {
  return `Hunk ${ref.hunkIndex + 1} of ${ref.path} (line ${ref.hunk.patchLine} of the patch)`;
}

function base(ref: HunkRef) {
  return { hunkIndex: ref.hunkIndex, path: ref.path, patchLine: ref.hunk.patchLine };
}

interface Explanation {
  readonly why: string;
  readonly next?: string;
  readonly details?: Record<string, unknown>;
}

function explain(file: FileLines, old: readonly HunkLine[], from: number): Explanation {
  if (file.lines.length === 0) return { why: "the file is empty.", next: "Write the hunk with + lines only." };
  const [earlier] = file.find(old, 0, 1);
  if (earlier !== undefined && earlier < from) {
    return {
      why: `its lines stand at line ${earlier + 1}, above the end of the hunk before it.`,
      next: "Put the hunks in the order of the file, and join hunks that overlap.",
      details: { foundAtLine: earlier + 1 },
    };
  }
  if (earlier !== undefined) {
    return {
      why: `it says that it reaches the end of the file, but its lines stand at line ${earlier + 1}.`,
      next: "Take the end-of-file marker out, or add the lines up to the end of the file.",
      details: { foundAtLine: earlier + 1 },
    };
  }
  const [text, wanted] = [file.lines, old].map((lines) => lines.map((line) => `${line.text}\n`).join(""));
  const candidates = nearestPlaces(text!, wanted!, 1);
  const why = `its lines are not in the file; they begin with ${quote(old[0]!.text)}.`;
  const [near] = candidates;
  if (near === undefined) return { why };
  return { why: `${why} ${describe(candidates)}\n`, details: { nearestLine: near.startLine } };
}

export function quote(text: string): string {
  const shown = [...text.slice(0, 200)].slice(0, 80).join("");
  return JSON.stringify(shown.length < text.length ? `${shown}…` : text);
}

export function movesOntoItself({ path, patchLine }: Pick<Section, "path" | "patchLine">): Refusal {
  const why = `The patch moves ${path} onto itself, at line ${patchLine} of it.`;
  const next = "Name another destination, or use *** Update File to change the file where it is.";
  return new Refusal("command_failed", why, { path, next, details: { line: patchLine } });
}
