// The state directory: journal, kept versions, unfinished commits, lock. Made when first needed, never before.
import fs from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import type { Verification, VerifyOptions } from "../backend.ts";
import { verifyLines } from "../chain.ts";
import { shown } from "../names.ts";
import { errnoOf, refusalOf } from "./errno.ts";
import { type Journal, openJournal } from "./journal.ts";
import { verifyJournal } from "./journal-verify.ts";
import { type Lock, lockWhenNeeded } from "./lock.ts";
import { openPending, type Pending } from "./pending.ts";
import type { Dir } from "./pin.ts";
import { openRoot, type Root } from "./root.ts";
import { openStore, type Store } from "./store.ts";
import { stillThere, type Whereabouts } from "./whereabouts.ts";

export const STATE_NAME = ".stet";
const FORMAT = "1\n";

export interface State {
  readonly journal: Journal;
  readonly store: Store;
  readonly pending: Pending;
  readonly lock: Pick<Lock, "acquire" | "close">;
  /** Makes the name of a new segment as safe as the entries in it. */
  syncJournalDirectory(): void;
  /** Refuses when its path leads elsewhere by now: others would lock there and write there, and nobody would know of both. */
  check(): void;
  close(): void;
}

export interface StateOptions {
  readonly stateDir?: string | undefined;
  readonly segmentBytes: number;
}

/** Null when there is none yet and none shall be made. One that may not be written can still be read. */
export function openState(root: Root, options: StateOptions, create: boolean): State | null {
  const base = openBase(root, options.stateDir, create);
  if (base === null) return null;
  const opened: Dir[] = [base];
  const inPlace = [stillThere(base, placeOf(root, options.stateDir))];
  const sub = (name: string): Dir => {
    const dir = enterOrNull(root, base, name) ?? makeAndEnter(root, base, name);
    opened.push(dir);
    inPlace.push(stillThere(dir, { path: () => base.at(name) }));
    return dir;
  };
  let journal: Journal | undefined;
  try {
    checkFormat(base);
    const journalDir = sub("journal");
    const chained = openJournal(journalDir.self, { segmentBytes: options.segmentBytes });
    journal = chained;
    const lock = lockWhenNeeded(sub("lock").self, { shownAs: `${options.stateDir ?? STATE_NAME}/lock` });
    return {
      journal: chained,
      lock,
      store: openStore(sub("objects")),
      pending: openPending(sub("pending")),
      syncJournalDirectory() {
        if (!chained.directoryChanged) return;
        journalDir.fsync();
        chained.directorySynced();
      },
      check() {
        if (!inPlace.every((isThere) => isThere())) throw movedState(options.stateDir ?? STATE_NAME);
      },
      close() {
        chained.close();
        lock.close();
        for (const dir of opened) dir.close();
      },
    };
  } catch (error) {
    journal?.close();
    for (const dir of opened) dir.close();
    throw error;
  }
}

/** Without opening the state for use, which a journal with a damaged end does not allow. */
export async function verifyState(root: Root, options: StateOptions, how?: VerifyOptions): Promise<Verification> {
  const base = openBase(root, options.stateDir, false);
  if (base === null) return verifyLines([], how);
  let journal: Dir | null = null;
  try {
    checkFormat(base);
    journal = enterOrNull(root, base, "journal");
    return journal === null ? verifyLines([], how) : await verifyJournal(journal.self, how);
  } finally {
    journal?.close();
    base.close();
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

function placeOf(root: Root, stateDir: string | undefined): Whereabouts {
  if (stateDir === undefined) return { path: () => root.dir.at(STATE_NAME) };
  return { path: () => stateDir, followLink: true };
}

function openBase(root: Root, stateDir: string | undefined, create: boolean): Dir | null {
  if (stateDir !== undefined) {
    if (create) fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    return fs.statSync(stateDir, { throwIfNoEntry: false }) === undefined ? null : openRoot(stateDir).dir;
  }
  // To try and fail takes ten times as long.
  if (!create && fs.lstatSync(root.dir.at(STATE_NAME), { throwIfNoEntry: false }) === undefined) return null;
  try {
    return enterOrNull(root, root.dir, STATE_NAME) ?? (create ? makeAndEnter(root, root.dir, STATE_NAME) : null);
  } catch (error) {
    if (!NO_DIRECTORY.has(errnoOf(error) ?? "")) throw error;
    throw new Refusal("unsupported", `${STATE_NAME} in the workspace is not a directory of its own.`, {
      cause: error,
      next: "Remove it.",
    });
  }
}

const NO_DIRECTORY: ReadonlySet<string> = new Set(["ENOTDIR", "ELOOP"]);

function enterOrNull(root: Root, parent: Dir, name: string): Dir | null {
  try {
    return root.pinning.enter(parent, name);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Ours alone: kept versions may hold what the files in the workspace show to nobody else. */
function makeAndEnter(root: Root, parent: Dir, name: string): Dir {
  try {
    fs.mkdirSync(parent.at(name), { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return root.pinning.enter(parent, name);
}

/** An owner's own file of that name stays as it is. */
function ignoreForGit(path: string): void {
  try {
    fs.writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function writeFormat(base: Dir, path: string): string {
  try {
    fs.writeFileSync(path, FORMAT, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Another process was faster.
    if (errnoOf(error) === "EEXIST") return fs.readFileSync(path, "utf8");
    throw error;
  }
  ignoreForGit(base.at(".gitignore"));
  return FORMAT;
}

function checkFormat(base: Dir): void {
  const path = base.at("format");
  const found = readIfThere(path) ?? writeFormat(base, path);
  // Empty: another process is writing it right now, or died while doing so; there is only one format to write.
  if (found === FORMAT || found === "") return;
  throw new Refusal(
    "unsupported",
    `The state of this workspace has format ${JSON.stringify(found.trim())}; this stet knows format 1.`,
    {
      next: "Use the stet that wrote it, or a newer one.",
    },
  );
}
