// Takes a workspace that is moved here: under a name that nothing opens until it is whole. One that was cut short goes on there.
import type { Head, KeptVersion, Path, Sha, Verification, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { bytesOf } from "../../../core/version.ts";
import { GENESIS, readLine } from "../../journal/entry.ts";
import { changedMeanwhile, type Item, type Reached, type Receiver } from "../../moving.ts";
import { checkLength } from "../commit/plan.ts";
import { roomFor } from "../commit/quota-check.ts";
import { placing, telling } from "../commit/rows.ts";
import { type Client, inTransaction, onConnection, openPool } from "../connection/client.ts";
import { bytesOfSha, type Database, databaseOf, shaOfBytes, within } from "../connection/database.ts";
import { verifyJournal } from "../journal/journal.ts";
import type { Node } from "../paths/nodes.ts";
import { migrate } from "../schema/migrate.ts";
import { storing } from "../state/blobs.ts";
import { checkName } from "../tenants/names.ts";
import { made, numberIn, type Place } from "../tenants/place.ts";

export interface ReceiverInDatabase extends Receiver {
  /** Makes it visible, all at once. `words`: the journal's last word on every path. */
  finish(head: Reached, words: ReadonlyMap<Path, Head>): Promise<Verification>;
}

/** What is sent at once. */
const GROUP = { files: 500, bytes: 8 * 1024 * 1024 };
const NODES_AT_ONCE = 2000;

export async function receiveInDatabase<T>(
  { url, tenant, workspace }: Place,
  history: boolean,
  work: (receiver: ReceiverInDatabase) => Promise<T>,
): Promise<T> {
  for (const name of tenant === "" ? [workspace] : [tenant, workspace]) checkName(name);
  const pool = await openPool(url);
  try {
    await migrate(pool);
    if ((await numberIn(pool, tenant, workspace)) !== undefined) throw isThere(workspace);
    const hidden = `${HIDDEN}${history ? "all" : "files"} ${workspace}`;
    const number = (await numberIn(pool, tenant, hidden)) ?? (await made(pool, tenant, hidden));
    return await onConnection(pool, async (client) => {
      const [lock] = await within<{ had: boolean }>(client, LOCK(number));
      if (!lock?.had) throw underWay(workspace);
      return work(await receiverOf(databaseOf(pool, tenant, number, LIMITS.lockMs), workspace));
    });
  } finally {
    await pool.end();
  }
}

/** No name of a workspace begins so: it has a control character. */
const HIDDEN = "\u0001moving ";

/** Held as long as the connection is; any first number will do, as long as every stet takes the same. */
const LOCK = (ws: number) => ({
  text: "select pg_try_advisory_lock(7243002, $1) as had",
  values: [ws % 2 ** 31],
});

async function receiverOf(database: Database, workspace: string): Promise<ReceiverInDatabase> {
  const { ws, ask, on } = database;
  const nodes: Node[] = [];
  let waiting: { version: Version; keptAt: number | undefined }[] = [];
  let bytes = 0;
  let reached = await lastEntry(database);

  async function store(version: Version, keptAt: number | undefined): Promise<void> {
    waiting.push({ version, keptAt });
    bytes += version.size;
    if (waiting.length >= GROUP.files || bytes > GROUP.bytes) await flush();
  }

  /** All of a version or nothing: one that is there is whole. */
  async function flush(): Promise<void> {
    const group = waiting;
    [waiting, bytes] = [[], 0];
    if (group.length === 0) return;
    const shas = group.map(({ version }) => version.sha);
    const known = new Set((await storedOf(database, shas)).map(({ sha }) => shaOfBytes(sha)));
    await on((connection) =>
      inTransaction(connection, async (client) => {
        for (const { version, keptAt } of group) {
          if (keptAt === undefined && known.has(version.sha)) continue;
          const parts = known.has(version.sha) ? [] : storing(ws, version, keptAt !== undefined);
          const dating = keptAt === undefined ? [] : [datingKept(ws, version.sha, keptAt)];
          for (const query of [...parts, ...dating]) await client.query(query);
          known.add(version.sha);
        }
      }),
    );
  }

  return {
    get reached() {
      return reached;
    },

    async restart() {
      for (const table of ["change", "used", "entry", "blob"])
        await ask({ text: `delete from ${table} where ws = $1`, values: [ws] });
      reached = NOTHING;
    },

    async missing(kept) {
      const rows = await storedOf(
        database,
        kept.map(({ sha }) => sha),
      );
      const there = new Set(rows.filter((row) => row.kept).map(({ sha }) => shaOfBytes(sha)));
      return kept.filter(({ sha }: KeptVersion) => !there.has(sha));
    },

    keep: (version, keptAt) => store(version, keptAt),

    async enter(lines) {
      await flush();
      const told = lines.map((line) => ({ line, entry: entryOf(line) }));
      await on((connection) =>
        inTransaction(connection, async (client) => {
          for (const query of telling(ws, told)) await client.query(query);
        }),
      );
      const { seq, hash } = told.at(-1)!.entry;
      reached = { seq, hash };
    },

    async place(item, version) {
      checkLength(item.path);
      nodes.push(nodeOf(item, version));
      if (version !== null) await store(version, undefined);
    },

    async finish(head, words) {
      await flush();
      const all = withWords(nodes, words);
      const verification = await verifyJournal(database);
      if (!verification.ok || verification.head.hash !== head.hash) return verification;
      await on((connection) => inTransaction(connection, (client) => appear(client, database, workspace, head, all)));
      return verification;
    },
  };
}

const NOTHING: Reached = { seq: 0, hash: GENESIS };

async function lastEntry({ ws, ask }: Database): Promise<Reached> {
  const [row] = await ask<{ line: Buffer }>({
    text: "select line from entry where ws = $1 order by seq desc limit 1",
    values: [ws],
  });
  if (row === undefined) return NOTHING;
  const { seq, hash } = entryOf(row.line);
  return { seq, hash };
}

function entryOf(line: Buffer) {
  const { entry, intact } = readLine(line);
  if (entry === null || !intact) throw new Refusal("journal_damaged", "A line of the journal is not an entry.");
  return entry;
}

async function storedOf({ ws, ask }: Database, shas: readonly Sha[]): Promise<{ sha: Buffer; kept: boolean }[]> {
  return ask({
    text: "select sha, kept from blob where ws = $1 and sha = any($2)",
    values: [ws, shas.map(bytesOfSha)],
  });
}

function datingKept(ws: number, sha: Sha, keptAt: number) {
  return {
    name: "stet-dated",
    text: "update blob set kept = true, kept_at = to_timestamp($3) where ws = $1 and sha = $2",
    values: [ws, bytesOfSha(sha), keptAt / 1000],
  };
}

function nodeOf({ path, kind, mtimeMs }: Item, version: Version | null): Node {
  const common = { path, mtime: mtimeMs, seq: null, target: null };
  if (version === null) return { ...common, kind: "d", sha: null, size: 0, mode: null };
  const content = { sha: bytesOfSha(version.sha), size: version.size };
  const isLink = kind === "link" || version.mode === LINK_MODE;
  if (isLink) return { ...common, ...content, kind: "l", mode: null, target: Buffer.from(bytesOf(version)) };
  return { ...common, ...content, kind: "f", mode: (version.mode ?? 0o644) & 0o1777 };
}

/** Each with the entry that spoke of it last; paths that are gone keep the journal's last word. */
function withWords(nodes: readonly Node[], words: ReadonlyMap<Path, Head>): Node[] {
  const there = new Set(nodes.map(({ path }) => path));
  const gone = [...words].filter(([path]) => !there.has(path));
  return [
    ...nodes.map((node) => {
      const word = node.kind === "d" ? undefined : words.get(node.path as Path);
      if (word === undefined) return node;
      if (node.sha !== null && word.sha !== shaOfBytes(node.sha)) throw changedMeanwhile(node.path);
      return { ...node, seq: word.seq };
    }),
    ...gone.map(([path, { seq }]): Node => {
      return { path, kind: "g", sha: null, size: 0, mode: null, mtime: 0, target: null, seq };
    }),
  ];
}

async function appear(
  client: Client,
  { ws, tenant }: Database,
  workspace: string,
  head: Reached,
  nodes: readonly Node[],
): Promise<void> {
  await client.query({ text: "select 1 from workspace where id = $1 for update", values: [ws] });
  for (let at = 0; at < nodes.length; at += NODES_AT_ONCE)
    await client.query(placing(ws, nodes.slice(at, at + NODES_AT_ONCE)));
  // bytes of files that were changed between two attempts
  await client.query({
    text: `delete from blob b where ws = $1 and not kept
      and not exists (select 1 from node n where n.ws = b.ws and n.sha = b.sha and n.kind in ('f', 'l'))`,
    values: [ws],
  });
  const [sums] = await within<Sums>(client, { text: SUMS, values: [ws] });
  if (sums === undefined || sums.lost > 0) throw new Error("Bytes of files are missing in the database.");
  const { files, fileBytes, versions, versionBytes, lineBytes, pathBytes, at } = sums;
  const room = await roomFor(client, tenant);
  room?.take({ bytes: versionBytes + lineBytes + pathBytes, content: versionBytes, files, entries: 0 });
  const named = await within(client, {
    text: `update workspace set name = $2, seq = $3, hash = $4, at = $5, files = $6, file_bytes = $7, versions = $8,
      version_bytes = $9, line_bytes = $10, path_bytes = $12 where id = $1
      and not exists (select 1 from workspace other where other.tenant = $11 and other.name = $2) returning id`,
    values: [
      ws,
      workspace,
      head.seq,
      head.hash,
      at,
      files,
      fileBytes,
      versions,
      versionBytes,
      lineBytes,
      tenant,
      pathBytes,
    ],
  });
  if (named.length === 0) throw isThere(workspace);
}

interface Sums {
  readonly files: number;
  readonly fileBytes: number;
  readonly versions: number;
  readonly versionBytes: number;
  readonly lineBytes: number;
  readonly pathBytes: number;
  readonly lost: number;
  readonly at: string;
}

const SUMS = `select f.*, v.*, e.*, p.*, l.* from
  (select count(*) as files, coalesce(sum(size), 0)::bigint as "fileBytes" from node
    where ws = $1 and kind in ('f', 'l')) f,
  (select count(*) as versions, coalesce(sum(size), 0)::bigint as "versionBytes" from blob where ws = $1) v,
  (select coalesce(sum(length(line) + 1), 0)::bigint as "lineBytes", coalesce(max(at), '') as at from entry
    where ws = $1) e,
  (select coalesce(sum(100 + 4 * octet_length(path)), 0)::bigint as "pathBytes" from node where ws = $1) p,
  (select count(*) as lost from node n where ws = $1 and kind in ('f', 'l')
    and not exists (select 1 from blob b where b.ws = n.ws and b.sha = n.sha)) l`;

function isThere(workspace: string): Refusal {
  return new Refusal("already_exists", `There is a workspace ${shown(workspace)} in this database already.`, {
    next: "Push to another name.",
  });
}

function underWay(workspace: string): Refusal {
  return new Refusal("busy", `Another push to ${shown(workspace)} is under way.`, { next: "Wait until it has ended." });
}
