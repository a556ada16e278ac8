// The one mutating verb on disk: compare, keep, stage, journal, swap. All of it happens or nothing does.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import type { Author, Change, CommitNote, Committed, Entry, Path, Sha, Version } from "../backend.ts";
import { LINK_MODE } from "../backend.ts";
import { appliedDraft, externalDraft, refuseNested } from "../draft.ts";
import { namesOf } from "../names.ts";
import type { Attributes } from "./attributes.ts";
import { type Durability, type FlushRound, flushRound } from "./durability.ts";
import { refusalOf } from "./errno.ts";
import { closeOld, type Old, openOld } from "./old.ts";
import { removeEmpty, withParent } from "./parent.ts";
import type { Root } from "./root.ts";
import type { State } from "./state.ts";
import { clearStaged, displaced, keepsItself, lostRace, type Step, swapBack, swapIn } from "./swap.ts";

export interface Disk {
  readonly root: Root;
  readonly state: State;
  readonly durability: Durability;
  /** What was set aside instead of being finished after a crash, in words. */
  readonly told?: readonly string[];
}

/** Under the workspace's lock, with the journal caught up and nothing left over from others. */
export async function commitLocked(
  disk: Disk,
  changes: readonly Change[],
  author: Author,
  note?: CommitNote,
): Promise<Committed> {
  const olds: (Old | null)[] = [];
  const made: Path[] = [];
  try {
    for (const change of changes) {
      made.push(...makeParents(disk, change));
      const old = await openOld(disk.root, change.path, change.before);
      olds.push(old);
      await noteExternal(disk, change.path, old, author);
      if ((old?.sha ?? null) !== change.from) throw lostRace(change.path);
    }
    refuseNested(changes);
    const seq = disk.state.journal.tail.seq + 1;
    const steps = changes.map((change, n): Step => ({ change, old: olds[n] ?? null, seq, n, placed: 0 }));
    const { entry, warnings } = await stageAndJournal(disk, steps, author, note);
    await swapAll(disk, steps, author);
    return { entry, warnings: [...warnings, ...finish(disk, steps)] };
  } catch (error) {
    const unfinished = error instanceof Refusal && error.failure.details?.unfinished === true;
    if (!unfinished) removeEmpty(disk.root, made);
    throw refusalOf(error, changes.map((change) => change.path).join(", "), "change");
  } finally {
    for (const old of olds) closeOld(old);
  }
}

/** Writes down what somebody else did to a path since the journal last spoke of it, and keeps that version. */
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

/** Everything that can still be taken back without a trace. When it returns, the commit has happened. */
async function stageAndJournal(
  { state, durability }: Disk,
  steps: readonly Step[],
  author: Author,
  note: CommitNote | undefined,
): Promise<{ entry: Entry; warnings: string[] }> {
  const round = flushRound(durability);
  const { seq } = steps[0]!;
  const stored: Sha[] = [];
  let entry: Entry | undefined;
  state.pending.mayHold = true;
  try {
    const warnings: string[] = [];
    for (const step of steps) {
      const copy = keepsItself(step, state.pending) ? undefined : await step.old?.read();
      if (copy !== undefined && (await state.store.put(copy, round))) stored.push(copy.sha);
      const source = steps.find(({ change }) => change.path === step.change.movedFrom)?.old ?? null;
      warnings.push(...(await stage(state, step, source, round)));
    }
    if (durability === "full") {
      state.pending.syncNames();
      if (stored.length > 0) state.store.syncNames();
      state.journal.closeGap();
    }
    const before = steps.map(({ old }) => old);
    entry = state.journal.append(
      appliedDraft(
        steps.map(({ change }) => change),
        before,
        author,
        note,
      ),
    );
    if (durability === "full") state.syncJournalDirectory();
    round.addShared(state.journal.fd);
    await round.flush();
    return { entry, warnings };
  } catch (error) {
    round.drop();
    if (entry !== undefined) state.journal.unappend();
    state.pending.clear(seq);
    for (const sha of stored) state.store.remove(sha);
    throw error;
  }
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

async function swapAll(disk: Disk, steps: readonly Step[], author: Author): Promise<void> {
  const { root, state } = disk;
  const contents = new Map<Step, Version>();
  let begun = 0;
  try {
    for (const step of steps) {
      begun++;
      swapIn(root, state.pending, step);
    }
    for (const step of steps) {
      const intruder = await displaced(step, state.pending);
      if (intruder === null) continue;
      contents.set(step, intruder);
      await keepVersions(state, [intruder], disk.durability);
    }
    if (contents.size > 0) throw lostRace([...contents.keys()].map(({ change }) => change.path).join(", "));
  } catch (error) {
    await takeBack(disk, steps.slice(0, begun), contents, error);
    for (const [{ change }, found] of contents) {
      const { sha, size, mode = 0 } = found;
      await noteExternal(disk, change.path, { sha, size, mode, read: async () => found }, author);
    }
    throw error;
  }
}

async function takeBack(
  disk: Disk,
  steps: readonly Step[],
  contents: ReadonlyMap<Step, Version>,
  cause: unknown,
): Promise<void> {
  const { root, state, durability } = disk;
  try {
    for (const step of steps.toReversed()) {
      await swapBack(root, state.pending, step, contents.get(step) ?? null);
      keepStranded(state, step);
    }
    state.journal.unappend();
    const round = flushRound(durability);
    round.addShared(state.journal.fd);
    await round.flush();
    state.pending.clear(steps[0]!.seq);
  } catch (error) {
    const failure = refusalOf(error, steps[0]!.change.path, "take back the change of");
    throw new Refusal("io_error", `The change failed half-way and could not be taken back: ${failure.message}`, {
      next: "Free the disk or mend it; the change will be completed as a whole when the workspace is used next.",
      details: { unfinished: true },
      cause,
    });
  }
}

/** After the commit: nothing here can undo it, so what fails becomes a warning. */
function finish({ root, state, durability }: Disk, steps: readonly Step[]): string[] {
  const warnings: string[] = [];
  let isAllDone = true;
  const quietly = (work: () => void, warning?: string): void => {
    try {
      work();
    } catch (error) {
      isAllDone = false;
      if (warning !== undefined) warnings.push(`${warning} (${refusalOf(error, "", "finish").message})`);
    }
  };
  const unsafe = durability === "full" ? steps.filter((step) => step.unsafe) : [];
  const perParent = new Map(unsafe.map(({ change }) => [namesOf(change.path).slice(0, -1).join("/"), change.path]));
  for (const path of perParent.values()) {
    quietly(() => withParent(root, path, {}, (dir) => dir.fsync()), UNCONFIRMED);
  }
  // What is not safe is left as it is, for a recovery: if a swap were lost, the new version would be where the old one belongs.
  if (warnings.length > 0) return warnings;
  for (const step of steps) quietly(() => keepDisplaced(state, step));
  for (const step of steps) quietly(() => clearStaged(state.pending, step));
  if (isAllDone) state.pending.mayHold = false;
  return warnings;
}

/** Somebody replaced our file before it could be taken back: the version that it had displaced must not go with it. */
function keepStranded({ store, pending }: State, { old, seq, n }: Step): void {
  const staged = pending.pathOf(seq, n, "new");
  if (old !== null && fs.lstatSync(staged, { throwIfNoEntry: false })?.ino === old.stat.ino) store.adopt(staged, old);
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
