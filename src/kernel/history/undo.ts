// Undo: the changes of some entries taken back in one new change, which is itself an entry and can be undone.
import type { Backend, Entry, LogFilter, Path, Sha, Version } from "../../backends/backend.ts";
import { merge3 } from "../../edit/merge.ts";
import type { Next } from "../change.ts";
import { Refusal } from "../failure.ts";
import type { Changed, ChangeOptions, Session, Target } from "../session.ts";
import { decode, encodeWhole } from "../text.ts";
import { versionOf } from "../version.ts";

/** One entry, or every entry of a session, of an agent, since a time; the conditions add up. */
export type UndoWhat =
  | { readonly entry: number }
  | {
      readonly session?: string;
      readonly agent?: string;
      readonly since?: string;
      readonly sinceSeq?: number;
      readonly path?: Path;
    };

export interface UndoOptions extends ChangeOptions {
  /** Where later changes exist: refuse, or take back only the undone lines by a three-way merge. */
  readonly onLaterChanges?: "refuse" | "merge";
}

export async function undo(
  session: Session,
  what: UndoWhat,
  options: UndoOptions = {},
): Promise<Changed & { readonly undone: readonly number[] }> {
  const entries = await entriesToUndo(session, what);
  const before = await statesBefore(session, entries, options.onLaterChanges === "merge");
  const targets: Target[] = [...before].map(([path, { now }]) => ({
    path,
    proof: now === null ? { by: "absence" } : { by: "sha256", sha256: now.sha },
    action: "undo",
    link: true,
    createParents: true,
  }));
  const undone = entries.map((entry) => entry.seq);
  const nexts = [...before.values()].map(({ was }): Next => (was === null ? null : { version: was }));
  const changed = await session.change(targets, () => nexts, {
    tool: "undo",
    ...options,
    onStale: "reject",
    of: undone,
  });
  return { ...changed, undone };
}

interface States {
  readonly now: Version | null;
  was: Version | null;
}

/** Walks from the newest entry back and follows each path from what it is now to what it was before. */
async function statesBefore(session: Session, entries: readonly Entry[], merge: boolean): Promise<Map<Path, States>> {
  const { backend } = session.workspace;
  const states = new Map<Path, States>();
  for (const entry of entries) {
    for (const { path, from, to, fromMode } of entry.changes) {
      const state = states.get(path) ?? (await startAt(backend, path));
      states.set(path, state);
      const original = await recalled(session, from, path, fromMode);
      if ((state.was?.sha ?? null) === to) state.was = original;
      else if (merge) state.was = await merged(session, { entry, path, to }, state.was, original);
      else throw await laterChanges(session, entry, path);
    }
  }
  return states;
}

async function startAt(backend: Backend, path: Path): Promise<States> {
  const now = await backend.read(path);
  return { now, was: now };
}

async function entriesToUndo(session: Session, what: UndoWhat): Promise<Entry[]> {
  const one = "entry" in what;
  const filter: LogFilter = one ? { sinceSeq: what.entry, untilSeq: what.entry } : { ...what, newestFirst: true };
  const entries: Entry[] = [];
  const aborted = new Set<number>();
  for await (const entry of session.workspace.backend.log({ ...filter, outcomes: ["applied", "aborted"] })) {
    if (entry.outcome === "aborted") for (const seq of entry.of ?? []) aborted.add(seq);
    else if (!aborted.has(entry.seq)) entries.push(entry);
  }
  if (entries.length > 0) return entries;
  const asked = one ? `Entry ${what.entry} is not a change that can be undone.` : "No change in the journal fits.";
  throw new Refusal("not_found", asked, { next: "Look at the log for the entries there are." });
}

async function recalled(session: Session, sha: Sha | null, path: Path, mode?: number): Promise<Version | null> {
  if (sha === null) return null;
  const version = await session.workspace.backend.recall(sha);
  if (version === null)
    throw new Refusal("not_kept", `The version of ${path} before the change is no longer kept.`, { path });
  return mode === undefined ? version : { ...version, mode };
}

async function merged(
  session: Session,
  { entry, path, to }: { entry: Entry; path: Path; to: Sha | null },
  now: Version | null,
  original: Version | null,
): Promise<Version> {
  const base = await recalled(session, to, path);
  if (now === null || original === null || base === null) throw await laterChanges(session, entry, path);
  const current = decode(now.parts, { path });
  const result = merge3(decode(base.parts, { path }).body, current.body, decode(original.parts, { path }).body);
  if (result.ok) return versionOf(encodeWhole(current, result.text), now.mode);
  throw new Refusal("merge_conflict", `Later changes of ${path} touch the same lines as entry ${entry.seq}.`, {
    path,
    next: "Undo the later changes first, or edit the file.",
    details: { conflicts: result.conflicts, entry: entry.seq },
  });
}

async function laterChanges(session: Session, entry: Entry, path: Path): Promise<Refusal> {
  const later: number[] = [];
  for await (const other of session.workspace.backend.log({
    sinceSeq: entry.seq + 1,
    path,
    outcomes: ["applied", "external"],
  }))
    later.push(other.seq);
  const who =
    later.length === 0
      ? "something outside stet"
      : `entr${later.length === 1 ? "y" : "ies"} ${later.slice(-5).join(", ")}`;
  return new Refusal("stale_file", `${path} was changed after entry ${entry.seq} by ${who}.`, {
    path,
    next: "Undo these first, or ask for a merge.",
    details: { entry: entry.seq, later },
  });
}
