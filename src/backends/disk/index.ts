// The disk backend: a directory of real files. Its history lies in the user's own directory.
import fs from "node:fs";
import { resolve as absolute, join } from "node:path";
import { FLAG, oneOf, strictOptions, validate, value } from "../../api/options.ts";
import type { Backend, MayChange, Path, When } from "../../core/backend.ts";
import { type Cancellation, MAX_TIMER_MS } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { closedRefusal, untilClosed } from "../closing.ts";
import { verifyLines } from "../journal/chain.ts";
import { signedNote } from "../journal/signed-heads.ts";
import { relativeTo } from "../paths.ts";
import { createCheckpoints } from "./checkpoint.ts";
import { type Disk, flush, holders } from "./commit.ts";
import { lookAt, readAt, recordOthers } from "./current-file.ts";
import { errnoOf } from "./errno.ts";
import { type Durability, flushesDone } from "./flushes.ts";
import { forgetVersions, type History, keepVersions, openHistory, settledIn, weighHistory } from "./history.ts";
import { defaultStateHome, findHistory, LOG, MARK, makeHistory, stateHome } from "./home.ts";
import { streamFile } from "./io.ts";
import { ledgerOf } from "./ledger.ts";
import type { Release } from "./lock.ts";
import type { Log } from "./log/log.ts";
import { streamEntries } from "./log/query.ts";
import { verifyLog } from "./log/verify.ts";
import { openMark } from "./mark.ts";
import { listDirectory } from "./paths/list.ts";
import { statePlaces } from "./paths/owner-path.ts";
import { openRegular, placeOf, release } from "./paths/reach.ts";
import { failureOf, openRoot } from "./paths/root.ts";
import { resolve } from "./paths/walk.ts";
import { commitQueue } from "./queue.ts";
import { keepLeftOvers, recover, recoverBeforeRead } from "./recover.ts";
import { openTree, STATE_NAME, type Tree } from "./tree.ts";

/** Where the files are, and how they are kept. */
export interface DiskOptions {
  /** The directory. It must exist. */
  readonly root: string;
  /** "full": a change that was reported is on disk, also after a power failure. "fast": safe from crashes of processes only. */
  readonly durability?: Durability;
  /** Where the histories of all roots lie, if not in the user's own directory for such things. */
  readonly stateDir?: string;
  /** The size of one file of the journal. */
  readonly segmentBytes?: number;
  /** How long to wait for another process that holds the lock. */
  readonly lockMs?: number;
  /** True: what a session saw is kept with the history, for the next process that names this session. Default: false. */
  readonly remember?: boolean;
}

const PATH = value("the path of a directory", (given) => typeof given === "string" && given.trim() !== "");

const OPTIONS = strictOptions<DiskOptions>({
  root: value("the path of a directory", (given) => typeof given === "string"),
  durability: oneOf("full", "fast"),
  stateDir: PATH,
  segmentBytes: value("a positive number", (given) => isPositive(given, Number.MAX_VALUE)),
  lockMs: value(`a positive number up to ${MAX_TIMER_MS}`, (given) => isPositive(given, MAX_TIMER_MS)),
  remember: FLAG,
});

function validateDiskOptions(given: DiskOptions): void {
  validate(given, OPTIONS);
  if (given.root === undefined || given.root === null)
    throw new Refusal("invalid_input", "The root of the workspace is missing.", { next: 'Give one: { root: "." }.' });
}

const isPositive = (given: unknown, max: number): boolean => typeof given === "number" && given > 0 && given <= max;

