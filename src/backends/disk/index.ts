// The disk backend: a directory of real files, with its state in `.stet/` or elsewhere.

import fs from "node:fs";
import { resolve as absolute } from "node:path";
import type {
  Author,
  Backend,
  Entry,
  LogFilter,
  MayChange,
  Path,
  Resolved,
  ResolveOptions,
  Sha,
  Verification,
  When,
} from "../../core/backend.ts";
import type { Cancellation } from "../../core/cancellation.ts";
import { isStateNotUsed, Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { relativeTo } from "../../core/paths.ts";
import { closedRefusal, untilClosed } from "../closing.ts";
import { refuseLarger } from "../path-refusals.ts";
import { type Disk, keepVersions, noteExternal } from "./commit/commit.ts";
import { takingTurns } from "./commit/commit-queue.ts";
import { closeOld, openOld, readAt } from "./commit/current-file.ts";
import { flushesDone } from "./commit/durability.ts";
import { finishesBeforeReading } from "./commit/left-over.ts";
import { recover } from "./commit/recover.ts";
import { streamFile } from "./io.ts";
import type { Journal } from "./journal/journal.ts";
import { lastingUses, logUnlocked, readUnlocked, type Settled } from "./journal/unlocked.ts";
import { checkDiskOptions, type DiskOptions } from "./options.ts";
import { listDirectory } from "./paths/list.ts";
import { openRegular } from "./paths/open.ts";
import { statePlaces } from "./paths/owner-path.ts";
import { LATELY_MS, openRoot, type Root } from "./paths/root.ts";
import { resolve } from "./paths/walk.ts";
import { STATE_NAME } from "./state/directory.ts";
import { createKeeper, stillToKeep } from "./state/keeper.ts";
import { forgetVersions, openState, type State, stateRefusal, verifyState } from "./state/state.ts";
import { registerDirectory, registerFor } from "./trust/register.ts";

export type { DiskOptions } from "./options.ts";

/** A backend on a directory of real files. `openWorkspace({ root })` makes one by itself. */
export function disk(options: DiskOptions): Backend {
  checkDiskOptions(options);
  const root = openRoot(options.root);
  const durability = options.durability ?? "full";
  const stateDir = options.stateDir === undefined ? undefined : absolute(options.stateDir);
  const registerDir = options.registerDir === undefined ? registerDirectory() : absolute(options.registerDir);
  const register = registerFor(root.path, registerDir, { flush: durability === "full" });
  const stateOptions = { stateDir, segmentBytes: options.segmentBytes ?? LIMITS.segmentBytes, register };
  const timeoutMs = options.lockMs ?? LIMITS.lockMs;
  let opened: State | null = null;
  let opening: Promise<unknown> = Promise.resolve();
  let mayChange: MayChange = () => true;
  let statelessAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  /** Those who only write something down: a while after the end has begun they wait no longer. */
  const writingDown = new Set<AbortController>();
  let leavingTimer: NodeJS.Timeout | undefined;

  /** "lately", as every read asks: where there was none a moment ago, none is looked for. */
  async function existing(when: When = "now"): Promise<State | null> {
    if (opened !== null || closed) return opened;
    if (when !== "now" && performance.now() - statelessAt < LATELY_MS) return null;
    const state = await open(false).catch((error) => {
      throw stateFailure(error);
    });
    if (state === null) statelessAt = performance.now();
    return state;
  }

  /** For those who only read files: a history that may not be used is as good as none. */
  async function existingOrUnused(when?: When): Promise<State | null> {
    try {
      return await existing(when);
    } catch (error) {
      if (!isStateNotUsed(error)) throw error;
      statelessAt = performance.now();
      return null;
    }
  }

  /** One after the other: two who open at the same time must not get two. */
  function open(create: boolean): Promise<State | null> {
    const next = opening.then(async () => {
      const state = opened ?? (await openState(root, stateOptions, create));
      if (!closed) opened = state;
      else if (state !== opened) state?.close();
      if (closed) throw closedRefusal();
      return state;
    });
    opening = next.catch(() => undefined);
    return next;
  }

  function aboutState<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw stateFailure(error);
    }
  }

  /** A state that is no longer there fails in many ways, and for one reason. */
  function stateFailure(error: unknown): Refusal {
    const mayBeMoved = !(error instanceof Refusal) || error.kind === "journal_damaged";
    return stateRefusal((mayBeMoved && movedAway()) || error, root, stateOptions);
  }

  function movedAway(): Refusal | undefined {
    try {
      root.check("now");
      opened?.check();
    } catch (moved) {
      if (moved instanceof Refusal && moved.kind === "unsupported") return moved;
    }
    return undefined;
  }

  /** The state that is open, where it was opened. */
  async function inPlace(): Promise<State | null> {
    const state = await existing();
    aboutState(() => state?.check());
    return state;
  }

  /** What the journal says, with all that others have appended unless it is what was known that is asked for. */
  async function followed<T>(read: (journal: Journal) => T, when: When = "now"): Promise<T | null> {
    // What is known of a journal is known only where one is: another process may have begun it since.
    const state = opened ?? (await existingOrUnused(when === "known" ? "now" : when));
    if (state === null) return null;
    const { journal } = state;
    const afresh = (): T => {
      if (when !== "known") journal.follow();
      return read(journal);
    };
    return readUnlocked(afresh, settled).catch((error) => {
      throw stateFailure(error);
    });
  }

  /** As `inPrivate`, in the directory that its path still leads to. */
  async function exclusively<T>(work: (disk: Disk) => Promise<T>, how?: Waiting): Promise<T> {
    if (opened === null) root.check("now");
    return inPrivate(work, { ...how, checkFirst: () => root.check("now") });
  }

  /** Runs `work` as the only writer of this workspace, once what a dead process left half done is dealt with. */
  async function inPrivate<T>(work: (disk: Disk) => Promise<T>, how: Waiting = {}): Promise<T> {
    if (closed) throw closedRefusal();
    try {
      const state = opened ?? (await open(true))!;
      const release = await state.lock.acquire({ timeoutMs, ...how });
      try {
        how.checkFirst?.();
        state.check();
        state.journal.follow(release);
        if (state.journal.tornBytes > 0) state.journal.repairTail();
        const held: Disk = { root, state, durability, isHeld: release.isHeld };
        const told = release.isAlone && !state.pending.mayHold ? [] : await recover(held, mayChange, how.toRead);
        const done = await work({ ...held, told });
        state.settle();
        return done;
      } finally {
        release();
      }
    } catch (error) {
      throw stateFailure(error);
    }
  }

  const settled: Settled = (work) => exclusively(async () => work());
  const commitInTurn = takingTurns(exclusively, stateFailure);

  async function writtenDown<T>(work: (disk: Disk) => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    writingDown.add(waiting);
    try {
      return await exclusively(work, { signal: waiting.signal });
    } finally {
      writingDown.delete(waiting);
    }
  }

  // What was written here is kept here, wherever the directory has gone meanwhile.
  const keeper = createKeeper((written) =>
    inPrivate(async ({ state }) => keepVersions(state, await stillToKeep(state, written), durability)),
  );

  /** The process that wrote it had no room for it, or was killed before it was kept. */
  async function keepMissing(path: Path, seq: number, sha: Sha): Promise<void> {
    const version = await readAt(root, path).catch(() => null);
    if (version?.sha === sha) keeper.later([{ version, path, seq }]);
  }

  const toRead = finishesBeforeReading(
    () => `${stateDir ?? root.dir.at(STATE_NAME)}/pending`,
    (waitMs) => exclusively(async () => undefined, { timeoutMs: waitMs, toRead: true }),
  );

  const backend: Backend = {
    name: root.path,
    directory: root.path,
    ...(root.pinning.races === "closed" && { pinned: root.dir.self }),
    relative: (raw) => relativeTo(root.spellings, raw),
    statePaths: [stateDir, registerDir].flatMap((path) => (path === undefined ? [] : statePlaces(root.path, path))),

    guard(asked) {
      mayChange = asked;
    },

    unused: () => existing().then(none, (error) => (isStateNotUsed(error) ? error : null)),

    async resolve(raw, how) {
      if (!closed) await toRead();
      return resolveHere(root, raw, how);
    },

    read: (path, how) => readAt(root, path, how),

    async stream(path) {
      const file = openRegular(root, path);
      return file === null ? null : closing(file.fd);
    },

    async *list(dir) {
      root.check("now");
      yield* listDirectory(root, dir);
    },

    async commit(changes, author, note, how = {}) {
      const committed = await commitInTurn({ changes, author, note }, how);
      if (opened?.pending.mayHold === false) for (const { from } of changes) if (from !== null) keeper.isKept(from);
      const { seq } = committed.entry;
      keeper.later(changes.flatMap(({ path, to }) => (to === null ? [] : [{ version: to, path, seq }])));
      return committed;
    },

    record: (draft) => writtenDown(async ({ state }) => state.journal.append(draft)),

    notice: (path, author, { begin } = {}) =>
      writtenDown(async (held) => {
        begin?.();
        return notice(held, path, author);
      }),

    async recall(sha, how) {
      root.check("now");
      const state = await existingOrUnused();
      aboutState(() => state?.check());
      const waiting = keeper.get(sha);
      if (waiting === undefined) return (await state?.store.get(sha, how?.maxBytes)) ?? null;
      if (how?.maxBytes !== undefined) refuseLarger(`The kept version ${sha.slice(0, 12)}`, waiting.size, how.maxBytes);
      return waiting;
    },

    keep: (version) =>
      exclusively(async ({ state }) => {
        await keepVersions(state, [version], durability);
        state.store.renew(version.sha);
      }),

    async *kept() {
      root.check("now");
      await keeper.flush().catch(() => undefined);
      yield* (await inPlace())?.store.list() ?? [];
    },

    async forget(shas, looked) {
      await keeper.flush().catch(() => undefined);
      return exclusively(({ state }) => forgetVersions(state, shas, looked));
    },

    async head(path, when) {
      const head = await followed((journal) => journal.head(path), when);
      if (head?.sha && opened?.store.find(head.sha) === null && keeper.get(head.sha) === undefined)
        await keepMissing(path, head.seq, head.sha);
      return head;
    },
    tail: (when) => followed(({ tail }) => (tail.seq === 0 ? null : tail), when),

    async *log(filter?: LogFilter): AsyncGenerator<Entry> {
      root.check("now");
      const state = await inPlace();
      try {
        for await (const entry of state === null ? [] : logUnlocked(state.journal, filter ?? {}, settled))
          yield state !== null && isTakenOver(entry, state.elsewhere) ? { ...entry, elsewhere: true } : entry;
      } catch (error) {
        throw stateFailure(error);
      }
    },

    async *uses(shas) {
      root.check("now");
      const state = await inPlace();
      if (state === null) return;
      try {
        yield* await lastingUses(state.journal, shas, settled);
      } catch (error) {
        throw stateFailure(error);
      }
    },

    async verify(how): Promise<Verification> {
      root.check("now");
      aboutState(() => opened?.check());
      return verifyState(root, stateOptions, how).catch((error) => {
        throw stateFailure(error);
      });
    },

    async weigh() {
      root.check("now");
      await keeper.flush().catch(() => undefined);
      const state = await inPlace();
      return aboutState(() => {
        state?.journal.follow();
        return state?.weigh() ?? null;
      });
    },

    sign: (privateKey) => exclusively(async ({ state }) => state.journal.signHead(privateKey)),

    async close() {
      clearTimeout(leavingTimer);
      await keeper.end();
      await flushesDone();
      closed = true;
      opened?.close();
      opened = null;
      root.close();
    },
  };

  function leaving(): void {
    leavingTimer = setTimeout(() => {
      for (const each of writingDown) each.abort(closedRefusal());
    }, LEAVING_MS);
  }

  return untilClosed(backend, { leaving });
}

