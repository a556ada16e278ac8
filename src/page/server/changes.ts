// Changes by a visitor: undo after a preview, restore, review. Several files are never changed without a preview.
import { createHash } from "node:crypto";
import { Refusal } from "../../core/failure.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { letterOf } from "../../kernel/history/entry.ts";
import { markReviewed } from "../../kernel/history/marks.ts";
import { restore } from "../../kernel/history/trash.ts";
import { type Undone, type UndoOptions, undo, undoHunk } from "../../kernel/history/undo.ts";
import type { Changed } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { formatModeBack } from "../../words/history.ts";
import type { AppliedAnswer, FileTold, PreviewAnswer } from "../wire.ts";
import { numberIn, numbersIn, textIn, textOf, whoseIn } from "./request.ts";
import { maySee, sessionOf, type Visit, workspaceOf } from "./visit.ts";

/** Enough for the history of a long session. */
const MAX_MS = 5 * 60_000;
/** The limit of the workspace is for agents. */
const MAX_FILES = 10_000;
/** Files that a preview shows, with their diffs. */
const MAX_SHOWN = 200;

export async function previewUndo(visit: Visit): Promise<PreviewAnswer> {
  const taken = await take(visit, { dryRun: true });
  const { modes } = taken;
  const workspace = await workspaceOf(visit);
  const files = taken.files.filter(({ path, before, after }) => before !== after || modes.has(path));
  const shown = files.slice(0, MAX_SHOWN).map((file) => {
    // The policy may let agents take back what it does not let them read.
    return maySee(visit, workspace, file) ? toldOf(file) : { ...toldOf(file), diff: { left: "hidden by the policy" } };
  });
  const warnings = [
    ...taken.warnings,
    ...[...modes].slice(0, MAX_SHOWN).map(([path, mode]) => `${path}: ${formatModeBack(mode)}`),
    ...(files.length > MAX_SHOWN ? [`Not shown: ${files.length - MAX_SHOWN} more.`] : []),
  ];
  return { preview: nameOf(taken), undone: taken.undone, count: files.length, files: shown, warnings };
}

export async function applyUndo(visit: Visit): Promise<AppliedAnswer> {
  const seen = textIn(visit.fields, "preview");
  const among = numbersIn(visit.fields, "undone");
  // An inspection is not given modes, so a dry run looks them up first.
  const now = seen === undefined ? undefined : await take(visit, { dryRun: true });
  if (now !== undefined && seen !== nameOf(now)) throw changedSince();
  const inspect: UndoOptions["inspect"] = (files) => {
    if (now === undefined && files.length > 1)
      throw refused(
        "invalid_input",
        "this changes more than one file and was not previewed",
        "Look at the preview first.",
      );
    if (now !== undefined && seen !== nameOf({ ...now, files })) throw changedSince();
    return [];
  };
  return applied(await take(visit, { inspect, among: among && new Set(among) }));
}

export async function restoreTrashed(visit: Visit): Promise<AppliedAnswer> {
  const options = { tool: "page", signal: visit.signal, to: textIn(visit.fields, "to") };
  return applied(await restore(await sessionOf(visit), textOf(visit.fields, "id"), options));
}

export async function review(visit: Visit): Promise<{ readonly entry: number }> {
  const session = await sessionOf(visit);
  if (session.workspace.policy.readOnly)
    throw new Refusal("permission_denied", "Nothing was marked: this workspace is read-only.", {
      next: "Mark it in a page that may change it.",
    });
  const reviewed = visit.fields.reviewed !== false;
  const { seq } = await markReviewed(session, numbersIn(visit.fields, "seqs") ?? [], { tool: "page", reviewed });
  return { entry: seq };
}

function applied({ entry, files, warnings }: Changed): AppliedAnswer {
  return { entry: entry?.seq, files: files.length, warnings };
}

type Taken = Changed & Pick<Undone, "undone" | "modes">;

/** Conflicts quote a file, so they are left out for a visitor who may not see it. */
async function take(visit: Visit, options: UndoOptions): Promise<Taken> {
  try {
    return await taken(visit, options);
  } catch (error) {
    if (!(error instanceof Refusal) || error.failure.details?.conflicts === undefined) throw error;
    const { kind, path, message, suggestedAction: next } = error.failure;
    if (path === undefined || maySee(visit, await workspaceOf(visit), { path })) throw error;
    throw new Refusal(kind, message, { path, next });
  }
}

/** `among` has the entries that were shown; others that fit by now are left alone. */
async function taken(visit: Visit, { among, ...more }: UndoOptions): Promise<Taken> {
  const { fields, signal } = visit;
  const session = await sessionOf(visit);
  const options = { tool: "page", signal, deadlineMs: MAX_MS, maxFiles: MAX_FILES, ...more };
  const merging = { ...options, onLaterChanges: fields.merge === true ? "merge" : "refuse" } as const;
  const [entry, hunk, path] = [numberIn(fields, "entry"), numberIn(fields, "hunk"), textIn(fields, "path")];
  if (hunk !== undefined) {
    if (entry === undefined || path === undefined)
      throw refused("invalid_input", "a part is of one file of one entry", "Choose it beside its lines.");
    return { ...(await undoHunk(session, { entry, path, hunk }, options)), undone: [entry], modes: new Map() };
  }
  if (entry !== undefined) return undo(session, { entry, path }, merging);
  const whose = whoseIn(fields);
  const until = textIn(fields, "until");
  if (until === undefined) return undo(session, { ...whose, path }, { ...merging, among });
  // An undo has no end of time: the entries up to it are looked up here, so that the sum that was shown is taken back.
  const early = new Set<number>();
  const filter = { ...whose, until, outcomes: ["applied", "external"] } as const;
  for await (const { seq } of session.workspace.backend.log(filter)) if (among?.has(seq) ?? true) early.add(seq);
  return undo(session, { ...whose, path }, { ...merging, among: early });
}

/** Names a preview: two with the same name change the same files in the same way. */
function nameOf({ files, modes }: Pick<Taken, "files" | "modes">): string {
  const parts = [files.map(({ path, before, after }) => [path, before, after]), [...modes]];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function toldOf({ path, movedFrom, before, after, size, diff }: ChangedFile): FileTold {
  const names = { path, movedFrom, before, after };
  const { insertions, deletions, truncated } = diff;
  const isText = diff.text !== "" || before === null || after === null || insertions + deletions > 0;
  const told = { insertions, deletions, truncated, text: displayable(diff.text) };
  return {
    letter: letterOf(names),
    ...names,
    beforeSize: 0,
    afterSize: size,
    diff: isText ? told : { left: "binary" },
  };
}

function changedSince(): Refusal {
  return refused("stale_file", "the files have changed since the preview", "Look at the preview again.");
}

function refused(kind: "invalid_input" | "stale_file", why: string, next: string): Refusal {
  return new Refusal(kind, `Nothing was taken back: ${why}.`, { next });
}
