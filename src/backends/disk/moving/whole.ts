// All there is of a directory, under the lock of its state: what others changed is written down first, so that journal and files agree.
import { resolve as absolute } from "node:path";
import type { Author, Head, MayChange, Path, Sha, Verification } from "../../../core/backend.ts";
import { isStateNotUsed, Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { GENESIS } from "../../journal/entry.ts";
import type { Item, Whole } from "../../moving.ts";
import { type Disk, noteExternal } from "../commit/commit.ts";
import { closeOld, openOld, readAt } from "../commit/current-file.ts";
import { recover } from "../commit/recover.ts";
import { closeQuietly } from "../io.ts";
import { linesForward, listSegments, openToRead } from "../journal/segment.ts";
import type { DiskOptions } from "../options.ts";
import { listDirectory } from "../paths/list.ts";
import { openRoot, type Root } from "../paths/root.ts";
import { enterOrNull, openStateDirectory } from "../state/directory.ts";
import { openState, type State, type StateOptions, verifyState } from "../state/state.ts";
import { registerDirectory, registerFor } from "../trust/register.ts";

export interface DirectoryOptions extends Pick<DiskOptions, "root" | "stateDir" | "registerDir" | "lockMs"> {
  /** False: the journal is neither read nor needed. */
  readonly history: boolean;
  /** What is not is no file of the workspace. */
  mayRead(path: Path): boolean;
  readonly mayChange: MayChange;
  /** For what another program changed, which is written down now. */
  readonly author: Author;
}

export interface WholeDirectory extends Whole {
  /** The journal's last word on every path that it speaks of. */
  words(): ReadonlyMap<Path, Head>;
  /** What was met, and is not moved: denied, neither file nor link, or with a name that is no text. */
  readonly left: string[];
  verify(): Promise<Verification>;
}

export async function withDirectory<T>(
  options: DirectoryOptions,
  work: (whole: WholeDirectory) => Promise<T>,
): Promise<T> {
  const root = openRoot(options.root);
  const registerDir = options.registerDir ?? registerDirectory();
  const stateDir = options.stateDir === undefined ? undefined : absolute(options.stateDir);
  const register = registerFor(root.path, registerDir, { flush: true });
  const stateOptions: StateOptions = { stateDir, segmentBytes: LIMITS.segmentBytes, register };
  let state: State | null = null;
  try {
    state = await openState(root, stateOptions, false).catch((error) => {
      if (!options.history && isStateNotUsed(error)) return null;
      throw error;
    });
    if (state === null) return await work(wholeOf(root, null, options, stateOptions));
    const release = await state.lock.acquire({ timeoutMs: options.lockMs ?? LIMITS.lockMs });
    try {
      await settle({ root, state, durability: "full", isHeld: release.isHeld }, options);
      const done = await work(wholeOf(root, state, options, stateOptions));
      state.settle();
      return done;
    } finally {
      release();
    }
  } finally {
    state?.close();
    root.close();
  }
}

/** As before every change: what a dead process left is dealt with; and what others did is written down, as a read of it would. */
async function settle(held: Disk, { history, mayRead, mayChange, author }: DirectoryOptions): Promise<void> {
  const { root, state } = held;
  root.check("now");
  state.check();
  state.journal.follow();
  if (state.journal.tornBytes > 0) state.journal.repairTail();
  await recover(held, mayChange);
  if (!history) return;
  for (const [path] of [...state.journal.heads.all()]) if (mayRead(path)) await notice(held, path, author);
  state.journal.flush();
}

async function notice(held: Disk, path: Path, author: Author): Promise<void> {
  let old: Awaited<ReturnType<typeof openOld>> = null;
  try {
    old = await openOld(held.root, path);
  } catch (error) {
    // a directory is there now, or none on the way: what is in the tree is moved as it is
    if (error instanceof Refusal && error.kind !== "file_too_large") return;
    throw error;
  }
  try {
    await noteExternal(held, path, old, author);
  } finally {
    closeOld(old);
  }
}

function wholeOf(
  root: Root,
  state: State | null,
  { mayRead }: DirectoryOptions,
  stateOptions: StateOptions,
): WholeDirectory {
  const left: string[] = [];

  async function* below(dir: Path): AsyncGenerator<Item> {
    for (const { path, kind, mtimeMs } of listDirectory(root, dir)) {
      const isItem = kind === "file" || kind === "directory" || kind === "link";
      if (!isItem || !mayRead(path)) {
        if (!path.split("/").includes(".stet")) left.push(path);
        continue;
      }
      yield { path, kind, mtimeMs };
      if (kind === "directory") yield* below(path);
    }
  }

  return {
    left,
    head: state === null ? { seq: 0, hash: GENESIS } : state.journal.tail,
    words: () =>
      new Map(state === null ? [] : [...state.journal.heads.all()].map(([path, { seq, sha }]) => [path, { seq, sha }])),
    async *lines(since) {
      if (state !== null) yield* journalLines(root, stateOptions, since);
    },
    async *kept() {
      if (state !== null) yield* state.store.list();
    },
    recall: async (sha: Sha) => (await state?.store.get(sha)) ?? null,
    items: () => below("" as Path),
    read: (path) => readAt(root, path),
    verify: () => verifyState(root, stateOptions),
  };
}

async function* journalLines(root: Root, { stateDir }: StateOptions, since: number): AsyncGenerator<Buffer> {
  const found = openStateDirectory(root, stateDir, false);
  const dir = found === null ? null : enterOrNull(root, found.dir, "journal");
  try {
    if (dir === null) return;
    const segments = listSegments(dir.self);
    const first = Math.max(
      0,
      segments.findLastIndex(({ firstSeq }) => firstSeq <= since),
    );
    for (const { firstSeq, path } of segments.slice(first)) yield* linesOf(path, since - firstSeq);
  } finally {
    dir?.close();
    found?.dir.close();
  }
}

function* linesOf(path: string, skip: number): Generator<Buffer> {
  const file = openToRead(path);
  if (file === null) return;
  let n = 0;
  try {
    for (const lines of linesForward(file.fd, 0, file.stat.size)) {
      for (const line of lines) if (n++ >= skip) yield line;
    }
  } finally {
    closeQuietly(file.fd);
  }
}
