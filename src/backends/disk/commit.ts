// Commits that wait for the lock at the same time, made together: compare, append, stage, put in place. Each happens as a whole or not at all.
import type { Author, Backend, Change, CommitNote, Committed, Entry, Path, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { abortedDraft, appliedDraft, refuseNested } from "../journal/draft.ts";
import { type Old, openOld, recordOthers } from "./current-file.ts";
import { refusalOf } from "./errno.ts";
import { closeLater, type Durability, flushesBounded } from "./flushes.ts";
import { type History, keepBlobs } from "./history.ts";
import { openAt, type Place, placeOf, release, removeEmpty } from "./paths/reach.ts";
import type { Root } from "./paths/root.ts";
import { discard, displaced, flushStaged, lostRace, makeStep, putBack, putInPlace, type Step, stage } from "./place.ts";
import type { Tree } from "./tree.ts";

/** A workspace whose lock is held. */
export interface Disk {
  readonly root: Root;
  readonly tree: Tree;
  readonly history: History;
  readonly durability: Durability;
  /** False: this process was stopped for so long that another one took the lock over. */
  readonly isHeld: () => boolean;
  /** What recoveries could not finish, in words: the next commit that succeeds warns of it. */
  readonly unfinished?: string[];
}

/** Of every backend that `disk` made: runs work as the only writer; with null where there is no history, and none is made. */
export const holders = new WeakMap<Backend, <T>(work: (held: Disk | null) => Promise<T>) => Promise<T>>();

export interface Job {
  readonly changes: readonly Change[];
  readonly author: Author;
  readonly note: CommitNote | undefined;
  /** Its turn has come; a refusal ends it before anything was done. */
  begin(): void;
  done(committed: Committed): void;
  failed(error: unknown): void;
}

interface Commit {
  readonly job: Job;
  /** Held until the end. Null where even the directory is missing. */
  readonly places: (Place | null)[];
  /** Directories that had to be made. */
  readonly made: Path[];
  readonly olds: (Old | null)[];
  readonly steps: Step[];
  readonly warnings: string[];
  entry?: Entry;
  /** Why its files could not be staged. */
  failure?: unknown;
  isRefused: boolean;
}

/** Under the lock, with the log caught up and nothing left over from others. Every job is answered. */
export async function commitTogether(disk: Disk, jobs: readonly Job[]): Promise<void> {
  const all: Commit[] = jobs.map((job) => ({
    job,
    places: [],
    made: [],
    olds: [],
    steps: [],
    warnings: [],
    isRefused: false,
  }));
  try {
    const compared = await each(all, async (commit) => {
      commit.job.begin();
      await compare(disk, commit);
    });
    const written = await append(disk, compared);
    // The new files are written while the disk takes the log, and nothing of them is seen before it has it.
    const flushed = flush(disk).catch((error: unknown) => error);
    for (const commit of written) await stageAll(disk, commit);
    const lost = await flushed;
    const safe = await each(written, async (commit) => {
      const failure = lost ?? commit.failure;
      if (failure !== undefined) await takeBack(disk, commit, failure);
    });
    // Not before: what is waited for goes first.
    for (const { steps } of safe) for (const step of steps) flushStaged(disk, step);
    const placed = await each(safe, (commit) => placeAll(disk, commit));
    for (const { job, entry, warnings, steps } of placed) {
      for (const step of steps) discard(step);
      job.done({ entry: entry!, warnings: [...(disk.unfinished?.splice(0) ?? []), ...warnings] });
    }
  } catch (defect) {
    // What is in the log and not in place is finished by the next recovery.
    if (all.some(({ entry, isRefused }) => entry !== undefined && !isRefused)) disk.history.mark.hold();
    for (const commit of all) refuse(commit, defect);
  } finally {
    for (const { places, made, olds, steps, isRefused } of all) {
      if (isRefused) {
        for (const step of steps) discard(step);
        removeEmpty(disk.root, made);
      }
      for (const old of olds) if (old?.fd !== undefined) closeLater(old.fd);
      for (const place of places) if (place !== null) release(disk.root, place);
    }
  }
}

/** One after the other; those that fail are answered and left out. */
async function each(commits: readonly Commit[], work: (commit: Commit) => Promise<void>): Promise<Commit[]> {
  const good: Commit[] = [];
  for (const commit of commits) {
    try {
      await work(commit);
      good.push(commit);
    } catch (error) {
      refuse(commit, error);
    }
  }
  return good;
}

function refuse(commit: Commit, error: unknown): void {
  if (commit.isRefused) return;
  commit.isRefused = true;
  if (error instanceof Refusal && error.failure.details?.unfinished === true) {
    // A recovery finishes it, and needs what is there.
    commit.made.length = 0;
    commit.steps.length = 0;
  }
  const { job } = commit;
  try {
    job.failed(refusalOf(error, job.changes.map(({ path }) => path).join(", "), "change"));
  } catch (defect) {
    job.failed(defect);
  }
}

/** Everything is as the caller knows it, or this throws. Nothing is changed but for directories, and notes of what others did. */
async function compare(disk: Disk, { job, places, made, olds }: Commit): Promise<void> {
  refuseNested(job.changes);
  for (const change of job.changes) {
    const place = reach(disk, change);
    places.push(place);
    made.push(...(place?.made ?? []));
    const found = place && openAt(disk.root, place);
    olds.push(await openOld(found, change.path, change.before));
  }
  const { log } = disk.history;
  const others = job.changes
    .map(({ path }, n) => ({ path, now: olds[n] ?? null, head: log.head(path) }))
    .filter(({ now, head }) => head !== null && head.sha !== (now?.sha ?? null));
  if (others.length > 0) await recordOthers(disk, others, job.author);
  const lost = job.changes.find(({ from }, n) => (olds[n]?.sha ?? null) !== from);
  if (lost !== undefined) throw lostRace(lost.path);
}

/** A new file whose directory is missing is refused, or gets one. */
function reach({ root, durability }: Disk, { path, from, createParents = false }: Change): Place | null {
  try {
    return placeOf(root, path, { createParents: from === null && createParents, sync: durability === "full" });
  } catch (error) {
    if (from !== null && error instanceof Refusal && error.kind === "not_found") return null;
    throw error;
  }
}

/** What fails is taken back once the log is flushed: until then nothing may be appended to it. */
async function stageAll(disk: Disk, commit: Commit): Promise<void> {
  const { job, places, olds, steps, warnings } = commit;
  try {
    for (const [n, change] of job.changes.entries()) {
      const old = olds[n] ?? null;
      const step = makeStep(disk, change, places[n]!, old, commit.entry!.seq);
      steps.push(step);
      const source = job.changes.findIndex(({ path }) => path === change.movedFrom);
      const words = [...(await stage(disk, step, olds[source] ?? old))];
      if (old?.fd !== undefined && old.stat.nlink > 1)
        words.push(`it had ${old.stat.nlink - 1} other name(s) by hard link, which keep the old content`);
      warnings.push(...words.map((each) => `${change.path}: ${each}.`));
    }
  } catch (error) {
    commit.failure = error;
  }
}

/** Those that it gives have happened once the log is flushed: whatever fails after that is finished by a recovery, or taken back. */
async function append({ history, durability, isHeld }: Disk, commits: readonly Commit[]): Promise<readonly Commit[]> {
  if (commits.length === 0) return [];
  if (!isHeld())
    throw new Refusal("busy", "This process was stopped for so long that another one took over the lock.", {
      next: "Try again.",
    });
  await flushesBounded();
  const additions = [];
  for (const { job, olds } of commits) {
    const versions: Version[] = [];
    for (const [n, { path, from, to }] of job.changes.entries()) {
      // What the journal gave a path is kept, unless it was dropped since.
      const isKept = from === null || (history.log.head(path) !== null && history.blobs.has(from));
      if (!isKept) versions.push(await olds[n]!.read());
      if (to !== null) versions.push(to);
    }
    const blobs = await keepBlobs(history, versions, durability);
    additions.push({ draft: appliedDraft(job.changes, olds, job.author, job.note), blobs });
  }
  const written: Commit[] = [];
  for (const [n, answer] of history.log.append(additions).entries()) {
    const commit = commits[n]!;
    if (answer instanceof Error) refuse(commit, answer);
    else written.push(Object.assign(commit, { entry: answer }));
  }
  return written;
}

/** What is in the log is safe from a power failure when it resolves, unless that is left to the system. */
export async function flush({ history, durability }: Pick<Disk, "history" | "durability">): Promise<void> {
  if (durability === "full") await history.log.flush();
}

function unfinished({ mark }: History, why: string, cause: unknown): Refusal {
  mark.hold();
  return new Refusal("io_error", `The change failed half-way and could not be taken back: ${why}`, {
    next: "Free the disk or mend it; the change will be completed as a whole when the workspace is used next.",
    details: { unfinished: true },
    cause,
  });
}

/** Puts everything in place, or nothing, and then another entry says that it did not happen. */
async function placeAll(disk: Disk, commit: Commit): Promise<void> {
  const { steps } = commit;
  const intruders = new Map<Step, Version>();
  let begun = 0;
  try {
    for (const step of steps) {
      begun++;
      putInPlace(disk, step);
    }
    for (const step of steps) {
      const intruder = await displaced(step);
      if (intruder !== null) intruders.set(step, intruder);
    }
    if (intruders.size > 0) throw lostRace([...intruders.keys()].map(({ change }) => change.path).join(", "));
  } catch (error) {
    await takeBack(disk, commit, error, steps.slice(0, begun), intruders);
  }
}

/**
 * The entry did not happen: throws `cause`. The files first of all, so that others write into ours for as short as can
 * be. What they wrote into them is kept.
 */
async function takeBack(
  disk: Disk,
  { entry, job }: Commit,
  cause: unknown,
  steps: readonly Step[] = [],
  intruders: ReadonlyMap<Step, Version> = new Map(),
): Promise<never> {
  const { history, durability } = disk;
  const written = new Map<Step, Version>();
  try {
    for (const step of steps.toReversed()) {
      const found = await putBack(disk, step, intruders.get(step) ?? null);
      if (found !== null) written.set(step, found);
    }
    history.log.keep(await keepBlobs(history, [...intruders.values(), ...written.values()], durability));
    history.log.record(abortedDraft(entry!, job.author));
    // Where that cannot be flushed, a power failure may finish it as a whole, and no caller was told that it happened.
    await flush(disk).catch((error) => void refusalOf(error, "the journal", "flush"));
  } catch (error) {
    throw unfinished(history, refusalOf(error, job.changes[0]!.path, "take back the change of").message, cause);
  }
  for (const [{ change }, found] of [...written, ...intruders]) {
    const { sha, size, mode = 0 } = found;
    const now = { sha, size, mode, read: async () => found };
    await recordOthers(disk, [{ path: change.path, now }], job.author);
  }
  throw cause;
}
