// The disk backend: a directory of real files, with its state in `.stet/` or elsewhere.
import fs from "node:fs";
import { resolve as absolute, isAbsolute, relative, sep } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Author, Backend, Entry, LogFilter, Path, Verification } from "../backend.ts";
import { verifyLines } from "../chain.ts";
import { commitLocked, type Disk, keepVersions, noteExternal } from "./commit.ts";
import type { Durability } from "./durability.ts";
import { refusalOf } from "./errno.ts";
import { streamFile } from "./io.ts";
import { createKeeper } from "./keeper.ts";
import { listDirectory } from "./list.ts";
import { closeOld, openOld, readAt } from "./old.ts";
import { openRegular } from "./open.ts";
import { recover } from "./recover.ts";
import { openRoot } from "./root.ts";
import { openState, type State } from "./state.ts";
import { resolve } from "./walk.ts";

export interface DiskOptions {
  readonly root: string;
  /** "full": a change that was reported is on disk, also after a power failure. "fast": safe from crashes of processes only. */
  readonly durability?: Durability;
  /** Where the state lives, if not in `.stet/` in the root. */
  readonly stateDir?: string;
  readonly segmentBytes?: number;
  readonly lockMs?: number;
}

export function disk(options: DiskOptions): Backend {
  const root = openRoot(options.root);
  const durability = options.durability ?? "full";
  const stateOptions = { stateDir: options.stateDir, segmentBytes: options.segmentBytes ?? LIMITS.segmentBytes };
  const timeoutMs = options.lockMs ?? LIMITS.lockMs;
  let opened: State | null = null;
  let closed = false;

  function existing(): State | null {
    opened ??= openState(root, stateOptions, false);
    return opened;
  }

  /** Runs `work` as the only writer of this workspace, on a state that nobody left half done. */
  async function exclusively<T>(work: (disk: Disk) => Promise<T>): Promise<T> {
    if (closed) throw new Refusal("unsupported", "The workspace was closed.", { next: "Open it again." });
    try {
      opened ??= openState(root, stateOptions, true)!;
      const state = opened;
      const release = await state.lock.acquire({ timeoutMs });
      try {
        state.journal.follow();
        if (state.journal.tornBytes > 0) state.journal.repairTail();
        const held: Disk = { root, state, durability };
        await recover(held);
        return await work(held);
      } finally {
        release();
      }
    } catch (error) {
      throw refusalOf(error, root.path, "use the state of");
    }
  }

  const keeper = createKeeper((versions) => exclusively(({ state }) => keepVersions(state, versions, durability)));

  return {
    name: root.path,
    directory: root.path,
    ...statePathIn(root.path, options.stateDir),

    async resolve(raw, how) {
      return resolve(root, raw, how);
    },

    read: (path, how) => readAt(root, path, how?.maxBytes),

    async stream(path) {
      const file = openRegular(root, path);
      return file === null ? null : closing(file.fd);
    },

    async *list(dir) {
      yield* listDirectory(root, dir);
    },

    async commit(changes, author, note) {
      const committed = await exclusively((held) => commitLocked(held, changes, author, note));
      keeper.later(changes.flatMap(({ to }) => (to === null ? [] : [to])));
      return committed;
    },

    record: (draft) => exclusively(async ({ state }) => state.journal.append(draft)),

    notice: (path, author) => exclusively(async (held) => notice(held, path, author)),

    async recall(sha) {
      return keeper.get(sha) ?? (await existing()?.store.get(sha)) ?? null;
    },

    keep: (version) => exclusively(({ state }) => keepVersions(state, [version], durability)),

    async *kept() {
      await keeper.flush().catch(() => undefined);
      yield* existing()?.store.list() ?? [];
    },

    async forget(shas) {
      await keeper.flush().catch(() => undefined);
      return exclusively(async ({ state }) => {
        const sizes = shas.map((sha) => state.store.remove(sha));
        return { dropped: sizes.filter((size) => size > 0).length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
      });
    },

    async head(path) {
      const state = existing();
      state?.journal.follow();
      return state?.journal.head(path) ?? null;
    },

    async *log(filter?: LogFilter): AsyncGenerator<Entry> {
      const state = existing();
      state?.journal.follow();
      yield* state?.journal.log(filter) ?? [];
    },

    async verify(how): Promise<Verification> {
      const state = existing();
      return state === null ? verifyLines([], how) : state.journal.verify(how);
    },

    sign: (privateKey) =>
      exclusively(async ({ state }) => {
        const { text, entry } = state.journal.checkpoint(privateKey);
        return { text, entry };
      }),

    async close() {
      await keeper.flush().catch(() => undefined);
      closed = true;
      opened?.close();
      opened = null;
      root.close();
    },
  };
}

/** A state directory of the owner's choice that lies in the workspace must be as unreachable as the usual one. */
function statePathIn(root: string, stateDir: string | undefined): { statePath?: string } {
  if (stateDir === undefined) return {};
  const path = relative(root, absolute(stateDir));
  if (path === "") {
    throw new Refusal("invalid_input", "The state directory cannot be the workspace itself.", {
      next: "Leave stateDir out, or name a directory of its own.",
    });
  }
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? {} : { statePath: path };
}

async function notice(held: Disk, path: Path, author: Author): Promise<Entry | null> {
  const old = await openOld(held.root, path);
  try {
    return await noteExternal(held, path, old, author);
  } finally {
    closeOld(old);
  }
}

async function* closing(fd: number): AsyncGenerator<Uint8Array> {
  try {
    yield* streamFile(fd);
  } finally {
    fs.closeSync(fd);
  }
}
