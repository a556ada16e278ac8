// One entry as a whole: who, why, with which proof, what it did to every file, and what became of it.
import type { Backend, Entry, Path, Sha } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { pathsAskedFor } from "../../../kernel/change/refused.ts";
import { type Compared, type DiffLimits, filesOf, letterOf, toldDiff } from "../../../kernel/history/entry.ts";
import { entryAt } from "../../../kernel/history/journal.ts";
import { markIn } from "../../../kernel/history/marks.ts";
import { nameOf } from "../../../kernel/history/net.ts";
import { isOfPart, undoStatusOf } from "../../../kernel/history/taken-back.ts";
import type { AboutIt, EntryAnswer, FileTold } from "../../wire.ts";
import { numberIn, numberOf, textOf } from "../request.ts";
import { maySee, type Visit, workspaceOf } from "../visit.ts";
import { cut, linesOf } from "./lines.ts";

/** Files in one answer, with their diffs; the page asks for the next ones. */
const MAX_FILES = 50;
/** Of one diff among others; the page asks for the whole of it. */
export const FIRST_BYTES = 256 * 1024;
export const WHOLE_BYTES = 8 * 1024 * 1024;
/** Of the kept versions, for one answer. */
export const MAX_READ = 64 * 1024 * 1024;
const MAX_ABOUT = 100;
const MAX_NAMED = 1000;

export async function entry(visit: Visit): Promise<EntryAnswer> {
  const workspace = await workspaceOf(visit);
  const { backend } = workspace;
  const found = await entryOf(visit, backend);
  const [line] = await linesOf(backend, textOf(visit.fields, "w"), [found], await visit.room.reviewed(workspace));
  const files = found.error === "stale_file" ? await filesSince(backend, found) : filesOf(found);
  const skip = numberIn(visit.fields, "skip") ?? 0;
  const limits = { room: { bytes: MAX_READ }, maxBytes: FIRST_BYTES, largest: WHOLE_BYTES };
  const told: FileTold[] = [];
  for (const file of files.slice(skip, skip + MAX_FILES)) told.push(await fileTold(visit, file, limits));
  const { hash, call, message, of = [], details = {} } = found;
  return {
    line: { ...line!, message: message && wholeOf(message) },
    hash,
    call,
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

/** Of a stale refusal: what had changed since the version that the call named, if it was one of this path. */
async function filesSince(backend: Backend, { seq, details = {} }: Entry): Promise<Compared[]> {
  const { expected } = details as { expected?: Sha };
  const [path] = pathsAskedFor({ details }) as Path[];
  if (path === undefined || expected === undefined || !(await wasVersion(backend, path, expected))) return [];
  for await (const { changes } of backend.log({ path, untilSeq: seq - 1, newestFirst: true, limit: 1 })) {
    const now = changes.find((each) => each.path === path)?.to ?? null;
    return [{ path, before: expected, after: now, beforeSize: 0, afterSize: 0 }];
  }
  return [];
}

/** The whole diff of one file, for one that was cut off or left out. */
export async function diff(visit: Visit): Promise<FileTold> {
  const { backend } = await workspaceOf(visit);
  const found = await entryOf(visit, backend);
  const path = textOf(visit.fields, "path");
  const files = found.error === "stale_file" ? await filesSince(backend, found) : filesOf(found);
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw new Refusal("not_found", `Entry ${found.seq} did not change ${path}.`, { path });
  return fileTold(visit, file, { room: { bytes: MAX_READ }, maxBytes: WHOLE_BYTES, largest: WHOLE_BYTES });
}

/** One file of a change, with its diff unless the policy hides it from the visitor. */
export async function fileTold(visit: Visit, { after, ...file }: Compared, limits: DiffLimits): Promise<FileTold> {
  const workspace = await workspaceOf(visit);
  const names = { ...file, after: nameOf(after) };
  const told = { letter: letterOf(names), ...names };
  if (!maySee(visit, workspace, file)) return { ...told, diff: { left: "hidden by the policy" } };
  const { sizesFrom: _, ...sizesAndDiff } = await toldDiff(workspace.backend, { ...file, after }, limits);
  return { ...told, ...sizesAndDiff };
}

/** The journal keeps so many characters of a refusal's words. */
const KEPT_WORDS = 1000;

function wholeOf(message: string): string {
  return message.length === KEPT_WORDS ? `${message}…` : cut(message, KEPT_WORDS);
}

/** Shown in other places of the answer. */
const SAID: ReadonlySet<string> = new Set(["paths", "proofs", "command", "expected"]);
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

async function entryOf({ fields }: Visit, backend: Backend): Promise<Entry> {
  const seq = numberOf(fields, "seq");
  const found = await entryAt(backend, seq);
  if (found !== undefined) return found;
  throw new Refusal("not_found", `The journal has no entry ${seq}.`, { next: "Look at the timeline." });
}

async function partsBack(backend: Backend, found: Entry): Promise<EntryAnswer["back"]> {
  const { parts } = await undoStatusOf(backend, [found], "each");
  return (parts.get(found.seq) ?? []).slice(-MAX_ABOUT).flatMap(({ changes, details }) => {
    const hunk = typeof details?.hunk === "number" ? details.hunk : undefined;
    return changes.map(({ path }) => ({ path, hunk }));
  });
}

async function aboutIt(backend: Backend, { seq }: Entry): Promise<AboutIt[]> {
  const about: AboutIt[] = [];
  for await (const later of backend.log({ only: "of entries", sinceSeq: seq + 1 })) {
    if (!later.of?.includes(seq) || about.length >= MAX_ABOUT) continue;
    about.push({ seq: later.seq, how: howOf(later), agent: later.agent });
  }
  return about;
}

function howOf(later: Entry): AboutIt["how"] {
  if (markIn(later) !== undefined) return "reviewed";
  if (later.outcome !== "applied") return "named";
  if (later.details?.restored !== undefined) return "restored";
  return isOfPart(later) ? "part" : "undone";
}

export async function wasVersion(backend: Backend, path: Path, sha: Sha): Promise<boolean> {
  for await (const { changes } of backend.log({ path, newestFirst: true }))
    if (changes.some((each) => each.path === path && (each.from === sha || each.to === sha))) return true;
  return false;
}
