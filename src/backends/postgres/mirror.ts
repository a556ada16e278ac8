// A copy of the files in a private directory, so that ripgrep can search them; brought up to date before every search. It may be deleted at any time.
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { breathe } from "../../core/version.ts";
import { type Database, shaOfBytes } from "./connection/database.ts";
import { tailOf } from "./journal/journal.ts";
import type { Node } from "./paths/nodes.ts";
import { chunksOf } from "./state/blobs.ts";

export interface Mirror {
  /** The directory, with the files as they are now or later; undefined where they are too many. */
  upToDate(deadline: Deadline): Promise<string | undefined>;
  close(): void;
}

/** What is fetched at once. */
const GROUP = { files: 500, bytes: 8 * 1024 * 1024 };
const PAGE = 5_000;

/** `base` is made when it is not there, for this user alone. `mostBytes`: larger workspaces have no mirror. */
export function createMirror(database: Database, base: string, mostBytes: number): Mirror {
  let own: string | undefined;
  let directory: string | undefined;
  let mark = -1;
  let syncing: Promise<unknown> = Promise.resolve();
  let next: Promise<boolean> | undefined;

  /** One that begins after it was asked for: the one under way may have passed what was changed since. All who wait share it. */
  function sync(): Promise<boolean> {
    next ??= syncing.then(() => {
      const now = bringUp();
      next = undefined;
      syncing = now.catch(() => {});
      return now;
    });
    return next;
  }

  async function bringUp(): Promise<boolean> {
    const { seq } = await tailOf(database);
    const place = placeNow();
    if (seq === mark) return true;
    if ((await bytesIn(database)) > mostBytes) return false;
    for await (const nodes of changedSince(database, mark)) {
      for (const gone of nodes.filter(({ kind }) => kind === "g")) fs.rmSync(join(place, gone.path), REMOVE);
      for (const group of groupsOf(nodes.filter(({ kind }) => kind === "f"))) await copyGroup(database, place, group);
      for (const node of nodes) if (node.kind === "l") link(place, node);
    }
    mark = seq;
    return true;
  }

  /** Made anew where it was deleted. */
  function placeNow(): string {
    if (directory !== undefined && fs.existsSync(directory)) return directory;
    mark = -1;
    fs.mkdirSync(base, { recursive: true, mode: 0o700 });
    removeLeft(base);
    own = fs.mkdtempSync(join(base, `${process.pid}-`));
    directory = join(own, TREE);
    fs.mkdirSync(directory);
    return directory;
  }

  return {
    async upToDate(deadline) {
      const done = await within(sync(), deadline);
      return done ? directory : undefined;
    },
    close() {
      if (own !== undefined) fs.rmSync(own, REMOVE);
    },
  };
}

const TREE = "files";
const REMOVE = { recursive: true, force: true } as const;

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

/** Of processes that have ended without a word. */
function removeLeft(base: string): void {
  for (const name of fs.readdirSync(base)) {
    const pid = Number.parseInt(name, 10);
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid)) fs.rmSync(join(base, name), REMOVE);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function bytesIn({ ws, ask }: Database): Promise<number> {
  const [row] = await ask<{ bytes: number }>({
    text: "select file_bytes as bytes from workspace where id = $1",
    values: [ws],
  });
  return row?.bytes ?? 0;
}

/** By path, so that one that is changed meanwhile is met once at most; what changed later is changed since the mark, too. */
async function* changedSince({ ws, ask }: Database, mark: number): AsyncGenerator<Node[]> {
  for (let after = ""; ; ) {
    const rows: Node[] = await ask<Node>({
      text: `select path, kind, sha, size, mtime, target from node
        where ws = $1 and kind <> 'd' and (seq > $2 or ($2 < 0 and seq is null)) and path > $3 order by path limit ${PAGE}`,
      values: [ws, mark, after],
    });
    yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.path;
  }
}

function* groupsOf(nodes: readonly Node[]): Generator<Node[]> {
  let group: Node[] = [];
  let bytes = 0;
  for (const node of nodes) {
    if (group.length > 0 && (group.length >= GROUP.files || bytes + node.size > GROUP.bytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(node);
    bytes += node.size;
  }
  if (group.length > 0) yield group;
}

async function copyGroup(database: Database, place: string, group: readonly Node[]): Promise<void> {
  const { ws, ask } = database;
  // half as much on the way as the form in which bytes come otherwise
  const rows = await ask<{ sha: Buffer; text: string | null }>({
    name: "stet-copy",
    text: "select sha, encode(bytes, 'base64') as text from blob where ws = $1 and sha = any($2)",
    values: [ws, group.map(({ sha }) => sha)],
  });
  const found = new Map(rows.map(({ sha, text }) => [shaOfBytes(sha), text]));
  for (const node of group) {
    const text = found.get(shaOfBytes(node.sha!));
    if (text === undefined) continue;
    const parts = text === null ? await piecesOf(database, node) : [Buffer.from(text, "base64")];
    if (parts !== undefined) write(place, node, parts);
  }
  await breathe();
}

/** Undefined when it was replaced, and dropped from the store, meanwhile. */
async function piecesOf(database: Database, { sha, size, path }: Node): Promise<Uint8Array[] | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of chunksOf(database, { sha: sha!, size }, path)) parts.push(part);
    return parts;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "path_changed") return undefined;
    throw error;
  }
}

function write(place: string, { path, mtime }: Node, parts: readonly Uint8Array[]): void {
  const temporary = join(place, "..", "being-written");
  const file = fs.openSync(temporary, "w", 0o600);
  try {
    for (const part of parts) fs.writeSync(file, part);
    fs.futimesSync(file, mtime / 1000, mtime / 1000);
  } finally {
    fs.closeSync(file);
  }
  fs.renameSync(temporary, made(place, path));
}

/** It leads nowhere: only that there is a link is looked at, and nothing may ever be written through one. */
function link(place: string, { path }: Node): void {
  const at = made(place, path);
  fs.rmSync(at, REMOVE);
  fs.symlinkSync(`${TREE}-leads-nowhere`, at);
}

/** The way to a file; a file or a link that was in it is no more. */
function made(place: string, path: string): string {
  const at = join(place, path);
  try {
    fs.mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
  } catch {
    let way = place;
    for (const name of path.split("/").slice(0, -1)) {
      way = join(way, name);
      if (fs.lstatSync(way, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(way, REMOVE);
    }
    fs.mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
  }
  return at;
}
