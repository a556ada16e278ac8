// Commits that wait for the lock at the same time go together: the first gets it, and the disk is flushed once for all.

import type { Author, Change, CommitNote, Committed, Entry } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { refusalOf } from "../errno.ts";
import { removeEmpty } from "../paths/parent.ts";
import { type Commit, compare, type Disk, discard, draftOf, finishAll, stageAll, swapAll } from "./commit.ts";
import { closeOld } from "./current-file.ts";
import { flushRound } from "./durability.ts";

export interface Job {
  readonly changes: readonly Change[];
  readonly author: Author;
  readonly note: CommitNote | undefined;
  /** Its turn has come; a refusal ends it before anything was done. */
  begin(): void;
  done(committed: Committed): void;
  failed(error: unknown): void;
}

/** The first, and of the others those that do not touch what it or another of them touches. They wait no longer. */
export function takeTogether<J extends Job>(waiting: Set<J>, first: J): J[] {
  const taken = new Set<string>();
  const above = new Set<string>();
  const jobs: J[] = [];
  let files = 0;
  for (const job of [first, ...[...waiting].filter((each) => each !== first)]) {
    const paths = job.changes.map(({ path }) => path);
    const parents = paths.flatMap(directoriesAbove);
    const isApart = !paths.some((path) => taken.has(path) || above.has(path)) && !parents.some((dir) => taken.has(dir));
    if (job !== first && (!isApart || files + paths.length > MOST_FILES)) continue;
    waiting.delete(job);
    jobs.push(job);
    files += paths.length;
    for (const path of paths) taken.add(path);
    for (const dir of parents) above.add(dir);
  }
  return jobs;
}

/** Each of them holds a descriptor or two until the end. */
const MOST_FILES = 128;

function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) above.push(path.slice(0, at));
  return above;
}

/** Under the workspace's lock, with the journal caught up and nothing left over from others. Every job is answered. */
export async function commitTogether(disk: Disk, jobs: readonly Job[]): Promise<void> {
  const told = [...(disk.told ?? [])];
  let left = jobs.filter(begins);
  while (left.length > 0) left = await commitOnce(disk, left, told);
}

function begins(job: Job): boolean {
  try {
    job.begin();
    return true;
  } catch (error) {
    job.failed(error);
    return false;
  }
}

interface Going extends Commit {
  readonly job: Job;
  isRefused: boolean;
}

/** Gives those that must be tried again: the journal had no place for them behind the others. */
async function commitOnce(disk: Disk, jobs: readonly Job[], told: string[]): Promise<Job[]> {
  const all = jobs.map(toGo);
  try {
    const compared = await each(all, (commit) => compare(disk, commit));
    const { safe, later } = await makeSafe(disk, compared);
    const swapped = await each(safe, (commit) => swapAll(disk, commit));
    const isClear = finishAll(disk, swapped);
    // Of one that was refused something may be left, and the next one looks.
    if (isClear && swapped.length === all.length) disk.state.pending.mayHold = false;
    for (const { job, entry, warnings } of swapped) {
      job.done({ entry: entry!, warnings: [...told.splice(0), ...warnings] });
    }
    return later.map(({ job }) => job);
  } catch (defect) {
    for (const commit of all) refuse(commit, defect);
    return [];
  } finally {
    for (const { olds, made, isRefused } of all) {
      for (const old of olds) closeOld(old);
      if (isRefused) removeEmpty(disk.root, made);
    }
  }
}

function toGo(job: Job): Going {
  const { changes, author, note } = job;
  return { job, changes, author, note, olds: [], made: [], stored: [], warnings: [], steps: [], isRefused: false };
}

/** One after the other; those that fail are answered and left out. */
async function each(commits: readonly Going[], work: (commit: Going) => Promise<void>): Promise<Going[]> {
  const good: Going[] = [];
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

function refuse(commit: Going, error: unknown): void {
  const { job, changes, made } = commit;
  if (commit.isRefused) return;
  commit.isRefused = true;
  if (error instanceof Refusal && error.failure.details?.unfinished === true) made.length = 0;
  try {
    job.failed(refusalOf(error, changes.map(({ path }) => path).join(", "), "change"));
  } catch (defect) {
    job.failed(defect);
  }
}

interface Safe {
  readonly safe: readonly Going[];
  readonly later: readonly Going[];
}

/** Everything that can still be taken back without a trace. When it returns, the commits have happened. */
async function makeSafe(disk: Disk, commits: readonly Going[]): Promise<Safe> {
  const { state, durability } = disk;
  const round = flushRound(durability);
  const seq = state.journal.tail.seq + 1;
  const staged: Going[] = [];
  try {
    await each(commits, async (commit) => {
      try {
        await stageAll(disk, commit, seq + staged.length, round);
        staged.push(commit);
      } catch (error) {
        discard(disk, commit);
        throw error;
      }
    });
    if (staged.length === 0) return { safe: [], later: [] };
    if (durability === "full") {
      state.pending.syncNames();
      if (staged.some(({ stored }) => stored.length > 0)) state.store.syncNames();
      state.journal.closeGap();
    }
    if (!disk.isHeld())
      throw new Refusal("busy", "This process was stopped for so long that another one took over the lock.", {
        next: "Try again.",
      });
    const later = appendAll(disk, staged);
    if (staged.length === 0) return { safe: [], later };
    if (durability === "full") state.syncJournalDirectory();
    round.addShared(state.journal.fd);
    await round.flush();
    return { safe: staged, later };
  } catch (error) {
    const [first] = staged;
    if (first?.entry !== undefined) state.journal.unappend(first.entry);
    for (const commit of staged) discard(disk, commit);
    for (const commit of commits) refuse(commit, error);
    return { safe: [], later: [] };
  } finally {
    round.drop();
  }
}

/** Leaves in `staged` those that have their entry; gives those whose turn comes later. */
function appendAll(disk: Disk, staged: Going[]): readonly Going[] {
  let entries: readonly Entry[] = [];
  try {
    entries = disk.state.journal.appendTogether(staged.map(draftOf));
  } catch (error) {
    refuse(staged[0]!, error);
  }
  for (const [n, entry] of entries.entries()) staged[n]!.entry = entry;
  // Staged names bear the number of their entry.
  const later = staged.splice(entries.length);
  for (const commit of later) discard(disk, commit);
  return later.filter(({ isRefused }) => !isRefused);
}
