// One root: its file system, what this user may do in it, its locks, its history and its journal.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findHistory } from "../../backends/disk/home.ts";
import { takesLocks } from "../../backends/disk/lock.ts";
import { loadNative } from "../../backends/disk/native.ts";
import { STATE_NAME } from "../../backends/disk/tree.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import { linkHint } from "../commands/history/hints.ts";
import type { RootSettings, Settings } from "../config/settings.ts";
import { sizeInWords } from "../terminal/print.ts";
import { type Finding, fail, journalFailure, journalFindings, ok, warn } from "./finding.ts";

const { R_OK, W_OK, X_OK } = constants;

export async function* examineRoot(root: RootSettings, settings: Settings): AsyncGenerator<Finding> {
  const { path, policy } = root;
  yield ok("root", path);
  if (!can(path, R_OK | X_OK)) {
    yield fail("permissions", "this user may not read it", "Run stet as its owner.");
    return;
  }
  const readOnly = policy.readOnly === true || policy.readonly === true;
  yield fileSystemFinding(path);
  if (readOnly) yield ok("permissions", "readable; the policy is read-only, so nothing is written");
  else yield* probe(path);
  yield treeFinding(path, readOnly);
  const { stateDir } = settings.workspace;
  if (stateDir === undefined) {
    yield fail("state", "this user has no home directory", "Set STET_STATE to a directory of this user.");
    return;
  }
  try {
    yield* historyFindings(path, stateDir, readOnly);
    const workspace = openWorkspace({ ...settings.workspace, root: path, policy });
    try {
      yield* journalFindings(workspace);
    } finally {
      await workspace.close();
    }
  } catch (error) {
    yield journalFailure(error);
  }
}

function fileSystemFinding(path: string): Finding {
  const { type, bavail, bsize } = statfsSync(path);
  const free = `${sizeInWords(bavail * bsize)} free`;
  const remote = process.platform === "linux" ? REMOTE[type >>> 0] : undefined;
  if (remote !== undefined)
    return warn("file system", `${remote}, ${free}`, "Locks and power-failure safety depend on the server.");
  return bavail * bsize < LITTLE_BYTES
    ? warn("file system", free, "Little room: changes are refused, whole, when it is full.")
    : ok("file system", free);
}

const LITTLE_BYTES = 100 * 1024 * 1024;

/** By the numbers that Linux has for them. */
const REMOTE: Readonly<Record<number, string>> = {
  26985: "nfs",
  4283649346: "cifs",
  4266872130: "smb2",
  16914839: "9p",
  1702057286: "fuse",
  1785031267: "virtiofs",
  12805120: "ceph",
};

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Tries things out in a directory of its own, and removes it. */
function* probe(root: string): Generator<Finding> {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(root, ".stet-doctor-"));
    const fd = openSync(join(directory, "written"), "wx+");
    try {
      writeFileSync(fd, "stet");
      fsyncSync(fd);
      yield process.getuid?.() === 0
        ? warn("permissions", "writable, as the superuser", "File permissions hold nothing back.")
        : ok("permissions", "files can be read, written and flushed to the disk");
      yield lockFinding(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    yield fail("permissions", `no file can be made in it (${code})`, "Run stet as its owner, or with --read-only.");
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

function lockFinding(fd: number): Finding {
  const native = loadNative();
  if (takesLocks(native, fd)) return ok("locks", "system locks", "They hold between processes and go with them.");
  const why = typeof native === "string" ? native : "the file system takes no locks";
  return warn("locks", `a lease, because ${why}`, "A process that is killed holds it for 20 seconds more.");
}

function treeFinding(root: string, readOnly: boolean): Finding {
  const path = join(root, STATE_NAME);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const readable = "Files can be read, not changed";
  if (stat === undefined) return ok(STATE_NAME, readOnly ? "none, and none is needed" : "made with the first change");
  if (!stat.isDirectory()) return fail(STATE_NAME, `${path} is no directory`, `${readable}. Remove it.`);
  if (!can(path, R_OK | X_OK))
    return fail(STATE_NAME, `${path} may not be read by this user`, `${readable}. Run stet as its owner.`);
  const older = `${path} holds a history of format 1, which this stet does not read`;
  if (existsSync(join(path, "format"))) return fail(STATE_NAME, older, `${readable}. Move it away.`);
  return ok(STATE_NAME, `${path}: the lock and temporary files`);
}

function* historyFindings(path: string, stateDir: string, readOnly: boolean): Generator<Finding> {
  const directory = findHistory(stateDir, path);
  if (directory !== null) {
    yield can(directory, readOnly ? R_OK : R_OK | W_OK)
      ? ok("state", directory)
      : fail("state", `${directory} may not be used by this user`, "Run stet as its owner, or set STET_STATE.");
    return;
  }
  yield canBeMade(stateDir)
    ? ok("state", `none yet; the first change makes one in ${stateDir}`)
    : fail("state", `none can be made in ${stateDir}`, "Set STET_STATE to a directory that this user may write.");
  const hint = linkHint(stateDir, path);
  if (hint !== undefined) yield warn("state", hint.what, hint.next);
}

/** By the closest directory above it that is there. */
function canBeMade(directory: string): boolean {
  if (existsSync(directory)) return can(directory, W_OK | X_OK);
  return dirname(directory) !== directory && canBeMade(dirname(directory));
}
