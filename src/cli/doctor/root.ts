// One root: its file system, what this user may do in it, its locks, its state and its journal.
import { accessSync, constants, lstatSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadNative } from "../../backends/disk/native.ts";
import { STATE_NAME } from "../../backends/disk/state/directory.ts";
import { readStateFile } from "../../backends/disk/state/file.ts";
import { registerFor } from "../../backends/disk/trust/register.ts";
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import type { RootSettings, Settings } from "../config/settings.ts";
import { sizeInWords } from "../terminal/print.ts";
import { fileSystemName, isRemote } from "./file-systems.ts";
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

/** A state that is not used is told in the words of every other command, and not looked into any further. */
async function* stateFindings(root: RootSettings, settings: Settings, readOnly: boolean): AsyncGenerator<Finding> {
  const state = stateFinding(root, readOnly);
  if (state.state === "fail") {
    yield state;
    yield* historyFindings(root, settings);
    return;
  }
  const workspace = opened(root, settings);
  try {
    const unused = (await workspace.backend.unused?.()) ?? (readOnly ? null : unrecordable(root, settings));
    if (unused === null) yield state;
    else yield fail("state", unused.failure.message, unused.failure.suggestedAction ?? "Nothing is changed here.");
    if (unused !== null) return;
  } finally {
    await workspace.close();
  }
  yield* historyFindings(root, settings);
}

/** The first change would be refused: it could not be written down that the state was made here. */
function unrecordable({ path }: RootSettings, { workspace: { registerDir } }: Settings): Refusal | null {
  try {
    registerFor(path, registerDir, { flush: false }).check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function opened({ path, policy, stateDir }: RootSettings, settings: Settings): Workspace {
  return openWorkspace({ ...settings.workspace, root: path, policy, ...(stateDir !== undefined && { stateDir }) });
}

function fileSystemFinding(path: string): Finding {
  const { type, bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const name = fileSystemName(type);
  const what = `${name}, ${sizeInWords(free)} free`;
  if (isRemote(type)) {
    return warn(
      "file system",
      what,
      "Locks and power-failure safety depend on the server; keep the state on a local disk (stateDir).",
    );
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

function stateFinding(root: RootSettings, readOnly: boolean): Finding {
  const path = root.stateDir ?? join(root.path, STATE_NAME);
  const itself = lookedAt(path, lstatSync);
  if (typeof itself === "string") {
    return fail(
      "state",
      `${path} cannot be looked at (${itself})`,
      "Run stet as its owner, or choose another stateDir.",
    );
  }
  if (itself === undefined) {
    if (readOnly) return ok("state", "none, and none is needed");
    const parent = dirname(path);
    return can(parent, constants.W_OK) || !can(parent, constants.F_OK)
      ? ok("state", `${path}, made with the first change`)
      : fail("state", `${path} cannot be made`, "Choose another stateDir.");
  }
  const stat = lookedAt(path, statSync);
  if (isLinkToDirectory(root)) return fail("state", `${path} is a link, which stet does not follow`, NAME_IT);
  if (typeof stat !== "object" || !stat.isDirectory()) return fail("state", `${path} is no directory`, "Remove it.");
  const needed = readOnly ? constants.R_OK | constants.X_OK : constants.R_OK | constants.W_OK | constants.X_OK;
  if (!can(path, needed)) return unusableState(path, stat);
  return lockFinding(path, readOnly);
}

/** In the usual place no link is followed; an owner who moved the state elsewhere must not be told to remove it. */
function isLinkToDirectory({ path, stateDir }: RootSettings): boolean {
  if (stateDir !== undefined) return false;
  const place = join(path, STATE_NAME);
  const [itself, target] = [lookedAt(place, lstatSync), lookedAt(place, statSync)];
  const isLink = typeof itself === "object" && itself.isSymbolicLink();
  return isLink && typeof target === "object" && target.isDirectory();
}

const NAME_IT = "Name the directory that it leads to as stateDir, and remove the link.";

/** A lock that another stet chose may be one that this one cannot use: then it can only read. */
function lockFinding(path: string, readOnly: boolean): Finding {
  const kind = lockKind(path);
  const native = loadNative();
  if (readOnly || !kind.startsWith("system") || typeof native !== "string") {
    return ok("state", `${path}, locked by ${kind}`);
  }
  return fail(
    "state",
    `${path} is locked by ${kind}, which this stet cannot use: ${native}`,
    `Files can be read, but not changed. Stop every stet on it, remove ${join(path, "lock", "lock-kind")}, and make the next change with this one.`,
  );
}

function unusableState(path: string, { uid }: Stats): Finding {
  return uid === process.getuid?.()
    ? fail("state", `${path} may not be used by its own user`, `Give the rights back: chmod -R u+rwX ${path}`)
    : fail("state", `${path} belongs to another user`, "Run stet as its owner, or give it a stateDir of its own.");
}

/** An error code where this user may not even look. */
function lookedAt(path: string, look: typeof lstatSync): Stats | string | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function lockKind(state: string): string {
  try {
    const kind = readStateFile(join(state, "lock", "lock-kind"), 64, { anyLinks: true })
      ?.toString("latin1")
      .trim();
    if (kind === undefined) return "nothing yet";
    return /^(?:lease|system [a-z0-9]{1,16})$/.test(kind) ? kind : "something that stet did not write";
  } catch {
    return "nothing yet";
  }
}

async function* historyFindings(root: RootSettings, settings: Settings): AsyncGenerator<Finding> {
  try {
    const workspace = opened(root, settings);
    try {
      yield* journalFindings(workspace);
    } finally {
      await workspace.close();
    }
  } catch (error) {
    yield isLinkToDirectory(root)
      ? fail("journal", "it lies behind that link and was not looked at", NAME_IT)
      : journalFailure(error);
  }
}
