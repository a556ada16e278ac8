// What a copy needs of the database: which paths have changed, and the bytes of files, compared with their sha256.
import type { Sha } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { endingOf } from "../../journal/entry.ts";
import { ENDS_WITH, lastEntryOf } from "../commit/lock.ts";
import { type Database, shaOfBytes } from "../connection/database.ts";
import { type Node, nodesAt } from "../paths/nodes.ts";
import { chunksOf, collected, damagedContent, hasBytes } from "../state/blobs.ts";

const GROUP = { files: 500, bytes: 8 * 1024 * 1024 };
const PAGE = 5_000;

/** Where a copy got to: an entry, by its number and hash. */
export interface Mark {
  readonly seq: number;
  readonly hash: Sha;
}

interface State extends Mark {
  readonly bytes: number;
  readonly files: number;
  /** What `mark` names is there. A database that fell back behind it gives its number to another entry. */
  readonly hasMark: boolean;
}

export async function stateOf({ ws, ask }: Database, mark: Mark | undefined): Promise<State> {
  const [state] = await ask<State>({
    name: "stet-mirrored",
    text: `select seq, hash, file_bytes as bytes, files,
        ($2 = 0 or (select e.seq = $2 and ${ENDS_WITH} = $3 ${lastEntryOf("$1", "$2")})) is true as "hasMark"
      from workspace where id = $1`,
    values: [ws, mark?.seq ?? 0, mark === undefined ? Buffer.alloc(0) : endingOf(mark.hash)],
  });
  if (state === undefined) throw new Refusal("not_found", "The workspace is no longer in the database.");
  return state;
}

/** By path, so that one that is changed meanwhile is met once at most; what changed later is changed since the mark, too. */
export async function* changedSince({ ws, ask }: Database, mark: number): AsyncGenerator<Node[]> {
  for (let after = ""; ; ) {
    const rows: Node[] = await ask<Node>({
      text: `select path, kind, sha, size, mtime, target, seq from node
        where ws = $1 and (seq > $2 or ($2 < 0 and seq is null)) and path > $3 order by path limit ${PAGE}`,
      values: [ws, mark, after],
    });
    yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.path;
  }
}

export function* groupsOf(nodes: readonly Node[]): Generator<Node[]> {
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

export interface Fetched {
  readonly node: Node;
  readonly parts: readonly Uint8Array[];
}

/** Without those that were replaced, and dropped from the store, meanwhile. */
export async function fetched(database: Database, group: readonly Node[]): Promise<Fetched[]> {
  const { ws, ask } = database;
  // half as much on the way as the form in which bytes come otherwise
  const rows = await ask<{ sha: Buffer; text: string | null }>({
    name: "stet-copy",
    text: "select sha, encode(bytes, 'base64') as text from blob where ws = $1 and sha = any($2)",
    values: [ws, group.map(({ sha }) => sha)],
  });
  const found = new Map(rows.map(({ sha, text }) => [shaOfBytes(sha), text]));
  const all: Fetched[] = [];
  const missing: Node[] = [];
  for (const node of group) {
    const { sha, size, path } = node;
    const text = found.get(shaOfBytes(sha!));
    const pieces = () => collected(size, (into) => chunksOf(database, { sha: sha!, size }, path, into));
    const parts = text == null ? await pieces().catch(unlessReplaced) : [Buffer.from(text, "base64")];
    if (parts !== undefined && hasBytes(sha!, parts)) all.push({ node, parts });
    else missing.push(node);
  }
  await refuseDamaged(database, missing);
  return all;
}

function unlessReplaced(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.kind !== "path_changed") throw error;
}

/** One that still has this version should have its bytes. */
async function refuseDamaged(database: Database, missing: readonly Node[]): Promise<void> {
  if (missing.length === 0) return;
  const now = await nodesAt(
    database,
    missing.map(({ path }) => path),
  );
  for (const { path, sha } of missing) if (now.get(path)?.sha?.equals(sha!) === true) throw damagedContent(path);
}
