// A copy of the files in a private directory, so that ripgrep can search them; brought up to date before every search. It may be deleted at any time.
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { SearchableCopy } from "../../../core/backend.ts";
import type { Deadline } from "../../../core/deadline.ts";
import { Refusal } from "../../../core/failure.ts";
import type { Database } from "../connection/database.ts";
import { ancestorsOf, nodesAt } from "../paths/nodes.ts";
import { type Copies, copiesIn } from "./copies.ts";
import { changedSince, fetched, groupsOf, type Mark, stateOf } from "./fetch.ts";
import { Damaged, plantTree, type Tree } from "./tree.ts";

export interface Mirror {
  /** The directory, with the files as they are now or later; undefined where there can be no copy of them. */
  upToDate(deadline: Deadline): Promise<SearchableCopy | undefined>;
  close(): Promise<void>;
}

const GIB = 1024 ** 3;
/** What a file takes on disk beside its bytes. */
const BLOCK = 4096;
/** Where a copy could not be made, it is not tried again at every search. */
const PAUSE_MS = 60_000;

interface Copy {
  readonly place: string;
  readonly tree: Tree;
  /** All entries up to this number are in it; -1: none. */
  upTo: number;
  mark: Mark | undefined;
}

/** `mostBytes`: larger workspaces have no copy. `totalBytes`: all copies of the process in `base` together. */
export function createMirror(database: Database, base: string, mostBytes = 4 * GIB, totalBytes = 16 * GIB): Mirror {
  const holder = { drop };
  const copies = copiesIn(base, totalBytes, holder);
  let copy: Copy | undefined;
  let notBefore = 0;
  let isClosed = false;
  let syncing: Promise<unknown> = Promise.resolve();
  let next: Promise<Tree | undefined> | undefined;

  /** One that begins after it was asked for: the one under way may have passed what was changed since. All who wait share it. */
  function sync(): Promise<Tree | undefined> {
    next ??= syncing.then(() => {
      const now = bringUp();
      next = undefined;
      syncing = now.catch(() => {});
      return now;
    });
    return next;
  }

  function drop(): void {
    if (copy === undefined) return;
    copy.tree.giveUp();
    void copies.remove(copy.place);
    copy = undefined;
    copies.release(holder);
  }

  async function bringUp(): Promise<Tree | undefined> {
    const before = await stateOf(database, copy?.mark);
    const { seq, bytes, files, hasMark } = before;
    if (copy !== undefined && (!hasMark || copy.tree.isGivenUp() || !existsSync(copy.tree.directory))) drop();
    if (isClosed || performance.now() < notBefore) return;
    if (bytes > mostBytes || !copies.claim(holder, bytes + files * BLOCK)) {
      drop();
      return;
    }
    if (copy?.upTo === seq) return copy.tree;
    try {
      copy ??= planted(copies);
      const mine = copy;
      const last = await renew(database, mine);
      const after = await stateOf(database, before);
      // entries were lost meanwhile, of which something may be in it
      if (!after.hasMark || after.seq < last) {
        drop();
        return;
      }
      Object.assign(mine, { upTo: seq, mark: after });
      return mine.tree;
    } catch (error) {
      if (!isOfDisk(error) && !isOfContent(error)) throw error;
      drop();
      // what was only deleted can be made again
      const isDeleted = error instanceof Damaged || (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!isDeleted) notBefore = performance.now() + PAUSE_MS;
      return;
    }
  }

  return {
    async upToDate(deadline) {
      const tree = await within(sync(), deadline);
      return tree && { directory: tree.directory, isWhole: tree.isWhole };
    },
    async close() {
      isClosed = true;
      drop();
      await copies.leave(holder);
    },
  };
}

function planted(copies: Copies): Copy {
  const place = copies.place();
  return { place, tree: plantTree(place), upTo: -1, mark: undefined };
}

/** Gives back the number of the last entry that it met. */
async function renew(database: Database, { tree, upTo }: Copy): Promise<number> {
  const asked = new Set<string>();
  let last = upTo;
  for await (const nodes of changedSince(database, upTo)) {
    for (const { seq } of nodes) last = Math.max(last, seq ?? 0);
    tree.change((hands) => {
      for (const { path, kind, mtime } of nodes)
        if (kind === "g") hands.remove(path);
        else if (kind === "d") hands.directory(path, mtime);
        else if (kind === "l") hands.link(path);
    });
    for (const group of groupsOf(nodes.filter(({ kind }) => kind === "f"))) {
      const files = await fetched(database, group);
      tree.change((hands) => {
        for (const { node, parts } of files) hands.file(node.path, node.mtime, parts);
      });
      await setImmediate();
    }
    // the directory of a file that came and went
    for (const { path, kind } of nodes)
      if (kind === "g") for (const above of ancestorsOf(path)) if (!tree.hasDirectory(above)) asked.add(above);
  }
  const directories = await nodesAt(database, [...asked, ...tree.untimed()]);
  tree.change((hands) => {
    for (const { path, kind, mtime } of directories.values()) if (kind === "d") hands.directory(path, mtime);
  });
  return last;
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Damaged || (error as NodeJS.ErrnoException).syscall !== undefined;
}

/** A search in the database says which file it is. */
function isOfContent(error: unknown): boolean {
  return error instanceof Refusal && error.kind === "journal_damaged";
}

/** Those who give up leave the copying to go on: the next search finds it further. */
async function within<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stillCopying()), Math.max(0, deadline.remainingMs() - ANSWER_MS));
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Left for the words of the refusal. */
const ANSWER_MS = 200;

function stillCopying(): Refusal {
  return new Refusal("timeout", "The files are still being fetched from the database for the first search.", {
    next: "Search again in a moment: what is fetched stays.",
  });
}
