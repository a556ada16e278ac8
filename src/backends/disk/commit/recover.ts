// What a process left that died while committing: finished when its entry is in the journal and the policy allows it, else discarded or set aside.
import fs from "node:fs";
import { type Entry, type EntryChange, LINK_MODE, type MayChange, type Version } from "../../../core/backend.ts";
import { listed } from "../../../core/counted.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { versionOf } from "../../../core/version.ts";
import { abortedDraft, RECOVERY } from "../../journal/draft.ts";
import { refusalOf } from "../errno.ts";
import { closeQuietly, readVersion } from "../io.ts";
import { withParent } from "../paths/parent.ts";
import { openStateFile } from "../state/file.ts";
import { type Disk, keepVersions, noteExternal } from "./commit.ts";
import { closeOld, type Old, openOld, readAt } from "./current-file.ts";
import { flushRound } from "./durability.ts";
import type { Pending, PendingFile, PendingKind } from "./pending.ts";
import { type Step, swapIn } from "./swap.ts";

/**
 * Under the lock. Cheap when nothing is left over: one look into an empty directory. In words, what was not finished.
 * `toRead`: for a call that reads; what such a one may not finish as a whole is left as it is, for the next change.
 */
export async function recover(disk: Disk, mayChange: MayChange, toRead = false): Promise<readonly string[]> {
  const { pending, journal } = disk.state;
  const found = pending.list();
  if (found.length === 0) return [];
  disk.state.requireOurs();
  const told: string[] = [];
  const toFinish: { readonly seq: number; readonly entry: Entry | null }[] = [];
  for (const seq of new Set(found.map((file) => file.seq))) {
    const entry = journal.entry(seq);
    const files = found.filter((file) => file.seq === seq && file.isMarked);
    const planted = found.filter((file) => file.seq === seq && !file.isMarked);
    if (toRead && !(entry?.outcome === "applied" && entry.changes.every(({ path }) => mayChange(path)))) continue;
    if (toRead && planted.length > 0) continue;
    if (planted.length > 0) told.push(setAside(disk, planted, entry, NOT_STET));
    if (files.length === 0) continue;
    const isAsLeft = files.every((file) => isAsStaged(pending.statOf(file), file.kind));
    const why = isAsLeft ? await objectionTo(disk, seq, entry, mayChange) : NOT_STET;
    if (why !== null && toRead) continue;
    if (why !== null) {
      told.push(setAside(disk, files, entry, why));
      continue;
    }
    toFinish.push({ seq, entry: entry !== null && stands(disk, entry) ? entry : null });
  }
  // All of them first: what one commit put in place may be what the next one displaced.
  const left = new Map<number, readonly LeftStep[]>();
  for (const { seq, entry } of toFinish) if (entry !== null) left.set(seq, await keepLeftOvers(disk, entry));
  // As in a commit: who wrote the entry may have died before it was safe, and nothing gets its place before it is.
  if (left.size > 0 && disk.durability === "full") flushJournal(disk);
  for (const { seq, entry } of toFinish) {
    if (entry !== null) {
      pending.markRedo(seq);
      // Staged names go next: from then on this one alone says that something is left to do.
      if (disk.durability === "full") pending.syncNames();
      told.push(...(await complete(disk, entry, left.get(seq)!)));
    }
    // What was staged is all that says that something is left to do, so it goes last.
    if (disk.durability === "full") flushJournal(disk);
    pending.clear(seq);
  }
  return told;
}

/** A later entry may say that it did not happen: then the journal speaks of its files as if it were not there. */
function stands({ state: { journal } }: Disk, { seq, outcome, changes }: Entry): boolean {
  return outcome === "applied" && changes.every(({ path }) => (journal.head(path)?.seq ?? 0) >= seq);
}

function flushJournal({ state }: Disk): void {
  state.syncJournalDirectory(true);
  if (!state.journal.flush()) throw new Refusal("io_error", "The disk did not confirm what recovery wrote down.");
}

const NOT_STET = "what lies there was not put there by stet";

/** A regular file or a link, not larger than what is kept: anything else would block, or act, or never end when it is opened. */
function isAsStaged(stat: fs.Stats | undefined, kind: PendingKind): boolean {
  if (stat === undefined) return true;
  if (stat.isSymbolicLink()) return kind === "new" || kind === "gone";
  return stat.isFile() && stat.size <= JOURNAL_LIMITS.keptBytes;
}

