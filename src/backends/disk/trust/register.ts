// The user's own record of the states made here, outside every workspace: a state that is not in it came from elsewhere.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import { isSha } from "../../../core/version.ts";
import { errnoOf } from "../errno.ts";
import { contains, realPlace } from "../paths/owner-path.ts";
import { createStateFile, isOurs, readStateFile, replaceStateFile } from "../state/file.ts";

/** What tells a state from every copy of it: where it lies on which disk, and when it was made. */
export interface Identity {
  readonly dev: string;
  readonly ino: string;
  /** When its directory was made, in nanoseconds; "0" where the file system does not say. */
  readonly born: string;
  readonly uid: number;
  /** Absolute, as it was last opened. */
  readonly path: string;
}

export interface StateRecord extends Identity {
  readonly id: string;
  /** Signs what a commit leaves behind if it is cut short: nothing else is finished after a crash. */
  readonly key: string;
  /** False: the file system keeps no permissions, so they say nothing about who can write there. */
  readonly modes: boolean;
  /** The last journal entry that was taken over from elsewhere; 0 when all were made here. */
  readonly elsewhere: number;
  /** An entry that was in its journal when stet last used it: a journal without it was cut or replaced. */
  readonly head?: { readonly seq: number; readonly hash: string };
  /** Why it is no longer believed, although it was made here. */
  readonly spoiled?: string;
}