/** A backend on a directory of real files. `openWorkspace({ root })` makes one by itself. */
export function disk(options: DiskOptions): Backend {
  validateDiskOptions(options);
  const root = openRoot(options.root);
  const durability = options.durability ?? "full";
  const home = options.stateDir === undefined ? stateHome() : absolute(options.stateDir);
  const segmentBytes = options.segmentBytes ?? LIMITS.segmentBytes;
  const timeoutMs = options.lockMs ?? LIMITS.lockMs;
  let history: History | null = null;
  let tree: Tree | null = null;
  let mayChange: MayChange = () => true;
  let isClosed = false;
  const checkpoints = createCheckpoints(root, () => history);
  /** What a recovery could not finish, in words, for the next who makes a change. */
  const unfinished: string[] = [];

  function existing(): History | null {
    if (history !== null || isClosed || home === undefined) return history;
    return aboutState(() => {
      const directory = findHistory(home, root.path);
      if (directory !== null) history = openHistory(directory, { segmentBytes });
      return history;
    });
  }

  /** Makes it where there is none. */
  function toWrite(): History {
    if (home === undefined)
      throw new Refusal("unsupported", "There is no place for the history: this user has no home directory.", {
        next: "Set STET_STATE to a directory of this user.",
      });
    history = existing() ?? openHistory(makeHistory(home, root.path), { segmentBytes });
    return history;
  }

  /** Where `.stet` was removed meanwhile, by `git clean` say, it is made anew. */
  async function lockTree(how: Waiting): Promise<{ readonly locked: Tree; readonly release: Release }> {
    for (;;) {
      tree ??= openTree(root);
      const locked = tree;
      try {
        const release = await locked.lock.acquire({ timeoutMs, ...how });
        let isThere = false;
        try {
          isThere = locked.isThere();
        } finally {
          if (!isThere) release();
        }
        if (isThere) return { locked, release };
      } catch (error) {
        if (errnoOf(error) !== "ENOENT" || locked.isThere()) throw error;
      }
      if (tree !== locked) continue;
      tree = null;
      locked.close();
    }
  }

  function aboutState<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw stateFailure(error);
    }
  }

  const stateFailure = (error: unknown): Refusal =>
    failureOf(
      root,
      error,
      "use the state in",
      home ?? root.path,
      "Run stet as its owner, or set STET_STATE to a directory that you can write.",
    );

  /** Runs `work` as the only writer of this workspace, once what a dead process left half done is finished. */
  async function withLock<T>(work: (disk: Disk) => Promise<T>, how: Waiting = {}): Promise<T> {
    if (isClosed) throw closedRefusal();
    const { locked, release } = await lockTree(how).catch((error) => {
      const next = "Files can be read; to change them, let this user write to the workspace.";
      throw failureOf(root, error, "use", STATE_NAME, next);
    });
    try {
      root.check();
      const own = toWrite();
      const ownLog = await own.lock.acquire({ timeoutMs, ...how });
      try {
        own.log.begin();
        const held: Disk = { root, tree: locked, history: own, durability, isHeld: release.isHeld, unfinished };
        unfinished.push(...(await recover(held, mayChange, how.toRead)));
        if (!release.isAlone && !how.toRead) await keepLeftOvers(held);
        return await work(held);
      } finally {
        place(own);
        ownLog();
      }
    } catch (error) {
      throw stateFailure(error);
    } finally {
      release();
    }
  }

  const commitInTurn = commitQueue(withLock, stateFailure, timeoutMs);

  /** What the log says, with all that others have appended unless it is what was known that is asked for. */
  function readLog<T>(read: (log: Log) => T, when: When = "now"): T | null {
    return aboutState(() => {
      const log = existing()?.log;
      if (log === undefined) return null;
      if (when !== "known") log.follow();
      return read(log);
    });
  }

  /** Of a root that is still there. */
  function readLogHere<T>(read: (log: Log) => T): T | null {
    root.check();
    return readLog(read);
  }

  const recoverFirst = recoverBeforeRead(existing, () =>
    withLock(async () => undefined, { timeoutMs: 0, toRead: true }),
  );

  const backend: Backend = {
    name: root.path,
    directory: root.path,
    ...(root.pinning.races === "closed" && { pinned: root.dir.self }),
    relative: (raw) => relativeTo(root.spellings, raw),
    statePaths: home === undefined ? [] : statePlaces(root.path, home, home !== defaultStateHome()),

    guard(asked) {
      mayChange = asked;
    },

    async resolve(raw, how) {
      if (!isClosed) await recoverFirst();
      try {
        return resolve(root, raw, how);
      } finally {
        root.check();
      }
    },

    read: (path, how) => readAt(root, path, how),

    async stream(path) {
      const file = openRegular(root, path);
      return file === null ? null : closing(file.fd);
    },

    async *list(dir) {
      root.check();
      yield* listDirectory(root, dir);
    },

    async makeDirectory(path) {
      root.check();
      release(root, placeOf(root, `${path}/-` as Path, { createParents: true, sync: durability === "full" }));
    },

    async commit(changes, author, note, how = {}) {
      const committed = await commitInTurn({ changes, author, note }, how);
      checkpoints.soon();
      return committed;
    },

    record: (draft) => withLock(async ({ history: { log } }) => log.record(draft)),

    notice: (paths, author, { begin } = {}) =>
      withLock(async (held) => {
        begin?.();
        const asked = [...paths].map((path) => ({ path }));
        return recordOthers(held, lookAt(root, asked), author);
      }),

    witness: (changes, author, note) =>
      withLock(async (held) => {
        const entry = await recordOthers(held, lookAt(root, changes), author, note);
        if (entry !== null) await flush(held);
        return entry;
      }),

    async recall(sha, how) {
      const blobs = readLogHere(() => history!.blobs);
      return blobs === null ? null : blobs.get(sha, how?.maxBytes ?? JOURNAL_LIMITS.keptBytes);
    },

    keep: (versions) => withLock(({ history: own }) => keepVersions(own, versions, durability)),

    async *kept() {
      yield* readLogHere(() => history!.blobs.list()) ?? [];
    },

    forget: (shas, looked) => withLock(({ history: own }) => forgetVersions(own, shas, looked)),

    head: async (path, when) => readLog((log) => log.head(path), when),
    tail: async (when) => readLog(({ tail }) => (tail.seq === 0 ? null : tail), when),

    async *log(filter = {}) {
      const found = readLogHere((log) => streamEntries(log.reach(), filter));
      if (found === null) return;
      try {
        yield* found;
      } catch (error) {
        throw stateFailure(error);
      }
    },

    async verify(how) {
      root.check();
      const directory = home === undefined ? null : aboutState(() => findHistory(home, root.path));
      if (directory === null) return verifyLines([], how);
      const mark = openMark(join(directory, MARK));
      try {
        return await verifyLog(join(directory, LOG), how, settledIn(mark));
      } catch (error) {
        throw stateFailure(error);
      } finally {
        mark.close();
      }
    },

    weigh: async () => readLogHere(() => weighHistory(history!)),

    sign: (privateKey) =>
      withLock(async ({ history: { log } }) => {
        const { text, draft } = signedNote(log.tail, privateKey);
        return { text, entry: log.record(draft) };
      }),

    ...(options.remember && { ledger: (session) => ledgerOf(session, { readLog, withLock }) }),

    async close() {
      await checkpoints.end();
      await flushesDone();
      isClosed = true;
      history?.close();
      tree?.close();
      history = tree = null;
      root.close();
    },
  };

  const opened = untilClosed(backend);
  holders.set(opened, (work) => (existing() === null ? work(null) : withLock(work)));
  return opened;
}

interface Waiting {
  readonly timeoutMs?: number;
  readonly signal?: Cancellation | undefined;
  /** Nothing shall be changed but what a dead process left half done. */
  readonly toRead?: boolean;
}

/** What is not marked is looked at once more; what was done stands, and the lock must be given back. */
function place({ mark, log }: History): void {
  try {
    mark.place(log.tail.seq);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

async function* closing(fd: number): AsyncGenerator<Uint8Array> {
  try {
    yield* streamFile(fd);
  } finally {
    fs.closeSync(fd);
  }
}