/**
 * Why this entry may not be finished: as of a change, and no links. What has its place already needs no permission. Null
 * also for an entry that was never written: then no file was touched, and what was staged goes.
 */
async function objectionTo(
  { root, state }: Disk,
  seq: number,
  entry: Entry | null,
  mayChange: MayChange,
): Promise<string | null> {
  if (entry === null) return seq <= state.journal.tail.seq ? "the journal no longer says what it was" : null;
  if (entry.outcome !== "applied") return null;
  for (const change of entry.changes) {
    const now = await readAt(root, change.path).catch(unlessDefect);
    if ((now?.sha ?? null) === change.to) continue;
    if (!mayChange(change.path)) return `the policy does not allow a change of ${shown(change.path)}`;
    if (change.toMode === LINK_MODE) return `${shown(change.path)} would become a symbolic link`;
  }
  return null;
}

/** Nothing is lost: what was staged lies in the state, and the journal says where and why. */
function setAside({ state }: Disk, files: readonly PendingFile[], entry: Entry | null, why: string): string {
  const name = state.pending.setAside(files);
  const { seq } = files[0]!;
  const message = `Entry ${seq} was not finished after a crash, because ${why}; what was left of it lies in aside/${name} of the state.`;
  state.journal.append({
    ...RECOVERY,
    outcome: "note",
    changes: [],
    message,
    ...(entry !== null && { of: [seq] }),
    details: { aside: name },
  });
  return message;
}

/**
 * The bytes of every new version are at its path or still staged, those of every old one at its path, staged in exchange
 * or moved aside: so all of it can be finished. Only a power failure before anything was swapped can leave them missing.
 * Gives, in words, what could not be finished all the same.
 */
async function complete(disk: Disk, entry: Entry, left: readonly LeftStep[]): Promise<readonly string[]> {
  const versions = new Map<LeftStep, Version | null>();
  for (const step of left) versions.set(step, await newVersion(disk, step.change));
  const isMissing = ({ change }: LeftStep, to: Version | null): boolean => to === null && change.to !== null;
  const cannotBe = left.filter((step) => step.was !== "placed" && isMissing(step, versions.get(step)!));
  if (cannotBe.length > 0 && left.every(({ was }) => was !== "placed")) return abort(disk, entry);
  const unfinished: EntryChange[] = [];
  for (const step of left) {
    const done = !cannotBe.includes(step) && (await redo(disk, entry.seq, step, versions.get(step)!));
    if (!done) unfinished.push(step.change);
  }
  if (disk.durability === "full") {
    for (const { path } of entry.changes) ifPossible(() => withParent(disk.root, path, {}, (dir) => dir.fsync()));
  }
  return unfinished.length === 0 ? [] : [await writeDown(disk, entry, unfinished)];
}

interface LeftStep {
  readonly n: number;
  readonly change: EntryChange;
  /** When the process died. "unknown": nothing was left of it, or its bytes were lost. */
  readonly was: "staged" | "placed" | "unknown";
}

/** Old or new: what lies in the pending directory or at a path goes into the store first, and is found there afterwards. */
async function keepLeftOvers(disk: Disk, { seq, changes }: Entry): Promise<readonly LeftStep[]> {
  const { pending } = disk.state;
  const left: LeftStep[] = [];
  for (const [n, change] of changes.entries()) {
    const staged = await versionAt(pending.pathOf(seq, n, "new"));
    const gone = await versionAt(pending.pathOf(seq, n, "gone"));
    const there = await readAt(disk.root, change.path).catch(unlessDefect);
    const found = [staged, gone, there].filter((version) => version !== null);
    await keepVersions(disk.state, found, disk.durability);
    left.push({ n, change, was: stateOf(pending, seq, n, change, { staged, gone, there }) });
  }
  return left;
}

type Found = Readonly<Record<"staged" | "gone" | "there", Version | null>>;

function stateOf(pending: Pending, seq: number, n: number, { from, to }: EntryChange, found: Found): LeftStep["was"] {
  const statOf = (kind: PendingKind): fs.Stats | undefined =>
    fs.lstatSync(pending.pathOf(seq, n, kind), { throwIfNoEntry: false });
  if ((found.there?.sha ?? null) === to || (to === null && found.gone !== null)) return "placed";
  if (to === null) return statOf("delete") === undefined ? "unknown" : "staged";
  // A new file keeps its staged name until its directory is safe.
  if (found.staged?.sha === to) return from === null && (statOf("new")?.nlink ?? 1) > 1 ? "placed" : "staged";
  return from !== null && found.staged?.sha === from ? "placed" : "unknown";
}

