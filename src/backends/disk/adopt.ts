// What the owner decides about a state that was not made here: take its history over, or move it aside and start anew.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { resolve as absolute } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../kernel/limits.ts";
import { isSha } from "../../kernel/version.ts";
import type { Verification } from "../backend.ts";
import { errnoOf, refusalOf } from "./errno.ts";
import { closeQuietly, hashOf } from "./io.ts";
import { copyChain } from "./journal-copy.ts";
import { verifyJournal } from "./journal-verify.ts";
import { type Lock, openLock } from "./lock.ts";
import type { Dir } from "./pin.ts";
import { openRegister, type Register, registerDirectory } from "./register.ts";
import { openRoot, type Root } from "./root.ts";
import { ASIDE } from "./state.ts";
import { enterOrNull, makeAndEnter, openStateDirectory, type StateDirectory } from "./state-directory.ts";
import { openStateFile } from "./state-file.ts";
import { checkFormat } from "./state-format.ts";
import { claim, judge } from "./trust.ts";

export interface AdoptOptions {
  readonly root: string;
  readonly stateDir?: string;
  readonly registerDir?: string;
  /** Nothing is taken over. */
  readonly afresh?: boolean;
  /** Only looks. */
  readonly dryRun?: boolean;
}

export interface Adoption {
  /** Absolute. */
  readonly path: string;
  /** Why it is not used as it is, to complete "It …"; null when it was made here. */
  readonly why: string | null;
  /** What its journal says of itself. */
  readonly verification: Verification;
  readonly unfinished: number;
  /** Entries and versions that were taken over; in a dry run, that would be looked through. */
  readonly entries: number;
  readonly versions: number;
  /** Where the state as it was lies now, relative to `path`; null in a dry run. */
  readonly aside: string | null;
}

/**
 * Nothing of it is used in place: all of it is moved aside, and what passes every check comes back, entries line by line
 * and versions by their sha256. What was unfinished is not finished.
 */
export async function adoptState(options: AdoptOptions): Promise<Adoption> {
  const root = openRoot(options.root);
  try {
    const stateDir = options.stateDir === undefined ? undefined : absolute(options.stateDir);
    const found = openStateDirectory(root, stateDir, false);
    if (found === null) throw nothingThere();
    try {
      const register = openRegister(options.registerDir ?? registerDirectory(), { flush: true });
      return await decided(root, found, register, options);
    } catch (error) {
      throw refusalOf(error, found.path, "adopt the state in");
    } finally {
      found.dir.close();
    }
  } finally {
    root.close();
  }
}

async function decided(root: Root, found: StateDirectory, register: Register, how: AdoptOptions): Promise<Adoption> {
  const { dir: base, path } = found;
  const verdict = judge(base, path, register);
  if (verdict.kind === "new") throw nothingThere();
  const why = whyNot(verdict);
  if (why === null && how.afresh !== true) {
    throw new Refusal("invalid_input", "The state was made here; it is in use already.", {
      next: "stet adopt --afresh moves it aside and starts anew.",
    });
  }
  const looked = { path, why, ...(await look(root, base)) };
  if (how.dryRun) return { ...looked, aside: null };
  refuseUnmovable(why);
  const aside = why === null ? await asOnlyUser(root, base, () => moveAside(base)) : moveAside(base);
  const old = asideOf(root, base, aside);
  try {
    const taken = how.afresh === true ? { entries: 0, versions: 0 } : await takeOver(root, base, old);
    checkFormat(base);
    claim(base, path, register, taken.entries);
    return { ...looked, ...taken, aside: `${ASIDE}/${aside}` };
  } finally {
    old.close();
  }
}

/** Others who use it hold on to it until they are done, and then notice that it is gone. */
async function asOnlyUser<T>(root: Root, base: Dir, work: () => T): Promise<T> {
  const dir = lockDirectory(root, base);
  if (dir === null) return work();
  let lock: Lock | undefined;
  try {
    lock = openLock(dir.self);
    const release = await lock.acquire({ timeoutMs: LIMITS.lockMs });
    try {
      return work();
    } finally {
      release();
    }
  } finally {
    lock?.close();
    dir.close();
  }
}

