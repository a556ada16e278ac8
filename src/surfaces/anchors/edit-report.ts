// The result of an edit: as data, and in the words a model goes on from.
import { printable } from "../../core/printable.ts";
import { type AnchorEdit, type AnchoredDiff, fileVersion } from "../../edit/anchors/index.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { plural } from "../../words/plural.ts";
import { legibleDiff } from "../shared/legible.ts";
import type { EditData } from "./edit-schema.ts";
import type { Safety } from "./safety.ts";
import type { Continuity } from "./writers.ts";

// What a reader of the result still looks at; the rest is one read_file away.
const MAX_ANCHORS = 200;

export interface EditDone {
  readonly before: string;
  readonly after: string;
  readonly edit: AnchorEdit;
  readonly continuity: Continuity;
  readonly safety: Safety;
  readonly deprecations: readonly string[];
}

export function editResult(file: ChangedFile, done: EditDone, diff: AnchoredDiff): EditData {
  const { syntax } = done.safety;
  return {
    ...commonPart(file, done),
    new_anchors: diff.newAnchors.slice(0, MAX_ANCHORS),
    diff_preview: diff.lines.map((line) => legibleDiff(line)),
    file_version: fileVersion(done.after),
    ...(file.after !== null && { sha256: file.after }),
    ...(file.before !== null && { snapshot_id: file.before }),
    ...(syntax !== undefined && { syntax_check: { valid: syntax.valid, errors: [...syntax.errors] } }),
  };
}

export function dryRunResult(file: ChangedFile, done: EditDone, valid: boolean): EditData {
  const common = commonPart(file, done);
  const { anchors_valid_through, must_refresh_from_line } = common;
  return {
    ...common,
    dry_run: true,
    valid,
    validated_at_file_version: fileVersion(done.before),
    invalidation_scope: { anchors_valid_through, must_refresh_from_line },
  };
}

export function editText(data: EditData): string {
  const { operations, linesBefore, linesAfter, path } = data;
  const count = plural(operations, "operation");
  const net = linesAfter - linesBefore;
  const lines = `Lines: ${linesBefore} → ${linesAfter} (${net < 0 ? "" : "+"}${net})`;
  const { anchors_valid_through: valid, must_refresh_from_line: refresh } = data;
  const scope = `Anchors valid through line: ${valid}. Refresh required from line: ${refresh}.`;
  const corrected = (data.auto_corrections ?? []).map(({ type, detail }) => `Auto-corrected (${type}): ${detail}`);
  if (data.dry_run) {
    const verdict = data.valid ? "would be applied" : "would be refused by the safety check";
    return [
      `Dry run: ${count} ${verdict} to ${printable(path)}. Nothing was written.`,
      lines,
      scope,
      ...corrected,
    ].join("\n");
  }
  const head = [
    `${count} applied to ${printable(path)}.`,
    lines,
    `New file version: ${data.file_version}`,
    scope,
    ...corrected,
    writerLine(data),
  ];
  if (!data.diff_preview?.length) return head.join("\n");
  const repeated = data.diff_preview.some((line) => /^[ +].*\] ctx=/.test(line)) ? " (repeated lines as N#ctx)" : "";
  const note = `Anchors of line ${refresh} and below that you read before this edit are stale: use the ones above${repeated} or read the file again.`;
  return [...head, "", "Local diff (with new anchors):", ...data.diff_preview, "", note].join("\n");
}

export function writerLine(data: Pick<EditData, "baseline_continuity"> & { readonly writer_type: string }): string {
  return `[writer_type: ${data.writer_type}, baseline_continuity: ${data.baseline_continuity}]`;
}

function commonPart(file: ChangedFile, { edit, safety, continuity, deprecations }: EditDone): EditData {
  return {
    ok: true,
    path: file.path,
    operations: edit.targets.length,
    linesBefore: edit.linesBefore,
    linesAfter: edit.linesAfter,
    addedLines: edit.addedLines,
    removedLines: edit.removedLines,
    anchors_valid_through: edit.anchorsValidThrough,
    must_refresh_from_line: edit.anchorsValidThrough + 1,
    safety_status: safety.status,
    safety_warnings: [...safety.warnings],
    baseline_continuity: continuity,
    writer_type: "edit",
    ...(edit.autoCorrections.length > 0 && { auto_corrections: [...edit.autoCorrections] }),
    ...(deprecations.length > 0 && { deprecation_warnings: [...deprecations] }),
  };
}