export interface Register {
  /** Whether what is made for good has to outlast a power failure. */
  readonly flushes: boolean;
  find(id: string): StateRecord | null;
  /** Flushed, so that no power failure leaves a state without its record. */
  write(record: StateRecord): void;
  /** Changes what is known about a state, as it is by now. What fails is as if it had not been noted. */
  note(id: string, change: (known: StateRecord) => StateRecord): void;
  remove(id: string): void;
  /** Refuses where no state could be written down, as far as that can be told without writing. */
  check(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `STET_REGISTER`, else the directory in which systems keep what programs remember about a user. Undefined where the user
 * has no home: what needs it is refused then.
 */
export function registerDirectory(env: Environment = process.env): string | undefined {
  const given = env.STET_REGISTER?.trim();
  if (given) {
    if (isAbsolute(given)) return given;
    throw new Refusal("invalid_input", `STET_REGISTER must be an absolute path, not ${shown(given)}.`);
  }
  const local = process.platform === "win32" ? env.LOCALAPPDATA : undefined;
  const ofUser = [env.XDG_STATE_HOME, local].find((path) => path !== undefined && isAbsolute(path));
  if (ofUser !== undefined) return join(ofUser, "stet", "states");
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homeOfUser();
  return home === undefined ? undefined : join(home, ".local", "state", "stet", "states");
}

/** What lies in a workspace can come with it. Where it lies there by default, files can be read all the same. */
export function registerFor(root: string, directory: string | undefined, how: { readonly flush: boolean }): Register {
  if (directory === undefined || !contains(root, realPlace(directory))) return openRegister(directory, how);
  if (directory === registerDirectory({ ...process.env, STET_REGISTER: undefined }))
    return homeless(directory, "it lies in the workspace, with which it may have come");
  throw new Refusal(
    "invalid_input",
    `${shown(directory)} lies in the workspace, so it cannot tell which states were made here.`,
    { next: "Name a directory outside every workspace with STET_REGISTER, or registerDir." },
  );
}

/** As the machine knows it; undefined for many users in containers. */
export function homeOfUser(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
}

export const newId = (): string => randomBytes(16).toString("hex");
export const newKey = (): string => randomBytes(32).toString("hex");
export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

export function openRegister(given: string | undefined, { flush }: { readonly flush: boolean }): Register {
  if (given === undefined) return homeless("a home directory", "this user has none");
  const directory = given;
  const pathOf = (id: string): string => {
    if (!isId(id)) throw new Error("not an id of a state");
    return join(directory, `${id}.json`);
  };
  return {
    flushes: flush,
    find(id) {
      if (!isThere(directory)) return null;
      return parse(id, readStateFile(pathOf(id), RECORD_BYTES));
    },
    write(record) {
      try {
        makePrivate(directory);
        sweepQuietly(directory);
        replaceStateFile(pathOf(record.id), [`${JSON.stringify(record)}\n`], flush);
        if (flush) flushDirectory(directory);
      } catch (error) {
        throw error instanceof Refusal ? error : unusable(directory, errnoOf(error) ?? String(error), error);
      }
    },
    note(id, change) {
      try {
        const known = parse(id, readStateFile(pathOf(id), RECORD_BYTES));
        // Flushed: after a power failure there must be the old record or the new one, and not an empty file.
        if (known !== null) replaceStateFile(pathOf(id), [`${JSON.stringify(change(known))}\n`], true);
      } catch {
        // the next time it may succeed
      }
    },
    remove: (id) => fs.rmSync(pathOf(id), { force: true }),
    check() {
      try {
        fs.accessSync(isThere(directory) ? directory : nearest(directory), fs.constants.W_OK | fs.constants.X_OK);
      } catch (error) {
        throw error instanceof Refusal ? error : unusable(directory, errnoOf(error) ?? String(error), error);
      }
    },
  };
}

/** The directory in which the first of the missing ones would be made. */
function nearest(directory: string): string {
  const above = dirname(directory);
  return fs.existsSync(above) ? above : nearest(above);
}

function homeless(directory: string, why: string): Register {
  const refuse = (): never => {
    throw unusable(directory, why);
  };
  return { flushes: false, find: refuse, write: refuse, note: () => undefined, remove: () => undefined, check: refuse };
}

const RECORD_BYTES = 16 * 1024;

/** Only what this user alone can write is believed. */
function isThere(directory: string): boolean {
  const stat = fs.statSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (!stat.isDirectory()) throw unusable(directory, "it is not a directory");
  if (!isOurs(stat)) throw unusable(directory, "it belongs to another user");
  if ((stat.mode & 0o022) !== 0 && process.platform !== "win32")
    throw unusable(directory, "other users can write there");
  return true;
}

function makePrivate(directory: string): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  isThere(directory);
}

export function flushDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(directory, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function parse(id: string, bytes: Buffer | undefined): StateRecord | null {
  try {
    const found = JSON.parse(bytes?.toString() ?? "null") as Partial<StateRecord> | null;
    const texts = [found?.dev, found?.ino, found?.born, found?.path];
    const whole = texts.every((text) => typeof text === "string") && Number.isSafeInteger(found?.uid);
    if (!whole || found?.id !== id || !/^[0-9a-f]{64}$/.test(found.key ?? "") || typeof found.modes !== "boolean")
      return null;
    const { head, spoiled } = found;
    const headFits = head === undefined || (Number.isSafeInteger(head?.seq) && isSha(head?.hash));
    const fits = headFits && (spoiled === undefined || typeof spoiled === "string");
    return fits && Number.isSafeInteger(found.elsewhere) ? (found as StateRecord) : null;
  } catch {
    return null;
  }
}

/** Another process may do the same at this moment; one of them is enough. */
function sweepQuietly(directory: string): void {
  try {
    sweepDaily(directory);
  } catch {
    // the next day will do
  }
}

/** Once a day: records of directories that are long gone make room. */
function sweepDaily(directory: string): void {
  const swept = join(directory, "swept");
  const last = fs.lstatSync(swept, { throwIfNoEntry: false });
  if (last !== undefined && Date.now() - last.mtimeMs < DAY_MS) return;
  fs.rmSync(swept, { force: true });
  fs.closeSync(createStateFile(swept));
  for (const name of fs.readdirSync(directory).filter((each) => each.endsWith(".json"))) {
    const path = join(directory, name);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || Date.now() - stat.mtimeMs < LONG_GONE_MS) continue;
    const record = parse(name.slice(0, -".json".length), readStateFile(path, RECORD_BYTES));
    if (record !== null && !fs.existsSync(record.path)) fs.rmSync(path, { force: true });
  }
}

const DAY_MS = 24 * 3_600_000;
const LONG_GONE_MS = 400 * DAY_MS;

function unusable(directory: string, why: string, cause?: unknown): Refusal {
  return new Refusal(
    "unsupported",
    `stet remembers in ${shown(directory)} which states were made here, and cannot use it: ${why}.`,
    {
      next: "Name a directory of your own that lasts, outside every workspace, with STET_REGISTER.",
      details: { stateNotUsed: why },
      ...(cause !== undefined && { cause }),
    },
  );
}
