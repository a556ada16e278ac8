// The state directory: journal, kept versions, unfinished commits, lock. Made when first needed, never before, and used only if it was made here.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Backend, Entry, HistoryWeight, Sha, Verification, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import { verifyLines } from "../../journal/chain.ts";
import { START } from "../../journal/entry.ts";
import { toForget, usedSince } from "../../journal/to-forget.ts";
import { nameOrderOf } from "../commit/name-order.ts";
import { openPending, type Pending } from "../commit/pending.ts";
import { errnoOf, isNoDirectory, refusalOf } from "../errno.ts";
import { type Journal, openJournal } from "../journal/journal.ts";
import { verifyJournal } from "../journal/verify.ts";
import { Lock } from "../lock/lock.ts";
import type { Dir } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { type StillThere, stillThere, stillTogether } from "../paths/same-directory.ts";
import { lookThrough } from "../trust/look-through.ts";
import { flushDirectory, type Register, type StateRecord } from "../trust/register.ts";
import { claim, foreignState, judge } from "../trust/trust.ts";
import {
  enterOrNull,
  makeAndEnter,
  openStateDirectory,
  placeOf,
  STATE_NAME,
  type StateDirectory,
} from "./directory.ts";
import { checkFormat } from "./format.ts";
import { weigh } from "./history-size.ts";
import { openStore, type Store } from "./store.ts";

export interface State {
  readonly journal: Journal;
  readonly store: Store;
  readonly pending: Pending;
  readonly lock: Lock;
  /** Entries up to this number were taken over from elsewhere. */
  readonly elsewhere: number;
  weigh(): HistoryWeight;
  /** Makes the name of a new segment as safe as the entries in it; `byAny`: also of one that another process made. */
  syncJournalDirectory(byAny?: boolean): void;
  /** Refuses when its path leads elsewhere by now: others would lock there and write there, and neither side would know of the other. */
  check(): void;
  /** Refuses when it is not, or no longer, one that was made here: git may have put files into it meanwhile. */
  requireOurs(): void;
  /** Under the lock, when all is done: what the journal holds by now can only vanish by tampering. */
  settle(): void;
  close(): void;
}

export interface StateOptions {
  readonly stateDir?: string | undefined;
  readonly segmentBytes: number;
  readonly register: Register;
}

/** Null when there is none yet and none shall be made. One that may not be written can still be read. */
export async function openState(root: Root, options: StateOptions, create: boolean): Promise<State | null> {
  const found = openStateDirectory(root, options.stateDir, create);
  if (found === null) return null;
  const opened: Dir[] = [found.dir];
  try {
    const record = await trusted(root, found, options, create);
    if (record !== null) return await openSettled(() => open(root, found, record, options, opened));
  } catch (error) {
    for (const dir of opened) dir.close();
    throw error;
  }
  found.dir.close();
  return null;
}

/** Without the lock a journal may look damaged or cut because it is being written: only what stays so is. */
async function openSettled(openNow: () => State): Promise<State> {
  for (const ms of AGAIN_AFTER_MS) {
    try {
      return openNow();
    } catch (error) {
      const mayPass = error instanceof Refusal && (error.kind === "journal_damaged" || isCutJournal(error));
      if (!mayPass) throw error;
      await pause(ms);
    }
  }
  return openNow();
}

const AGAIN_AFTER_MS = [5, 20];

/** What was left unfinished and may not be finished, and states that the owner did not want to use. */
export const ASIDE = "aside";

/** Null: nothing is there yet. */
async function trusted(
  root: Root,
  { dir, path }: StateDirectory,
  { stateDir, register }: StateOptions,
  create: boolean,
): Promise<StateRecord | null> {
  const verdict = judge(dir, path, register);
  if (verdict.kind === "ours") return verdict.record;
  if (verdict.kind === "new") return create ? claim(dir, path, register) : null;
  if (verdict.kind === "foreign") throw foreignState(stateDir ?? STATE_NAME, verdict.why);
  const found = await lookThrough(root, dir);
  if ("odd" in found) throw foreignState(stateDir ?? STATE_NAME, `is not known here and ${found.odd}`);
  // What made it left no record, and an archive may look the same: none of its entries counts as made here.
  return claim(dir, path, register, found.entries);
}

