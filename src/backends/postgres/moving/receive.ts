// Takes a workspace that is moved here: under a name that nothing opens until it is whole. One that was cut short goes on there.
import { randomBytes } from "node:crypto";
import type { EntryChange, Head, KeptVersion, Path, Sha, Verification, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { bytesOf } from "../../../core/version.ts";
import { GENESIS, readLine } from "../../journal/entry.ts";
import { changedMeanwhile, type Item, inGroups, type Reached, type Receiver } from "../../moving.ts";
import { roomFor } from "../commit/quota-check.ts";
import { placing, tellingMany } from "../commit/statement/rows.ts";
import { type Client, inTransaction, onConnection, openPool, type Query } from "../connection/client.ts";
import { bytesOfSha, type Database, databaseOf, shaOfBytes, within } from "../connection/database.ts";
import { inWords, isLost } from "../connection/failures.ts";
import { enter } from "../connection/scope.ts";
import { checkServer } from "../connection/server.ts";
import { verifyJournal } from "../journal/journal.ts";
import { checkLength, checkLengthsInJournal } from "../paths/length.ts";
import type { Node } from "../paths/nodes.ts";
import { migrate } from "../schema/migrate.ts";
import { keptBlobs, storing } from "../state/blobs.ts";
import { checkName } from "../tenants/names.ts";
import type { Place } from "../tenants/place.ts";
import { hasAppeared } from "./appeared.ts";
import { HIDDEN, hiddenName, lockForPush } from "./hidden.ts";

export interface ReceiverInDatabase extends Receiver {
  /** Makes it visible, all at once. `words`: the journal's last word on every path. */
  finish(head: Reached, words: ReadonlyMap<Path, Head>): Promise<Verification>;
}

const GROUP = { files: 500, bytes: 8 * 1024 * 1024 };
const NODES_AT_ONCE = 2000;

/**
 * All of it goes over the connection that holds the lock: a push that lost its lock has lost its connection, too. What
 * is written is written only while the row is still that of this push, whatever became of the lock.
 */
export async function receiveInDatabase<T>(
  { url, tenant, workspace }: Place,
  history: boolean,
  work: (receiver: ReceiverInDatabase) => Promise<T>,
): Promise<T> {
  for (const name of tenant === "" ? [workspace] : [tenant, workspace]) checkName(name);
  const pool = await openPool(url);
  try {
    await checkServer(pool);
    await migrate(pool);
    return await onConnection(pool, async (client) => {
      await enter(client, { tenant });
      await lockForPush(client, tenant, workspace);
      const own = await begun(client, tenant, workspace, history);
      await enter(client, { tenant, ws: [own.ws] });
      const ask: Database["ask"] = (query) => within(client, query);
      const database = { ...databaseOf(pool, tenant, own.ws, LIMITS.lockMs), on: onThis(client), ask, quick: ask };
      return work(await receiverOf(database, own));
    });
  } catch (error) {
    throw isLost(error) ? cutOff(workspace, error) : inWords(error);
  } finally {
    await pool.end();
  }
}

const onThis =
  (client: Client): Database["on"] =>
  (work) =>
    work(client);

interface Own {
  readonly ws: number;
  readonly push: string;
  readonly workspace: string;
}

/** Under the lock: what one before it left is taken up. From here on that one can write nothing more. */
async function begun(connection: Client, tenant: string, workspace: string, history: boolean): Promise<Own> {
  const hidden = hiddenName(workspace, history);
  const push = randomBytes(16).toString("hex");
  return inTransaction(connection, async (client) => {
    const there = { text: "select 1 from workspace where tenant = $1 and name = $2", values: [tenant, workspace] };
    if ((await within(client, there)).length > 0) throw isThere(workspace);
    await client.query({
      text: "insert into workspace (tenant, name) values ($1, $2) on conflict do nothing",
      values: [tenant, hidden],
    });
    const [row] = await within<{ id: number }>(client, {
      text: "update workspace set push = $3 where tenant = $1 and name = $2 returning id",
      values: [tenant, hidden, push],
    });
    // one that lost its lock has just come to its end
    if (row === undefined) throw isThere(workspace);
    return { ws: row.id, push, workspace };
  });
}

/** All of `work` or nothing, and nothing unless the row is hidden still, and this push's. */
function asOwn<T>(connection: Client, { ws, push, workspace }: Own, work: (client: Client) => Promise<T>): Promise<T> {
  return inTransaction(connection, async (client) => {
    const rows = await within(client, {
      name: "stet-own-push",
      text: "select 1 from workspace where id = $1 and push = $2 and starts_with(name, $3) for no key update",
      values: [ws, push, HIDDEN],
    });
    if (rows.length === 0) throw takenOver(workspace);
    return work(client);
  });
}

/** On their way together; the first that failed is the one that says why. */
async function sendAll(client: Client, queries: readonly Query[]): Promise<void> {
  const sent = await Promise.allSettled(queries.map((query) => client.query(query)));
  const failed = sent.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function receiverOf(database: Database, own: Own): Promise<ReceiverInDatabase> {
  const { ws, on } = database;
  const write = <T>(work: (client: Client) => Promise<T>): Promise<T> => on((client) => asOwn(client, own, work));
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
    const queries = group.flatMap(({ version, keptAt }) => {
      const parts = known.has(version.sha) ? [] : storing(ws, version, keptAt !== undefined);
      known.add(version.sha);
      return keptAt === undefined ? parts : [...parts, datingKept(ws, version.sha, keptAt)];
    });
    await write((client) => sendAll(client, queries));
  }

  return {
    get reached() {
      return reached;
    },

    async restart() {
      const remove = ["change", "used", "entry", "blob"].map((table) => `delete from ${table} where ws = $1`);
      await write((client) =>
        sendAll(
          client,
          remove.map((text) => ({ text, values: [ws] })),
        ),
      );
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

    async keepOnly(shas) {
      await flush();
      for await (const group of inGroups(keptBlobs(database), ({ length }) => length >= NODES_AT_ONCE)) {
        const others = group.flatMap(({ sha }) => (shas.has(sha) ? [] : [bytesOfSha(sha)]));
        if (others.length === 0) continue;
        const drop = { text: "update blob set kept = false where ws = $1 and sha = any($2)", values: [ws, others] };
        await write((client) => client.query(drop));
      }
    },

    async enter(lines) {
      await flush();
      const told = lines.map((line) => ({ line, entry: entryOf(line) }));
      checkLengthsInJournal(told.flatMap(({ entry }) => entry.changes.flatMap(pathsOf)));
      await write((client) => sendAll(client, tellingMany(ws, told)));
      const { seq, hash } = told.at(-1)!.entry;
      reached = { seq, hash };
    },

    async place(item, version) {
      checkLength(item.path, "Move it to a shorter path first.");
      nodes.push(nodeOf(item, version));
      if (version !== null) await store(version, undefined);
    },

    async finish(head, words) {
      await flush();
      const all = withWords(nodes, words);
      const verification = await verifyJournal(database, {}, head);
      if (!verification.ok || verification.head.hash !== head.hash) return verification;
      await write((client) => appear(client, database, own.workspace, head, all)).catch(async (error) => {
        if (!isLost(error) || !(await hasAppeared(database, own.workspace))) throw error;
      });
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

function pathsOf({ path, movedFrom }: EntryChange): string[] {
  return movedFrom === undefined ? [path] : [path, movedFrom];
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
  for (let at = 0; at < nodes.length; at += NODES_AT_ONCE)
    await client.query(placing([[ws, nodes.slice(at, at + NODES_AT_ONCE)]]));
  // bytes of files that were changed, and versions that were dropped, between two attempts
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
  const naming = within(client, {
    text: `update workspace set name = $2, push = null, seq = $3, hash = $4, at = $5, files = $6, file_bytes = $7, versions = $8,
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
  const named = await naming.catch((error) => {
    // made at the same moment
    if ((error as { code?: string }).code === "23505") return [];
    throw error;
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

function takenOver(workspace: string): Refusal {
  const why = `What came of ${shown(workspace)} is no longer that of this push: another one has taken it over, or ended it.`;
  return new Refusal("busy", why, { next: "Look what is there before you push again." });
}

function cutOff(workspace: string, cause: unknown): Refusal {
  const why = `The connection was lost, and with it the lock of the push to ${shown(workspace)}.`;
  return new Refusal("io_error", why, { next: "Run the same command again: it goes on where it was.", cause });
}
