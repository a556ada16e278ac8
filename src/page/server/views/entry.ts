// One entry, whole: who, why, with which proof, what it did to every file, and what became of it.
import type { Backend, Entry } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { type EntryFile, filesOf, type Told, toldDiff } from "../../../kernel/history/entry.ts";
import { entryAt as entryInJournal } from "../../../kernel/history/journal.ts";
import { markIn } from "../../../kernel/history/marks.ts";
import { isOfPart, undoStatusOfEach } from "../../../kernel/history/taken-back.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import type { AboutIt, EntryAnswer, FileTold } from "../../wire.ts";
import { numberIn, numberOf, textOf } from "../request.ts";
import { maySee, type Visit, workspaceOf } from "../visit.ts";
import { cut, linesOf } from "./lines.ts";

/** With their diffs; the next ones when they are asked for. */
const MAX_FILES = 50;
/** Of one diff in the answer; the whole of it is loaded when it is asked for. */
const FIRST_BYTES = 256 * 1024;
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Of kept versions for one answer. */
const MAX_READ = 64 * 1024 * 1024;
const MAX_ABOUT = 100;
const MAX_NAMED = 1000;

export async function entry(visit: Visit): Promise<EntryAnswer> {
  const workspace = await workspaceOf(visit);
  const { backend } = workspace;
  const w = textOf(visit.fields, "w");
  const found = await entryAt(backend, numberOf(visit.fields, "seq"));
  const [line] = await linesOf(backend, w, [found], await visit.room.reviewed(workspace));
  const files = filesOf(found);
  const tell = tellerOf(visit, workspace, FIRST_BYTES);
  const skip = numberIn(visit.fields, "skip") ?? 0;
  const told: FileTold[] = [];
  for (const file of files.slice(skip, skip + MAX_FILES)) told.push(await tell(file));
  const { hash, call, of = [], details = {} } = found;
  return {
    line: { ...line!, ...(found.message !== undefined && { message: wholeOf(found.message) }) },
    hash,
    ...(call !== undefined && { call }),
    proofs: proofsOf(found),
    of: of.slice(0, MAX_NAMED),
    back: await partsBack(backend, found),
    about: await aboutIt(backend, found),
    details: Object.entries(details)
      .filter(([name]) => !SAID.has(name))
      .slice(0, MAX_ABOUT)
      .map(([name, value]) => [name.slice(0, MAX_OF_A_DETAIL), formatDetail(value)]),
    files: told,
    moreFiles: Math.max(0, files.length - skip - told.length),
  };
}

/** The diff of one file as a whole, for what was cut off or left out. */
export async function diff(visit: Visit): Promise<FileTold> {
  const workspace = await workspaceOf(visit);
  const found = await entryAt(workspace.backend, numberOf(visit.fields, "seq"));
  const path = textOf(visit.fields, "path");
  const file = filesOf(found).find((each) => each.path === path);
  if (file === undefined) throw new Refusal("not_found", `Entry ${found.seq} did not change ${path}.`, { path });
  return tellerOf(visit, workspace, WHOLE_BYTES)(file);
}

/** The journal has so much of what was said when something was refused. */
const KEPT_WORDS = 1000;

function wholeOf(message: string): string {
  return message.length === KEPT_WORDS ? `${message}…` : cut(message, KEPT_WORDS);
}

/** Told in another place of the answer. */
const SAID: ReadonlySet<string> = new Set(["paths", "proofs", "command"]);
const MAX_OF_A_DETAIL = 2000;

function formatDetail(value: unknown): string {
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string" || typeof each === "number");
  const words = isList ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
  return words.slice(0, MAX_OF_A_DETAIL);
}

function proofsOf({ changes, details }: Entry): string[] {
  const asked: unknown = details?.proofs;
  const given: unknown[] = [...changes.map(({ proof }) => proof), ...(Array.isArray(asked) ? asked : [])];
  const words = given.filter((each): each is string => typeof each === "string");
  return [...new Set(words)].slice(0, MAX_ABOUT).map((each) => each.slice(0, MAX_OF_A_DETAIL));
}

function tellerOf(visit: Visit, workspace: Workspace, maxBytes: number): (file: EntryFile) => Promise<FileTold> {
  const room = { bytes: MAX_READ };
  return async (file) => {
    const isHidden = ![file.path, file.movedFrom ?? file.path].every((path) => maySee(visit, workspace, path));
    if (isHidden) return { ...namesOf(file), diff: { left: "hidden by the policy" } };
    return toldOf(
      file,
      await toldDiff(workspace.backend, file, {
        room,
        maxBytes,
        largest: WHOLE_BYTES,
      }),
    );
  };
}

function namesOf({ letter, path, movedFrom, before, after, beforeSize, afterSize, proof }: EntryFile) {
  return {
    letter,
    path,
    ...(movedFrom !== undefined && { movedFrom }),
    before,
    after,
    beforeSize,
    afterSize,
    ...(proof !== undefined && { proof }),
  };
}

function toldOf(file: EntryFile, { beforeSize, afterSize, diff: found }: Told): FileTold {
  return {
    ...namesOf(file),
    beforeSize,
    afterSize,
    diff: found,
  };
}

export async function entryAt(backend: Backend, seq: number): Promise<Entry> {
  const found = await entryInJournal(backend, seq);
  if (found !== undefined) return found;
  throw new Refusal("not_found", `The journal has no entry ${seq}.`, { next: "Look at the timeline." });
}

async function partsBack(backend: Backend, found: Entry): Promise<EntryAnswer["back"]> {
  const parts = (await undoStatusOfEach(backend, [found])).parts.get(found.seq) ?? [];
  return parts.slice(-MAX_ABOUT).flatMap(({ changes, details }) => {
    const hunk: unknown = details?.hunk;
    return changes.map(({ path }) => (typeof hunk === "number" ? { path, hunk } : { path }));
  });
}

async function aboutIt(backend: Backend, { seq }: Entry): Promise<AboutIt[]> {
  const about: AboutIt[] = [];
  for await (const later of backend.log({ only: "of entries", sinceSeq: seq + 1 })) {
    if (!later.of?.includes(seq) || about.length >= MAX_ABOUT) continue;
    const { agent } = later;
    about.push({ seq: later.seq, how: howOf(later), ...(agent !== undefined && { agent }) });
  }
  return about;
}

function howOf(later: Entry): AboutIt["how"] {
  if (markIn(later) !== undefined) return "reviewed";
  if (later.outcome !== "applied") return "named";
  if (later.details?.restored !== undefined) return "restored";
  return isOfPart(later) ? "part" : "undone";
}
