// One root: its file system, what this user may do in it, its locks, its history and its journal.
import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findHistory } from "../../backends/disk/home.ts";
import { STATE_NAME } from "../../backends/disk/tree.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import type { RootSettings, Settings } from "../config/settings.ts";
import { linkHint } from "../history/link-hint.ts";
import { sizeInWords } from "../terminal/print.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { journalFailure, journalFindings } from "./journal.ts";
import { probe } from "./probe.ts";

export async function* examineRoot(root: RootSettings, settings: Settings): AsyncGenerator<Finding> {
  if (!statSync(root.path).isDirectory()) {
    yield fail("root", `${root.path} is no directory`, "Name a directory.");
    return;
  }
  yield ok("root", root.path);
  const readOnly = root.policy.readOnly === true || root.policy.readonly === true;
  yield fileSystemFinding(root.path);
  const permission = permissionFinding(root.path, readOnly);
  yield permission;
  if (!can(root.path, constants.R_OK | constants.X_OK)) return;
  if (permission.state !== "fail" && !readOnly) yield* probe(root.path);
  yield* stateFindings(root, settings, readOnly);
}

async function* stateFindings(root: RootSettings, settings: Settings, readOnly: boolean): AsyncGenerator<Finding> {
  const { stateDir } = settings.workspace;
  yield treeFinding(root.path, readOnly);
  if (stateDir === undefined) {
    yield fail("state", "this user has no home directory", "Set STET_STATE to a directory of this user.");
    return;
  }
  try {
    yield* historyFindings(root, stateDir, readOnly);
    const workspace = opened(root, settings);
    try {
      yield* journalFindings(workspace);
    } finally {
      await workspace.close();
    }
  } catch (error) {
    yield journalFailure(error);
  }
}

function opened({ path, policy }: RootSettings, settings: Settings): Workspace {
  return openWorkspace({ ...settings.workspace, root: path, policy });
}

function fileSystemFinding(path: string): Finding {
  const { type, bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const name = fileSystemName(type);
  const what = `${name}, ${sizeInWords(free)} free`;
  if (isRemote(type)) {
    return warn("file system", what, "Locks and power-failure safety depend on the server.");
  }
  return free < LITTLE_BYTES
    ? warn("file system", what, "Little room: changes are refused, whole, when it is full.")
    : ok("file system", what);
}

const LITTLE_BYTES = 100 * 1024 * 1024;

function permissionFinding(path: string, readOnly: boolean): Finding {
  const { R_OK, W_OK, X_OK } = constants;
  if (!can(path, R_OK | X_OK)) return fail("permissions", "this user may not read it", "Run stet as its owner.");
  if (readOnly) return ok("permissions", "readable; the policy is read-only, so nothing is written");
  if (!can(path, W_OK)) {
    return fail("permissions", "this user may not write in it", "Run stet as its owner, or with --read-only.");
  }
  return process.getuid?.() === 0
    ? warn(
        "permissions",
        "readable and writable, as the superuser",
        "File permissions hold nothing back; run stet as an ordinary user.",
      )
    : ok("permissions", "readable and writable");
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function treeFinding(root: string, readOnly: boolean): Finding {
  const path = join(root, STATE_NAME);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const readable = "Files can be read, not changed";
  if (stat === undefined) return ok(STATE_NAME, readOnly ? "none, and none is needed" : "made with the first change");
  if (!stat.isDirectory()) return fail(STATE_NAME, `${path} is no directory`, `${readable}. Remove it.`);
  if (!can(path, constants.R_OK | constants.X_OK))
    return fail(STATE_NAME, `${path} may not be read by this user`, `${readable}. Run stet as its owner.`);
  return existsSync(join(path, "format"))
    ? fail(
        STATE_NAME,
        `${path} holds a history of format 1, which this stet does not read`,
        `${readable}. Move it away.`,
      )
    : ok(STATE_NAME, `${path}: the lock and temporary files`);
}

function* historyFindings({ path }: RootSettings, stateDir: string, readOnly: boolean): Generator<Finding> {
  const directory = findHistory(stateDir, path);
  if (directory !== null) {
    yield can(directory, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK)
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
  if (existsSync(directory)) return can(directory, constants.W_OK | constants.X_OK);
  return dirname(directory) !== directory && canBeMade(dirname(directory));
}

const NAMES: Readonly<Record<number, string>> = {
  61267: "ext4",
  1481003842: "xfs",
  2435016766: "btrfs",
  801189825: "zfs",
  4076150800: "f2fs",
  16914836: "tmpfs",
  2035054128: "overlay",
  19780: "vfat",
  538032816: "exfat",
  1936094318: "ntfs",
  26985: "nfs",
  4283649346: "cifs",
  4266872130: "smb2",
  16914839: "9p",
  1702057286: "fuse",
  1785031267: "virtiofs",
  12805120: "ceph",
};

const REMOTE: ReadonlySet<string> = new Set(["nfs", "cifs", "smb2", "9p", "fuse", "virtiofs", "ceph"]);

export function fileSystemName(type: number): string {
  return NAMES[type >>> 0] ?? `type 0x${(type >>> 0).toString(16)}`;
}

export function isRemote(type: number): boolean {
  return process.platform === "linux" && REMOTE.has(fileSystemName(type));
}