interface Waiting {
  readonly timeoutMs?: number;
  readonly signal?: Cancellation | undefined;
  /** Nothing shall be changed but what a dead process left half done. */
  readonly toRead?: boolean;
  /** Under the lock, before anything else. */
  readonly checkFirst?: () => void;
}

/** A process that holds the lock for longer than this is stuck, and closing shall not wait for that. */
const LEAVING_MS = 1000;

const none = (): null => null;

/** What is about the root itself, or says that nothing is there, must not rest on what the root was a moment ago. */
function resolveHere(root: Root, raw: string, how: ResolveOptions | undefined): Resolved {
  let at: Resolved | undefined;
  try {
    at = resolve(root, raw, how);
    return at;
  } finally {
    root.check(at === undefined || at.kind === "absent" || at.path === "" ? "now" : "lately");
  }
}

async function notice(held: Disk, path: Path, author: Author): Promise<Entry | null> {
  const old = await openOld(held.root, path);
  try {
    return await noteExternal(held, path, old, author);
  } finally {
    closeOld(old);
  }
}

/** Also what was noticed against the word of such an entry: what was there before is known from elsewhere alone. */
function isTakenOver({ seq, outcome, of }: Entry, until: number): boolean {
  return seq <= until || (outcome === "external" && of?.every((earlier) => earlier <= until) === true);
}

async function* closing(fd: number): AsyncGenerator<Uint8Array> {
  try {
    yield* streamFile(fd);
  } finally {
    fs.closeSync(fd);
  }
}