async function newVersion({ state }: Disk, { to, toMode }: EntryChange): Promise<Version | null> {
  const found = to === null ? null : await state.store.get(to).catch(() => null);
  return found === null ? null : { ...found, ...(toMode !== undefined && { mode: toMode }) };
}

/**
 * A path that is neither at `from` nor at `to` was changed after the crash: that change stays, our version is kept. False
 * when the change was never seen at its path, and is not now.
 */
async function redo(disk: Disk, seq: number, { n, change, was }: LeftStep, to: Version | null): Promise<boolean> {
  const { root, state } = disk;
  // A later entry found it finished.
  if ((state.journal.head(change.path)?.seq ?? 0) > seq) return true;
  const old = await openOld(root, change.path).catch(unlessDefect);
  try {
    const now = old?.sha ?? null;
    if (now !== change.from) return was !== "staged" || now === change.to;
    if (change.from === null) withParent(root, change.path, { createParents: true }, () => undefined);
    const kinds: readonly PendingKind[] = ["new", "gone"];
    for (const kind of kinds) state.pending.remove(seq, n, kind);
    const step: Step = { change: { ...change, to, proof: change.proof ?? "" }, old, seq, n, placed: 0 };
    await stageAgain(disk, step, old);
    swapIn(root, state.pending, step);
    return true;
  } catch (error) {
    // The tree was changed after the crash in a way that leaves no room for this file. Its version is kept.
    if (OF_THE_DISK.has(refusalOf(error, change.path, "recover").kind)) throw error;
    return false;
  } finally {
    closeOld(old);
  }
}

/** Says nothing about the path: once the disk is mended, or has room, the change can be finished. */
const OF_THE_DISK: ReadonlySet<string> = new Set(["io_error", "disk_full"]);

/**
 * The journal says that they happened: why they did not, and what is there instead, as another's. In this order: once
 * the journal has another word on a path, a recovery that is cut short is not begun again for it.
 */
async function writeDown(disk: Disk, { seq, changes }: Entry, unfinished: readonly EntryChange[]): Promise<string> {
  const paths = unfinished.map(({ path }) => path);
  const which = listed(paths.map(shown));
  const message =
    unfinished.length === changes.length
      ? `Entry ${seq} was not finished after a crash: ${which} had been changed, moved or removed by then. The new content is kept.`
      : `Entry ${seq} was finished after a crash, but not for ${which}: what was there was changed, moved or removed after the crash. The new content is kept.`;
  const draft = { ...RECOVERY, outcome: "note", changes: [], message, of: [seq] } as const;
  disk.state.journal.append({ ...draft, details: { unfinished: paths } });
  for (const path of paths) {
    const now = await openOld(disk.root, path).catch(unlessDefect);
    try {
      await noteExternal(disk, path, now, RECOVERY);
    } finally {
      closeOld(now);
    }
  }
  return message;
}

async function stageAgain({ state, durability }: Disk, { change, seq, n }: Step, old: Old | null): Promise<void> {
  if (change.to === null) return;
  const round = flushRound(durability);
  const mode = (change.to.mode ?? old?.stat.mode ?? 0o644) & 0o1777;
  const like = old?.fd === undefined ? {} : { owner: { uid: old.stat.uid, gid: old.stat.gid }, like: old.fd };
  await state.pending.stage(seq, n, change.to, { mode, ...like }, round);
  await round.flush();
}

/** The power went before the new versions were safe: no path was touched, and the journal says so. */
function abort({ state }: Disk, entry: Entry): readonly string[] {
  state.journal.append(abortedDraft(entry, entry));
  return [];
}

function unlessDefect(error: unknown): null {
  refusalOf(error, "", "recover");
  return null;
}

function ifPossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    unlessDefect(error);
  }
}

async function versionAt(path: string): Promise<Version | null> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return versionOf([fs.readlinkSync(path, { encoding: "buffer" })], LINK_MODE);
  const file = openStateFile(path, { maxBytes: JOURNAL_LIMITS.keptBytes, anyOwner: true, anyLinks: true });
  if (file === null) return null;
  try {
    return await readVersion(file.fd, file.stat, JOURNAL_LIMITS.keptBytes, path);
  } finally {
    closeQuietly(file.fd);
  }
}
