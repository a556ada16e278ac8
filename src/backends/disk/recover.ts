// What a process left that died while committing: finished when its entry is in the journal, discarded when it is not.
import type { Entry, EntryChange, Version } from "../backend.ts";
import type { Disk } from "./commit.ts";
import { closeOld, type Old, openOld } from "./old.ts";
import { flushRound } from "./durability.ts";
import { withParent } from "./parent.ts";
import { type Step, swapIn } from "./swap.ts";

/** Under the lock. Cheap when nothing is left over: one look into an empty directory. */
export async function recover(disk: Disk): Promise<void> {
  const { pending, journal } = disk.state;
  const left = pending.list();
  if (left.length === 0) return;
  for (const seq of new Set(left.map((file) => file.seq))) {
    for (const entry of journal.entries({ sinceSeq: seq, untilSeq: seq })) {
      if (entry.outcome === "applied") await complete(disk, entry);
    }
    pending.clear(seq);
  }
}

/** Nothing was swapped before every new version was safe, so either all of it can be finished or none of it was begun. */
async function complete(disk: Disk, entry: Entry): Promise<void> {
  const versions = new Map<EntryChange, Version>();
  for (const change of entry.changes) {
    const version = change.to === null ? null : await newVersion(disk, change);
    if (version !== null) versions.set(change, version);
    else if (change.to !== null) return abort(disk, entry);
  }
  for (const [n, change] of entry.changes.entries()) await redo(disk, entry.seq, n, change, versions.get(change) ?? null);
  if (disk.durability === "full") for (const { path } of entry.changes) withParent(disk.root, path, {}, (dir) => dir.fsync());
}

async function newVersion({ state }: Disk, change: EntryChange): Promise<Version | null> {
  const kept = await state.store.get(change.to!).catch(() => null);
  return kept === null || change.toMode === undefined ? kept : { ...kept, mode: change.toMode };
}

/** A path that is neither at `from` nor at `to` was changed by somebody after the crash: theirs stays, ours is kept. */
async function redo(disk: Disk, seq: number, n: number, change: EntryChange, to: Version | null): Promise<void> {
  const { root, state } = disk;
  const old = await openOld(root, change.path);
  try {
    if ((old?.version.sha ?? null) !== change.from) return;
    const step: Step = { change: { ...change, to, proof: change.proof ?? "" }, old, seq, n, placed: 0 };
    await stageAgain(disk, step, old);
    swapIn(root, state.pending, step);
  } finally {
    closeOld(old);
  }
}

async function stageAgain({ state, durability }: Disk, { change, seq, n }: Step, old: Old | null): Promise<void> {
  state.pending.remove(seq, n, "new");
  if (change.to === null) return;
  const round = flushRound(durability);
  const mode = (change.to.mode ?? old?.stat.mode ?? 0o644) & 0o1777;
  const owner = old === null ? {} : { owner: { uid: old.stat.uid, gid: old.stat.gid } };
  await state.pending.stage(seq, n, change.to, { mode, ...owner }, round);
  await round.flush();
}

/** The power went before the new versions were safe: no path was touched, and the journal says so. */
function abort({ state }: Disk, entry: Entry): void {
  state.journal.append({ session: entry.session, tool: "recovery", outcome: "aborted", changes: [], of: [entry.seq] });
}
