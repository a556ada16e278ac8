// The state directory: journal, kept versions, unfinished commits, lock. Made when first needed, never before.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { errnoOf } from "./errno.ts";
import { type Journal, openJournal } from "./journal.ts";
import { type Lock, openLock } from "./lock.ts";
import { openPending, type Pending } from "./pending.ts";
import type { Dir } from "./pin.ts";
import { openRoot, type Root } from "./root.ts";
import { openStore, type Store } from "./store.ts";

export const STATE_NAME = ".stet";
const FORMAT = "1\n";

export interface State {
  readonly journal: Journal;
  readonly store: Store;
  readonly pending: Pending;
  readonly lock: Lock;
  /** Makes the name of a new segment as safe as the entries in it. */
  syncJournalDirectory(): void;
  close(): void;
}

export interface StateOptions {
  readonly stateDir?: string | undefined;
  readonly segmentBytes: number;
}

/** Null when there is none yet and none shall be made. */
export function openState(root: Root, options: StateOptions, create: boolean): State | null {
  const base = openBase(root, options.stateDir, create);
  if (base === null) return null;
  const opened: Dir[] = [base];
  const sub = (name: string): Dir => {
    makeDirectory(base.at(name));
    const dir = root.pinning.enter(base, name);
    opened.push(dir);
    return dir;
  };
  try {
    checkFormat(base);
    const journalDir = sub("journal");
    const journal = openJournal(journalDir.self, { segmentBytes: options.segmentBytes });
    const lock = openLock(sub("lock").self);
    return {
      journal,
      lock,
      store: openStore(sub("objects")),
      pending: openPending(sub("pending")),
      syncJournalDirectory() {
        if (!journal.directoryChanged) return;
        journalDir.fsync();
        journal.directorySynced();
      },
      close() {
        journal.close();
        lock.close();
        for (const dir of opened) dir.close();
      },
    };
  } catch (error) {
    for (const dir of opened) dir.close();
    throw error;
  }
}

function openBase(root: Root, stateDir: string | undefined, create: boolean): Dir | null {
  if (stateDir !== undefined) {
    if (create) fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    return fs.existsSync(stateDir) ? openRoot(stateDir).dir : null;
  }
  // Asked at every read until there is one; to try and fail takes ten times as long.
  if (!create && fs.lstatSync(root.dir.at(STATE_NAME), { throwIfNoEntry: false }) === undefined) return null;
  try {
    return root.pinning.enter(root.dir, STATE_NAME);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") {
      throw new Refusal("unsupported", `${STATE_NAME} in the workspace is not a directory of its own.`, {
        cause: error,
        next: "Remove it.",
      });
    }
  }
  if (!create) return null;
  makeDirectory(root.dir.at(STATE_NAME));
  return root.pinning.enter(root.dir, STATE_NAME);
}

/** Ours alone: kept versions may hold what the files in the workspace show to nobody else. */
function makeDirectory(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

/** An owner's own file of that name stays as it is. */
function ignoreForGit(path: string): void {
  try {
    fs.writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

function checkFormat(base: Dir): void {
  const path = base.at("format");
  try {
    fs.writeFileSync(path, FORMAT, { flag: "wx", mode: 0o600 });
    ignoreForGit(base.at(".gitignore"));
    return;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const found = fs.readFileSync(path, "utf8");
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
