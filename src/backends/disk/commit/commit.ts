// The steps of a commit: compare, keep, stage, swap, finish. All of it happens or nothing does; `batch.ts` puts them together.

import type { Author, Change, CommitNote, Entry, EntryDraft, Path, Sha, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { abortedDraft, appliedDraft, externalDraft, refuseNested } from "../../journal/draft.ts";
import { refusalOf } from "../errno.ts";
import { withParent } from "../paths/parent.ts";
import type { Root } from "../paths/root.ts";
import type { State } from "../state/state.ts";
import type { Attributes } from "./attributes.ts";
import { type Old, openOld } from "./current-file.ts";
import { type Durability, type FlushRound, flushRound } from "./durability.ts";
import {
  clearStaged,
  displaced,
  isOld,
  keepsItself,
  lostRace,
  type Step,
  swapBack,
  swapIn,
  writtenInto,
} from "./swap.ts";

export interface Disk {
  readonly root: Root;
  readonly state: State;
  readonly durability: Durability;
  /** False: this process was stopped for so long that another one took the lock over. */
  readonly isHeld: () => boolean;
  /** What was set aside instead of being finished after a crash, in words. */
  readonly told?: readonly string[];
}

/** One commit on its way, under the workspace's lock. */
export interface Commit {
  readonly changes: readonly Change[];
  readonly author: Author;
  readonly note: CommitNote | undefined;
  readonly olds: (Old | null)[];
  /** Directories that had to be made. */
  readonly made: Path[];
  /** Old versions that had to be copied. */
  readonly stored: Sha[];
  readonly warnings: string[];
  steps: readonly Step[];
  entry?: Entry;
}

/** Everything is as the caller knows it, or this throws. Nothing is changed but for directories, and notes of what others did. */
export async function compare(disk: Disk, { changes, author, olds, made }: Commit): Promise<void> {
  refuseNested(changes);
  for (const change of changes) {
    made.push(...makeParents(disk, change));
    const old = await openOld(disk.root, change.path, change.before);
    olds.push(old);
    await noteExternal(disk, change.path, old, author);
    if ((old?.sha ?? null) !== change.from) throw lostRace(change.path);
  }
}

/** Writes down what another program did to a path since the journal last spoke of it, and keeps that version. */
export async function noteExternal(
  { state, durability }: Disk,
  path: Path,
  now: Found | null,
  by: Author,
): Promise<Entry | null> {
  const head = state.journal.head(path);
  if (head === null || head.sha === (now?.sha ?? null)) return null;
  if (now !== null) await keepVersions(state, [await now.read()], durability);
  return state.journal.append(externalDraft(path, head, now, by));
}

/** Something found at a path, whose bytes can be had. */
type Found = Pick<Old, "sha" | "size" | "mode" | "read">;

export async function keepVersions(state: State, versions: readonly Version[], durability: Durability): Promise<void> {
  const round = flushRound(durability);
  let isNew = false;
  for (const version of versions) isNew = (await state.store.put(version, round)) || isNew;
  await round.flush();
  if (isNew && durability === "full") state.store.syncNames();
}

/** What `discard` takes back without a trace. */
export async function stageAll({ state }: Disk, commit: Commit, seq: number, round: FlushRound): Promise<void> {
  const { changes, olds, stored, warnings } = commit;
  commit.steps = changes.map((change, n) => ({ change, old: olds[n] ?? null, seq, n, placed: 0 }));
  state.pending.mayHold = true;
  for (const step of commit.steps) {
    const copy = keepsItself(step, state.pending) ? undefined : await step.old?.read();
    if (copy !== undefined && (await state.store.put(copy, round))) stored.push(copy.sha);
    const source = commit.steps.find(({ change }) => change.path === step.change.movedFrom)?.old ?? null;
    warnings.push(...(await stage(state, step, source, round)));
  }
}

export function discard({ state }: Disk, { steps, stored }: Commit): void {
  const [first] = steps;
  if (first !== undefined) state.pending.clear(first.seq);
  for (const sha of stored.splice(0)) state.store.remove(sha);
}

export function draftOf({ changes, olds, author, note }: Commit): EntryDraft {
  return appliedDraft(changes, olds, author, note);
}

async function stage(state: State, step: Step, source: Old | null, round: FlushRound): Promise<string[]> {
  const { change, old, seq, n } = step;
  const { path, to } = change;
  const warnings: string[] = [];
  if (to === null) state.pending.stageDelete(seq, n, round);
  else {
    const staged = await state.pending.stage(seq, n, to, attributesOf(to, source ?? old), round);
    warnings.push(...staged.warnings);
    step.placed = staged.ino;
  }
  if (old !== null && old.stat.nlink > 1 && old.fd !== undefined) {
    warnings.push(`it had ${old.stat.nlink - 1} other name(s) by hard link, which keep the old content`);
  }
  return warnings.map((warning) => `${path}: ${warning}.`);
}

/** Puts everything in place, or nothing, and then the entry no longer stands. */
export async function swapAll(disk: Disk, commit: Commit): Promise<void> {
  const { root, state } = disk;
  const { steps, author } = commit;
  const contents = new Map<Step, Version>();
  let begun = 0;
  try {
    for (const step of steps) {
      begun++;
      swapIn(root, state.pending, step);
    }
    for (const step of steps) {
      const intruder = await displaced(step);
      if (intruder !== null) contents.set(step, intruder);
    }
    if (contents.size > 0) throw lostRace([...contents.keys()].map(({ change }) => change.path).join(", "));
  } catch (error) {
    const foreign = await takeBack(disk, commit, steps.slice(0, begun), contents, error);
    for (const [{ change }, found] of [...foreign, ...contents]) {
      const { sha, size, mode = 0 } = found;
      await noteExternal(disk, change.path, { sha, size, mode, read: async () => found }, author);
    }
    throw error;
  }
}

/** First of all, so that others write into our files for as short as can be. Gives what they wrote into them: it is kept. */
async function takeBack(
  disk: Disk,
  { entry, author }: Commit,
  steps: readonly Step[],
  contents: ReadonlyMap<Step, Version>,
  cause: unknown,
): Promise<ReadonlyMap<Step, Version>> {
  const { root, state, durability } = disk;
  const foreign = new Map<Step, Version>();
  try {
    for (const step of steps.toReversed()) {
      await swapBack(root, state.pending, step, contents.get(step) ?? null);
      const written = await writtenInto(state.pending, step);
      if (written !== null) foreign.set(step, written);
      keepStranded(state, step);
    }
    await keepVersions(state, [...contents.values(), ...foreign.values()], durability);
    // An entry that others follow stays, and the next one says that it did not happen.
    if (entry!.seq === state.journal.tail.seq) state.journal.unappend();
    else state.journal.append(abortedDraft(entry!, author));
    const round = flushRound(durability);
    round.addShared(state.journal.fd);
    await round.flush();
    state.pending.clear(steps[0]!.seq);
    return foreign;
  } catch (error) {
    const failure = refusalOf(error, steps[0]!.change.path, "take back the change of");
    throw new Refusal("io_error", `The change failed half-way and could not be taken back: ${failure.message}`, {
      next: "Free the disk or mend it; the change will be completed as a whole when the workspace is used next.",
      details: { unfinished: true },
      cause,
    });
  }
}

/** After the swaps: nothing here can undo them, so what fails becomes a warning. False: something of them is left in the pending directory. */
export function finishAll(disk: Disk, commits: readonly Commit[]): boolean {
  const { state } = disk;
  const unconfirmed = flushDirectories(
    disk,
    commits.flatMap(({ steps }) => steps),
  );
  let isAllDone = true;
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      refusalOf(error, "", "finish");
      isAllDone = false;
    }
  };
  for (const { steps, warnings } of commits) {
    const why = steps.flatMap(({ change }) => unconfirmed.get(parentOf(change.path)) ?? []);
    // What is not safe is left as it is, for a recovery: if a swap were lost, the new version would be where the old one belongs.
    if (why.length > 0) {
      warnings.push(`${UNCONFIRMED} (${why[0]})`);
      isAllDone = false;
      continue;
    }
    for (const step of steps) quietly(() => keepDisplaced(state, step));
    for (const step of steps) quietly(() => clearStaged(state.pending, step));
  }
  return isAllDone;
}