function open(root: Root, found: StateDirectory, record: StateRecord, options: StateOptions, opened: Dir[]): State {
  const { dir: base, path } = found;
  const { stateDir, register, segmentBytes } = options;
  const inside: StillThere[] = [];
  const isInPlace = stillTogether(stillThere(base, placeOf(root, stateDir)), inside);
  const sub = (name: string): Dir => {
    const dir = part(root, base, name, stateDir ?? STATE_NAME);
    opened.push(dir);
    inside.push(stillThere(dir, { parent: base, name }));
    return dir;
  };
  const asideIn = (): Dir => part(root, base, ASIDE, stateDir ?? STATE_NAME);
  const nameOrder = nameOrderOf(base);
  const isNew = fs.lstatSync(base.at("pending"), { throwIfNoEntry: false }) === undefined;
  checkFormat(base, register.flushes);
  const journalDir = sub("journal");
  const journal = openJournal(journalDir.self, { segmentBytes, key: record.key });
  let noted = record.head?.seq ?? 0;
  // Only what was there under the lock: an entry that is seen without it may be taken back.
  let settled = START;
  const note = (): void => {
    const { seq, hash } = settled;
    if (seq <= noted) return;
    // What is noted must outlast a power failure, or it would look like a cut.
    if (!journal.flush()) return;
    noted = seq;
    const isNewer = (known: StateRecord): boolean => (known.head?.seq ?? 0) < seq;
    register.note(record.id, (known) => (isNewer(known) ? { ...known, head: { seq, hash } } : known));
  };
  try {
    if (isCut(journal, record)) throw foreignState(stateDir ?? STATE_NAME, CUT);
    const objects = sub("objects");
    const lock = new Lock(sub("lock").self, { shownAs: `${stateDir ?? STATE_NAME}/lock` });
    const pending = sub("pending");
    if (isNew && register.flushes) {
      base.fsync();
      flushDirectory(dirname(path));
    }
    return {
      journal,
      lock,
      elsewhere: record.elsewhere,
      store: openStore(objects, { nameOrder }),
      weigh: () => weigh({ dir: journalDir.self, entries: journal.tail.seq }, objects.self, currentIn(journal)),
      pending: openPending(pending, { key: record.key, asideIn, nameOrder }),
      syncJournalDirectory(byAny = false) {
        if (!byAny && !journal.directoryChanged) return;
        journalDir.fsync();
        journal.directorySynced();
      },
      check() {
        if (!isInPlace()) throw movedState(stateDir ?? STATE_NAME);
      },
      requireOurs() {
        const verdict = judge(base, path, register);
        if (verdict.kind === "ours" && verdict.record.id === record.id) return;
        throw foreignState(stateDir ?? STATE_NAME, verdict.kind === "foreign" ? verdict.why : "was replaced");
      },
      settle() {
        settled = journal.tail;
        if (settled.seq - noted >= NOTED_EVERY) note();
      },
      close() {
        note();
        journal.close();
        lock.close();
        for (const dir of opened) dir.close();
      },
    };
  } catch (error) {
    journal.close();
    throw error;
  }
}

function currentIn(journal: Journal): ReadonlySet<Sha> {
  const current = new Set<Sha>();
  for (const [, { sha }] of journal.heads.all()) if (sha !== null) current.add(sha);
  return current;
}

function part(root: Root, base: Dir, name: string, shownAs: string): Dir {
  try {
    return enterOrNull(root, base, name) ?? makeAndEnter(root, base, name);
  } catch (error) {
    if (!isNoDirectory(error)) throw error;
    throw foreignState(shownAs, `holds ${shown(name)}, which is not a directory`);
  }
}

const CUT = "has a journal that was cut or replaced since stet last wrote it here";
/** Entries between two notes: so many are looked through at most before a state is believed. */
const NOTED_EVERY = 100;

function isCutJournal(error: Refusal): boolean {
  return error.failure.details?.stateNotUsed === CUT;
}

function isCut(journal: Journal, { head }: StateRecord): boolean {
  if (head === undefined) return false;
  if (journal.tail.seq <= head.seq) return journal.tail.seq < head.seq || journal.tail.hash !== head.hash;
  return journal.entry(head.seq)?.hash !== head.hash;
}

/** Without opening the state for use, which a journal with a damaged end does not allow. */
export async function verifyState(root: Root, options: StateOptions, how?: VerifyOptions): Promise<Verification> {
  const found = openStateDirectory(root, options.stateDir, false);
  if (found === null) return verifyLines([], how);
  let journal: Dir | null = null;
  try {
    const record = await trusted(root, found, options, false);
    if (record === null) return verifyLines([], how);
    checkFormat(found.dir, options.register.flushes);
    const { head } = record;
    const known = head === undefined ? how : { expectedHead: `${head.seq}:${head.hash}`, ...how };
    journal = enterOrNull(root, found.dir, "journal");
    return journal === null ? verifyLines([], known) : await verifyJournal(journal.self, known);
  } finally {
    journal?.close();
    found.dir.close();
  }
}

/** For what the operating system says of the state; a refusal stays as it is. */
export function stateRefusal(error: unknown, root: Root, { stateDir }: StateOptions): Refusal {
  const refusal = refusalOf(error, stateDir ?? join(root.path, STATE_NAME), "use the state in");
  if (refusal === error || refusal.kind !== "permission_denied") return refusal;
  const { message, path, details } = refusal.failure;
  const next =
    errnoOf(error) === "EROFS"
      ? "Give it a stateDir on a disk that can be written."
      : "Run stet as the owner of the state, or give it a stateDir of its own.";
  return new Refusal(refusal.kind, message, {
    next,
    cause: error,
    ...(path !== undefined && { path }),
    ...(details !== undefined && { details }),
  });
}

function movedState(path: string): Refusal {
  return new Refusal(
    "unsupported",
    `The state of this workspace, ${shown(path)}, was moved, deleted or replaced since it was opened, so nothing is changed here any more.`,
    { next: "Start stet again." },
  );
}

/** Under the lock. Versions that came into use after they were looked at stay. */
export async function forgetVersions(
  { journal, store }: Pick<State, "journal" | "store">,
  ...[shas, looked]: Parameters<Backend["forget"]>
): ReturnType<Backend["forget"]> {
  const versions = [...new Set(shas)].flatMap((sha) => store.find(sha) ?? []);
  const since: Entry[] = [];
  if (looked !== undefined)
    for await (const entry of journal.log({ sinceSeq: looked.newest?.seq ?? 1 })) since.push(entry);
  const { gone, told } = toForget(versions, usedSince(since, looked), looked);
  for (const sha of gone) store.remove(sha);
  return told;
}
