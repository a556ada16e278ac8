// What the owner decides about a state that was not made here: take its history over, or move it aside and start anew.
import fs from "node:fs";
import { resolve as absolute, join } from "node:path";
import type { Sha, Verification } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import { Lock } from "../lock/lock.ts";
import type { Dir } from "../paths/pin.ts";
import { openRoot, type Root } from "../paths/root.ts";
import { ADOPTING, enterOrNull, makeAndEnter, openStateDirectory, type StateDirectory } from "../state/directory.ts";
import { makeMovable, refuseUnmovable, tryRegister, whyNotOpened } from "./adopt-before.ts";
import { build, discard, type Examining, examine } from "./adopt-contents.ts";
import { isHalfMoved, newName, replaceState, takeBack } from "./adopt-move.ts";
import { type Register, registerDirectory, registerFor } from "./register.ts";
import { claim, judge } from "./trust.ts";

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
  /** An adoption that was begun before and not finished was taken back first. */
  readonly takenBack: boolean;
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
      const registerDir = options.registerDir ?? registerDirectory();
      const register = registerFor(root.path, registerDir, { flush: true });
      if (options.dryRun) return await decided(root, found, register, options);
      tryRegister(register, found.path);
      return await asOnlyAdopter(registerDir, () => decided(root, found, register, options));
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
  if (how.dryRun && isHalfMoved(root, base)) throw halfMoved();
  const { verdict, why, takenBack } = await judged(root, found, register, how);
  // All that takes long comes first: to end it half-way leaves everything as it was.
  const { whole, entries, ...rest } = await examine(root, base, how);
  const looked = { path, why, takenBack, ...rest };
  if (how.dryRun) return { ...looked, ...(how.afresh ? NOTHING : { entries, versions: whole.length }), aside: null };
  const replace = () => rebuilt(root, base, how.afresh ? null : whole);
  const done = verdict.kind === "ours" ? await asOnlyUser(root, base, replace) : replace();
  if (verdict.kind === "ours") register.remove(verdict.record.id);
  claim(base, path, register, done.entries);
  return { ...looked, ...done };
}

/** Refuses where there is nothing to decide, and what cannot be moved before anything is. */
async function judged(root: Root, { dir: base, path }: StateDirectory, register: Register, how: AdoptOptions) {
  let verdict = judge(base, path, register);
  let takenBack = false;
  if (!how.dryRun && verdict.kind !== "new") {
    refuseUnmovable(whyForeign(verdict));
    makeMovable(base);
    takenBack = isHalfMoved(root, base);
    if (takenBack) {
      takeBack(root, base);
      verdict = judge(base, path, register);
    }
  }
  if (verdict.kind === "new") throw nothingThere();
  const stateDir = how.stateDir === undefined ? undefined : absolute(how.stateDir);
  const asked = verdict.kind === "ours" && how.afresh !== true;
  const why = asked ? await whyNotOpened(root, { stateDir, register }) : whyForeign(verdict);
  if (asked && why === null) {
    throw new Refusal("invalid_input", "The state was made here; it is in use already.", {
      next: "stet adopt --afresh moves it aside and starts anew.",
    });
  }
  return { verdict, why, takenBack };
}

/** `whole` is null when nothing is taken over. */
function rebuilt(
  root: Root,
  base: Dir,
  whole: readonly Sha[] | null,
): Pick<Adoption, "entries" | "versions" | "aside"> {
  const built = whole === null ? null : build(root, base, newName(ADOPTING));
  try {
    return { entries: built?.entries ?? 0, ...replaceState(root, base, built, whole ?? []) };
  } finally {
    if (built !== null) discard(base, built);
  }
}

const NOTHING = { entries: 0, versions: 0 };

/** Others who use it hold on to it until they are done, and then notice that it is gone. */
async function asOnlyUser<T>(root: Root, base: Dir, work: () => T): Promise<T> {
  const dir = lockDirectory(root, base);
  if (dir === null) return work();
  const lock = new Lock(dir.self);
  try {
    const release = await lock.acquire({ timeoutMs: LIMITS.lockMs }).catch(unlessUnfit);
    try {
      return work();
    } finally {
      release?.();
    }
  } finally {
    lock.close();
    dir.close();
  }
}

/** Null where something else bears its name: then no process can hold the lock. */
function lockDirectory(root: Root, base: Dir): Dir | null {
  try {
    return enterOrNull(root, base, "lock") ?? makeAndEnter(root, base, "lock");
  } catch (error) {
    if (["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}

/** Where its files are none that stet would open, no process can hold its lock. */
function unlessUnfit(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
}

/** One adoption of a user at a time: a second one would take back what the first is doing. */
async function asOnlyAdopter<T>(registerDir: string | undefined, work: () => Promise<T>): Promise<T> {
  if (registerDir === undefined) return work();
  const dir = join(registerDir, "adopting");
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = new Lock(dir);
  try {
    const release = await lock.acquire({ timeoutMs: LIMITS.lockMs });
    try {
      return await work();
    } finally {
      release();
    }
  } finally {
    lock.close();
  }
}

function whyForeign(verdict: Exclude<ReturnType<typeof judge>, { kind: "new" }>): string | null {
  if (verdict.kind === "ours") return null;
  return verdict.kind === "foreign" ? verdict.why : "is not known here";
}

function halfMoved(): Refusal {
  return new Refusal(
    "unsupported",
    "An adoption was begun here and not finished, so there is nothing to look at yet.",
    {
      next: "stet adopt, without --dry-run, puts everything back first and then adopts it; stet adopt --afresh starts anew.",
    },
  );
}

function nothingThere(): Refusal {
  return new Refusal("not_found", "There is no state here to adopt.", { next: "The first change makes one." });
}