/** Each once, where that is needed. Gives those that the disk did not confirm, and why. */
function flushDirectories({ root, durability }: Disk, steps: readonly Step[]): ReadonlyMap<string, string> {
  const failed = new Map<string, string>();
  const unsafe = durability === "full" ? steps.filter((step) => step.unsafe) : [];
  for (const [parent, path] of new Map(unsafe.map(({ change }) => [parentOf(change.path), change.path]))) {
    try {
      withParent(root, path, {}, (dir) => dir.fsync());
    } catch (error) {
      failed.set(parent, refusalOf(error, "", "finish").message);
    }
  }
  return failed;
}

const parentOf = (path: Path): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Another program replaced our file before it could be taken back: the version that it had displaced must not go with it. */
function keepStranded({ store, pending }: State, { old, seq, n }: Step): void {
  const staged = pending.pathOf(seq, n, "new");
  if (old !== null && isOld(staged, old)) store.adopt(staged, old);
}

/** The displaced file becomes the kept version; where it had to be copied before, it goes. */
function keepDisplaced({ store, pending }: State, step: Step): void {
  const { change, old, seq, n } = step;
  if (old === null) return;
  const kind = change.to === null ? "gone" : "new";
  if (keepsItself(step, pending)) store.adopt(pending.pathOf(seq, n, kind), old);
  else pending.remove(seq, n, kind);
}

const UNCONFIRMED = "The change is applied, but the disk did not confirm that it is safe from a power failure.";

/** Also refuses a new file whose directory is missing, before anything is staged. */
function makeParents({ root, durability }: Disk, { path, from, createParents }: Change): readonly Path[] {
  if (from !== null) return [];
  const options = { createParents: createParents ?? false, sync: durability === "full" };
  return withParent(root, path, options, (_dir, _name, made) => [...made]);
}

const UMASK = process.umask();

/** Of the file that was there, also where it is moved from. */
function attributesOf(to: Version, old: Old | null): Attributes {
  const wanted = to.mode ?? (old === null || old.mode === LINK_MODE ? 0o666 & ~UMASK : old.stat.mode);
  const owner = old === null ? undefined : { uid: old.stat.uid, gid: old.stat.gid };
  return {
    mode: wanted & 0o7777,
    ...(owner !== undefined && { owner }),
    ...(old?.fd !== undefined && { like: old.fd }),
  };
}