/** Null where something else bears its name: then nobody can hold the lock. */
function lockDirectory(root: Root, base: Dir): Dir | null {
  try {
    return enterOrNull(root, base, "lock") ?? makeAndEnter(root, base, "lock");
  } catch (error) {
    if (["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}

function asideOf(root: Root, base: Dir, name: string): Dir {
  const all = root.pinning.enter(base, ASIDE);
  try {
    return root.pinning.enter(all, name);
  } finally {
    all.close();
  }
}

function whyNot(verdict: Exclude<ReturnType<typeof judge>, { kind: "new" }>): string | null {
  if (verdict.kind === "ours") return null;
  return verdict.kind === "foreign" ? verdict.why : "is not known here";
}

/** Git would write into it again, and what belongs to another user is not ours to move. */
function refuseUnmovable(why: string | null): void {
  if (why?.includes("git")) {
    throw new Refusal("unsupported", `The state ${why}, so a checkout could replace parts of it at any time.`, {
      next: "Take it out of git first, with git rm -r --cached on it; then repeat this.",
    });
  }
  if (why?.includes("another user")) {
    throw new Refusal("permission_denied", `The state ${why}.`, { next: "Have its owner move it away." });
  }
}

async function look(
  root: Root,
  base: Dir,
): Promise<Pick<Adoption, "verification" | "unfinished" | "entries" | "versions">> {
  const verification = await within(root, base, "journal", NOTHING_TO_VERIFY, (dir) => verifyJournal(dir.self));
  const count = (name: string, names: (name: string) => boolean) =>
    within(root, base, name, 0, async (dir) => fs.readdirSync(dir.self).filter(names).length);
  return {
    verification,
    entries: verification.entries,
    versions: await count("objects", isSha),
    unfinished: await count("pending", (name) => /^\d+-\d+-/.test(name)),
  };
}

const NOTHING_TO_VERIFY: Verification = {
  ok: true,
  entries: 0,
  head: { seq: 0, hash: "0".repeat(64) as Verification["head"]["hash"] },
  problems: [],
  checkpoints: 0,
};

/** Under a name that nothing can have, then in the directory for such things, which is made anew. */
function moveAside(base: Dir): string {
  const name = `state-${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}`;
  const moving = `moving-${randomBytes(16).toString("hex")}`;
  // As bytes: what others put there may have names that are no text.
  const names = fs.readdirSync(base.self, { encoding: "buffer" });
  fs.mkdirSync(base.at(moving), { mode: 0o700 });
  const into = Buffer.from(`${base.at(moving)}/`);
  for (const each of names) fs.renameSync(base.atBytes(each), Buffer.concat([into, each]));
  fs.mkdirSync(base.at(ASIDE), { mode: 0o700 });
  fs.renameSync(base.at(moving), `${base.at(ASIDE)}/${name}`);
  return name;
}

async function takeOver(root: Root, base: Dir, old: Dir): Promise<Pick<Adoption, "entries" | "versions">> {
  const journal = makeAndEnter(root, base, "journal");
  const objects = makeAndEnter(root, base, "objects");
  try {
    const entries = await within(root, old, "journal", 0, async (dir) => copyChain(dir.self, journal));
    const versions = await within(root, old, "objects", 0, (dir) => takeVersions(dir, objects));
    return { entries, versions };
  } finally {
    journal.close();
    objects.close();
  }
}

/** Only what has the sha256 that it is filed under. Another name by hard link could write into it, so it stays behind. */
async function takeVersions(from: Dir, to: Dir): Promise<number> {
  let taken = 0;
  for (const sha of fs.readdirSync(from.self).filter(isSha)) {
    if (!(await isWhole(from.at(sha), sha))) continue;
    fs.renameSync(from.at(sha), to.at(sha));
    taken++;
  }
  return taken;
}

async function isWhole(path: string, sha: string): Promise<boolean> {
  try {
    const file = openStateFile(path, { maxBytes: JOURNAL_LIMITS.keptBytes, anyOwner: true });
    if (file === null) return false;
    try {
      return file.stat.nlink === 1 && (await hashOf(file.fd)).sha === sha;
    } finally {
      closeQuietly(file.fd);
    }
  } catch (error) {
    if (error instanceof Refusal || errnoOf(error) !== undefined) return false;
    throw error;
  }
}

/** `otherwise` where there is no directory of that name, or none that can be used. */
async function within<T>(root: Root, base: Dir, name: string, otherwise: T, use: (dir: Dir) => Promise<T>): Promise<T> {
  let dir: Dir | null;
  try {
    dir = enterOrNull(root, base, name);
  } catch {
    return otherwise;
  }
  if (dir === null) return otherwise;
  try {
    return await use(dir);
  } finally {
    dir.close();
  }
}

function nothingThere(): Refusal {
  return new Refusal("not_found", "There is no state here to adopt.", { next: "The first change makes one." });
}
