// Taking back: a preview of exactly what would happen, and then just that. More than one file is never changed unseen.
import { createHash } from "node:crypto";
import { Refusal } from "../../core/failure.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { modeBackInWords, type Undone, type UndoOptions, type UndoWhat, undo } from "../../kernel/history/undo.ts";
import { undoHunk } from "../../kernel/history/undo-hunk.ts";
import type { Changed } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import type { AppliedAnswer, FileTold, PreviewAnswer } from "../wire.ts";
import { type Fields, numberIn, numbersIn, textIn } from "./request.ts";
import { maySee, sessionOf, type Visit, workspaceOf } from "./visit.ts";

/** Long enough for the history of a long session. */
const MAX_MS = 5 * 60_000;
/** The limit for agents is not the owner's. */
const MAX_FILES = 10_000;
/** With their diffs in a preview. */
const MAX_SHOWN = 200;

export async function previewUndo(visit: Visit): Promise<PreviewAnswer> {
  const taken = await take(visit, { dryRun: true });
  const { modes } = taken;
  const workspace = await workspaceOf(visit);
  const isShown = ({ path, movedFrom = path }: ChangedFile): boolean =>
    [path, movedFrom].every((each) => maySee(visit, workspace, each));
  const files = taken.files.filter(({ path, before, after }) => before !== after || modes.has(path));
  return {
    preview: nameOf(taken),
    undone: taken.undone,
    count: files.length,
    files: files.slice(0, MAX_SHOWN).map((file) => (isShown(file) ? toldOf(file) : hidden(file))),
    warnings: [
      ...taken.warnings,
      ...[...modes].slice(0, MAX_SHOWN).map(([path, mode]) => `${path}: ${modeBackInWords(mode)}`),
      ...(files.length > MAX_SHOWN ? [`Not shown: ${files.length - MAX_SHOWN} more.`] : []),
    ],
  };
}

export async function applyUndo(visit: Visit): Promise<AppliedAnswer> {
  const seen = textIn(visit.fields, "preview");
  const among = numbersIn(visit.fields, "undone");
  // Modes are no part of what a change is inspected by: they are looked up before it.
  const now = seen === undefined ? undefined : await take(visit, { dryRun: true });
  if (now !== undefined && seen !== nameOf(now)) throw changedSince();
  const { entry, files, warnings } = await take(visit, {
    inspect: (files) => {
      if (now === undefined && files.length > 1) throw unseen();
      if (now !== undefined && seen !== nameOf({ ...now, files })) throw changedSince();
      return [];
    },
    ...(among !== undefined && visit.fields.entry === undefined && { among: new Set(among) }),
  });
  return { ...(entry !== undefined && { entry: entry.seq }), files: files.length, warnings };
}

type Taken = Changed & Pick<PreviewAnswer, "undone"> & Pick<Undone, "modes">;

async function take(visit: Visit, more: UndoOptions): Promise<Taken> {
  try {
    return await taken(visit, more);
  } catch (error) {
    if (!(error instanceof Refusal) || error.failure.details?.conflicts === undefined) throw error;
    const { kind, path, message, suggestedAction: next } = error.failure;
    if (path === undefined || maySee(visit, await workspaceOf(visit), path)) throw error;
    throw new Refusal(kind, message, { path, ...(next !== undefined && { next }) });
  }
}

async function taken(visit: Visit, more: UndoOptions): Promise<Taken> {
  const { fields, signal } = visit;
  const session = await sessionOf(visit);
  const { among: shown, ...rest } = more;
  const options = { tool: "page", signal, deadlineMs: MAX_MS, maxFiles: MAX_FILES, ...rest };
  const hunk = numberIn(fields, "hunk");
  const entry = numberIn(fields, "entry");
  const path = textIn(fields, "path");
  if (hunk !== undefined) {
    if (entry === undefined || path === undefined)
      throw new Refusal("invalid_input", "Nothing was taken back: a part is of one file of one entry.", {
        next: "Choose it beside its lines.",
      });
    const changed = await undoHunk(session, { entry, path, hunk }, options);
    return { ...changed, undone: [entry], modes: new Map() };
  }
  const until = textIn(fields, "until");
  const early = until === undefined || entry !== undefined ? undefined : await upTo(visit, until);
  const among = early === undefined ? shown : new Set([...early].filter((seq) => shown?.has(seq) ?? true));
  return undo(session, whatIn(fields), {
    ...options,
    ...(among !== undefined && { among }),
    onLaterChanges: fields.merge === true ? "merge" : "refuse",
  });
}

const CONDITIONS = ["path", "session", "agent", "since"] as const;

/** Entries up to a time: those that are shown as a sum are those that are taken back. */
async function upTo(visit: Visit, until: string): Promise<ReadonlySet<number>> {
  const { backend } = await workspaceOf(visit);
  const [, session, agent, since] = CONDITIONS.map((name) => textIn(visit.fields, name));
  const filter = { ...(session && { session }), ...(agent && { agent }), ...(since && { since }), until };
  const seqs = new Set<number>();
  for await (const { seq } of backend.log({ ...filter, outcomes: ["applied", "external"] })) seqs.add(seq);
  return seqs;
}

function whatIn(fields: Fields): UndoWhat {
  const entry = numberIn(fields, "entry");
  const [path, session, agent, since] = CONDITIONS.map((name) => textIn(fields, name));
  const file = path === undefined ? {} : { path };
  if (entry !== undefined) return { entry, ...file };
  if (session === undefined && agent === undefined && since === undefined)
    throw new Refusal("invalid_input", "Nothing is named that could be taken back.", {
      next: "Choose an entry, a session, an agent or a time.",
    });
  return {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && { since }),
    ...file,
  };
}

/** Of what becomes of which file: where that is the same, so is the whole. */
function nameOf({ files, modes }: Pick<Taken, "files" | "modes">): string {
  const parts = [files.map(({ path, before, after }) => [path, before, after]), [...modes]];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function toldOf({ path, movedFrom, before, after, size, diff }: ChangedFile): FileTold {
  const isText = diff.text !== "" || before === null || after === null || diff.insertions + diff.deletions > 0;
  return {
    letter: movedFrom !== undefined ? "R" : before === null ? "A" : after === null ? "D" : "M",
    path,
    ...(movedFrom !== undefined && { movedFrom }),
    before,
    after,
    beforeSize: 0,
    afterSize: size,
    diff: isText ? { ...counted(diff), text: displayable(diff.text) } : { left: "binary" },
  };
}

/** The policy may let agents take back what it does not let them read. */
function hidden(file: ChangedFile): FileTold {
  return { ...toldOf(file), diff: { left: "hidden by the policy" } };
}

function counted({ insertions, deletions, truncated }: ChangedFile["diff"]) {
  return { insertions, deletions, truncated };
}

function unseen(): Refusal {
  return new Refusal(
    "invalid_input",
    "Nothing was taken back: this changes more than one file and was not previewed.",
    {
      next: "Look at the preview first.",
    },
  );
}

function changedSince(): Refusal {
  return new Refusal("stale_file", "Nothing was taken back: the files have changed since the preview.", {
    next: "Look at the preview again.",
  });
}
