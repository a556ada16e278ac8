// What of a state from elsewhere can be taken over: looked through first, then built beside it.
import fs from "node:fs";
import type { Sha, Verification } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { isSha } from "../../../core/version.ts";
import { errnoOf, isNoDirectory } from "../errno.ts";
import { closeQuietly, hashOf } from "../io.ts";
import { copyChain, countChain } from "../journal/copy.ts";
import { openJournal } from "../journal/journal.ts";
import { writeSnapshot } from "../journal/snapshot.ts";
import { verifyJournal } from "../journal/verify.ts";
import type { Dir } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { enterOrNull, makeAndEnter } from "../state/directory.ts";
import { openStateFile, type StateFile } from "../state/file.ts";

/** It may take long: every kept byte is read. */
export interface Examining {
  readonly signal?: AbortSignal;
  readonly progress?: (words: string) => void;
}

export interface Examined {
  readonly verification: Verification;
  readonly unfinished: number;
  /** As many as are entries, each of which follows the one before it. */
  readonly entries: number;
  /** The versions that have the sha256 that they are filed under. */
  readonly whole: readonly Sha[];
}

export async function examine(root: Root, base: Dir, { signal = NEVER, progress }: Examining): Promise<Examined> {
  const verification = await within(root, base, "journal", NOTHING_TO_VERIFY, (dir) =>
    verifyJournal(dir.self, { signal, progress: (entries) => progress?.(`looked at ${entries} entries`) }),
  );
  const entries = await within(root, base, "journal", 0, (dir) => countChain(dir.self, signal));
  const unfinished = await within(root, base, "pending", 0, async (dir) => {
    return fs.readdirSync(dir.self).filter((name) => /^\d+-\d+-/.test(name)).length;
  });
  const whole = await within(root, base, "objects", [], (dir) => wholeVersions(dir, signal, progress));
  return { verification, unfinished, entries, whole };
}

export interface Built {
  readonly name: string;
  readonly dir: Dir;
  /** As many as were copied: another process may have added some since they were counted. */
  readonly entries: number;
}

/** The new journal, in a directory of its own. */
export function build(root: Root, base: Dir, name: string): Built {
  const dir = makeAndEnter(root, base, name);
  try {
    const journal = makeAndEnter(root, dir, "journal");
    const old = entered(root, base, "journal");
    try {
      const entries = old === null ? 0 : copyChain(old.self, journal);
      keepHeads(journal.self);
      return { name, dir, entries };
    } finally {
      old?.close();
      journal.close();
    }
  } catch (error) {
    discard(base, { name, dir, entries: 0 });
    throw error;
  }
}

/** Now, while the owner waits: else the first call would, without a pause, until all entries are read. */
export function keepHeads(dir: string): void {
  const journal = openJournal(dir);
  try {
    writeSnapshot(dir, journal.tail.seq + 1, WORTH_ENTRIES, journal.tail, journal.heads);
  } catch (error) {
    // Without one it is slower, and that is all.
    if (!(error instanceof Refusal)) throw error;
  } finally {
    journal.close();
  }
}

/** Fewer are read faster than a snapshot. */
const WORTH_ENTRIES = 500;

/** The journal in it is a copy. Where anything else is left in it, it stays. */
export function discard(base: Dir, { name, dir }: Built): void {
  try {
    fs.rmSync(dir.at("journal"), { recursive: true, force: true });
    if (fs.lstatSync(dir.at("objects"), { throwIfNoEntry: false }) !== undefined) fs.rmdirSync(dir.at("objects"));
    fs.rmdirSync(base.at(name));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  } finally {
    dir.close();
  }
}

const NEVER = new AbortController().signal;

const NOTHING_TO_VERIFY: Verification = {
  ok: true,
  entries: 0,
  head: { seq: 0, hash: "0".repeat(64) as Sha },
  problems: [],
  signedHeads: 0,
};

async function wholeVersions(objects: Dir, signal?: AbortSignal, progress?: Examining["progress"]): Promise<Sha[]> {
  const names = fs.readdirSync(objects.self).filter(isSha);
  const whole: Sha[] = [];
  for (const [n, sha] of names.entries()) {
    if (signal?.aborted) throw new Refusal("cancelled", "It was called off; nothing was changed.");
    if (n % 100 === 0) progress?.(`looked at ${n} of ${names.length} versions`);
    if (await isWhole(objects.at(sha), sha)) whole.push(sha);
  }
  return whole;
}

/** What cannot be read for a reason that passes ends the adoption instead: it must not be left behind for that. */
async function isWhole(path: string, sha: Sha): Promise<boolean> {
  let file: StateFile | null = null;
  try {
    file = openStateFile(path, { maxBytes: JOURNAL_LIMITS.keptBytes, anyOwner: true, anyLinks: true });
    return file !== null && (await hashOf(file.fd)).sha === sha;
  } catch (error) {
    if (error instanceof Refusal || DENIED.has(errnoOf(error) ?? "")) return false;
    throw error;
  } finally {
    if (file !== null) closeQuietly(file.fd);
  }
}

const DENIED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** `otherwise` where there is no directory of that name. */
async function within<T>(root: Root, base: Dir, name: string, otherwise: T, use: (dir: Dir) => Promise<T>): Promise<T> {
  const dir = entered(root, base, name);
  if (dir === null) return otherwise;
  try {
    return await use(dir);
  } finally {
    dir.close();
  }
}

/** Null where there is no directory of that name. */
export function entered(root: Root, base: Dir, name: string): Dir | null {
  try {
    return enterOrNull(root, base, name);
  } catch (error) {
    if (!isNoDirectory(error)) throw error;
    return null;
  }
}
