// write, edit and delete: no proof is asked for, links and large results are refused in a sandbox. An edit replaces the first
// occurrence or all of them in a store; in a sandbox the text must be there once, or all are meant.
import type { Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { Splice } from "../../edit/text/splice.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import type { Action } from "../../kernel/policy/policy.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { ChangeOptions, Session } from "../../kernel/session.ts";
import { changeFile, overwriteNotes, tellingChanges } from "../shared/change.ts";
import { legible } from "../shared/legible.ts";
import type { DeleteParams, EditParams, Outcome, WriteParams } from "./params.ts";
import type { Place } from "./place.ts";
import { deleteDisabled, linkDenied, readOnly, tooLarge } from "./words.ts";

export interface Wanted {
  readonly path: string;
  readonly action: Action;
  /** How a result that is too large is spoken of, and what to do about it. */
  readonly size: { readonly what: string; readonly advice: string };
}

export async function change(
  place: Place,
  wanted: Wanted,
  edit: (now: Current) => Next | Promise<Next>,
  options: ChangeOptions = {},
): Promise<ChangedFile> {
  const { path, action, size } = wanted;
  const { settings, session, call } = place;
  if (settings.mode === "sandbox" && settings.readOnly) throw readOnly(path, action);
  const guard = await linkGuard(place, path);
  const proof = { by: session.workspace.strict ? "session" : "waived" } as const;
  return changeFile(
    place,
    { path, action, proof, createParents: action === "write" },
    async (now) => {
      if (guard !== undefined) throw guard;
      const next = await tellingChanges(session, now, call, () => edit(now));
      return { next, notes: await notesOn(place, now, next) };
    },
    {
      ...options,
      inspect([file]) {
        if (file !== undefined && file.size > (settings.maxBytes ?? file.size))
          throw tooLarge(size.what, file.size, settings.maxBytes!, size.advice);
        return [];
      },
    },
  );
}

/** No proof is asked for, so what the session does not know about the file is said. */
async function notesOn({ session }: Place, now: Current, next: Next): Promise<readonly string[]> {
  const seen = session.workspace.strict ? undefined : await session.ledger.get(now.path);
  if (next && "body" in next) return overwriteNotes(session, now, seen);
  if (seen === undefined) return [];
  if (now.version === null || now.version.sha === seen.sha) return [];
  return [`${printable(now.raw)} has changed since you read it; read it again to see what else is different.`];
}

/** Why a path must not be used in a sandbox. The change itself refuses, and records, what else the path alone forbids. */
async function linkGuard({ mode, session }: Place, path: string): Promise<Refusal | undefined> {
  if (mode === "store") return undefined;
  try {
    const at = await session.workspace.backend.resolve(path);
    return at.throughLink ? await linkRefusal(session, path, at) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Names the part of the path that is the link: it may be a directory on the way. A new file may be written where it leads. */
export async function linkRefusal(
  { workspace }: Session,
  path: string,
  at: Resolved,
  toRead = false,
): Promise<Refusal> {
  const denied = (link: string) => linkDenied(path, link, at.path, !toRead || at.kind !== "absent");
  const names = path.split("/");
  for (const n of names.keys()) {
    const part = names.slice(0, n + 1).join("/");
    if (part !== "" && (await workspace.backend.resolve(part, { link: true })).kind === "link") return denied(part);
  }
  return denied(path);
}

export async function write(place: Place, { file_path: path, content }: WriteParams): Promise<Outcome> {
  const size = { what: "File content exceeds", advice: "Consider breaking the content into smaller files" };
  await change(place, { path, action: "write", size }, () => ({ body: content }));
  const summary = `Updated file ${printable(path)}`;
  return { plain: summary, typed: { path, summary } };
}

export async function remove(
  { mode, session, call, settings, warn }: Place,
  { file_path: path }: DeleteParams,
): Promise<Outcome> {
  if (settings.mode === "sandbox" && settings.readOnly) throw readOnly(path, "delete");
  if (mode === "sandbox") throw deleteDisabled(path);
  const outcome = (summary: string): Outcome => ({ plain: summary, typed: { path, summary } });
  try {
    const { warnings } = await session.delete(path, { ...call, proof: { by: "waived" } });
    warn(...warnings.map((warning) => legible(warning, path)));
    return outcome(`Deleted file ${printable(path)}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "not_found") throw error;
    return outcome(`File ${printable(path)} did not exist (delete operation was idempotent)`);
  }
}

export async function edit(place: Place, params: EditParams): Promise<Outcome> {
  const { file_path: path, expected_count: expected, dry_run: dryRun = false } = params;
  const size = { what: "Edit would result in file exceeding", advice: "Consider smaller edits" };
  let done = { replaced: 0, left: 0 };
  await change(
    place,
    { path, action: "edit", size },
    async (now) => {
      const { body } = now.text;
      const { splices, ...counts } = await replacement(place, body, params);
      if (expected !== undefined && expected !== counts.replaced) throw wrongCount(path, expected, counts.replaced);
      done = counts;
      return { splices };
    },
    { dryRun },
  );
  const { replaced, left } = done;
  const name = printable(path);
  if (left > 0) {
    const first = dryRun ? "would be" : "was";
    place.warn(
      `old_string is in ${name} ${replaced + left} times; only the first ${first} replaced. Set replace_all to replace every one.`,
    );
  }
  const summary = dryRun
    ? `(dry_run) Would update file ${name} replacing ${replaced} occurrence(s)`
    : `Updated file ${name}`;
  return { plain: summary, typed: { path, replaced, summary } };
}

interface Replacement {
  readonly splices: readonly Splice[];
  readonly replaced: number;
  readonly left: number;
}

async function replacement(
  { mode, session, call }: Place,
  text: string,
  { old_string: oldText, new_string: newText, replace_all: replaceAll = false }: EditParams,
): Promise<Replacement> {
  if (mode === "store" && !replaceAll) {
    const edit = { oldText, newText };
    const { splices, found } = await runInWorker("replaceFirst", [text, edit], deadlineOf(session, call));
    return { splices, replaced: 1, left: found - 1 };
  }
  const edits = [{ oldText, newText, replaceAll }];
  const { splices, applied } = await runInWorker("replaceEdits", [text, edits], deadlineOf(session, call));
  return { splices, replaced: applied[0]!.occurrences, left: 0 };
}

function wrongCount(path: string, expected: number, actual: number): Refusal {
  return new Refusal("multiple_matches", `${actual} would be replaced.`, {
    path,
    next: `Set expected_count to ${actual} if that is meant, or correct old_string or replace_all.`,
    details: { code: "ExpectedCountMismatch", expected, actual },
  });
}
