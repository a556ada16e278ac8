// What the owner decides about a state that was not made here: take its history over, or move it aside and start anew.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { resolve as absolute } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Verification } from "../backend.ts";
import { build, type Examining, examine, settle } from "./adopt-contents.ts";
import { errnoOf, refusalOf } from "./errno.ts";
import { type Lock, openLock } from "./lock.ts";
import type { Dir } from "./pin.ts";
import { type Register, registerDirectory, registerFor } from "./register.ts";
import { openRoot, type Root } from "./root.ts";
import { ASIDE } from "./state.ts";
import { enterOrNull, makeAndEnter, openStateDirectory, type StateDirectory } from "./state-directory.ts";
import { checkFormat } from "./state-format.ts";
import { claim, judge, OTHER_OWNER, TRACKED } from "./trust.ts";

export interface AdoptOptions extends Examining {
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
  /** Entries and versions that were taken over, or would be. */
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
      const register = registerFor(root.path, options.registerDir ?? registerDirectory(), { flush: true });
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
  // All that takes long comes first: to end it half-way leaves everything as it was.
  const { whole, entries, ...rest } = await examine(root, base, how);
  const looked = { path, why, ...rest, ...(how.afresh ? NOTHING : { entries, versions: whole.length }) };
  if (how.dryRun) return { ...looked, aside: null };
  refuseUnmovable(why);
  const built = how.afresh ? null : build(root, base);
  try {
    const move = (): string => moveAside(base, built?.name);
    const aside = why === null ? await asOnlyUser(root, base, move) : move();
    if (built !== null) settle(root, base, { built: built.name, from: `${ASIDE}/${aside}`, whole });
    checkFormat(base);
    if (verdict.kind === "ours") register.remove(verdict.record.id);
    claim(base, path, register, looked.entries);
    return { ...looked, aside: `${ASIDE}/${aside}` };
  } finally {
    built?.dir.close();
    if (built !== null) fs.rmSync(base.at(built.name), { recursive: true, force: true });
  }
}

const NOTHING = { entries: 0, versions: 0 };

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

function whyNot(verdict: Exclude<ReturnType<typeof judge>, { kind: "new" }>): string | null {
  if (verdict.kind === "ours") return null;
  return verdict.kind === "foreign" ? verdict.why : "is not known here";
}

/** Git would write into it again, and what belongs to another user is not ours to move. */
function refuseUnmovable(why: string | null): void {
  if (why === TRACKED) {
    throw new Refusal("unsupported", `The state ${why}, so a checkout could replace parts of it at any time.`, {
      next: "Take it out of git first, with git rm -r --cached on it; then repeat this.",
    });
  }
  if (why === OTHER_OWNER) {
    throw new Refusal("permission_denied", `The state ${why}.`, { next: "Have its owner move it away." });
  }
}

/** Under a name that nothing can have, then in the directory for such things, which is made anew. */
function moveAside(base: Dir, except?: string): string {
  const name = `state-${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}`;
  const moving = `moving-${randomBytes(16).toString("hex")}`;
  // As bytes: what others put there may have names that are no text.
  const names = fs.readdirSync(base.self, { encoding: "buffer" });
  fs.mkdirSync(base.at(moving), { mode: 0o700 });
  const into = Buffer.from(`${base.at(moving)}/`);
  for (const each of names) {
    if (each.toString() !== except) fs.renameSync(base.atBytes(each), Buffer.concat([into, each]));
  }
  fs.mkdirSync(base.at(ASIDE), { mode: 0o700 });
  fs.renameSync(base.at(moving), `${base.at(ASIDE)}/${name}`);
  return name;
}

function nothingThere(): Refusal {
  return new Refusal("not_found", "There is no state here to adopt.", { next: "The first change makes one." });
}
