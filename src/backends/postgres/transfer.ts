// Transfers of a workspace into a database and out of it, each in one transaction: the database sees all of it or nothing.
import { randomUUID } from "node:crypto";
import type { Head, Path, Sha, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { readLine, START } from "../journal/entry.ts";
import {
  changedMeanwhile,
  type FileItem,
  historyItems,
  type Item,
  type Reached,
  type Receiver,
  type Source,
} from "../transfer.ts";
import { bytesOfPath, roomFor } from "./commit/quota-check.ts";
import { placing, tellingMany } from "./commit/rows.ts";
import { BEGIN, type Client, inTransaction, onConnection, openPool, type Query } from "./connection/client.ts";
import { again, bytesOfSha, type Database, databaseOf, shaOfBytes, within } from "./connection/database.ts";
import { inWords, isHeld, isLost } from "./connection/failures.ts";
import { enter, inScope } from "./connection/scope.ts";
import { checkServer } from "./connection/server.ts";
import { lines, tailOf } from "./journal/journal.ts";
import { checkLength, checkLengthsInJournal } from "./paths/length.ts";
import type { Node } from "./paths/nodes.ts";
import { hasTables, migrate } from "./schema/migrate.ts";
import { keptBlobs, readFile, recallBlob, storing } from "./state/blobs.ts";
import { checkName } from "./tenants/names.ts";
import { noSuchWorkspace, numberIn, type Place } from "./tenants/place.ts";

/** What is read or written goes elsewhere meanwhile, which may take long. */
const UNLIMITED = "set local idle_in_transaction_session_timeout = 0";

/** The workspace as it was at one moment: others go on changing it meanwhile. */
export async function withWorkspaceInDatabase<T>(
  { url, tenant, workspace }: Place,
  history: boolean,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const pool = await openPool(url);
  try {
    if (!(await hasTables(pool))) throw noSuchWorkspace(tenant, workspace);
    await migrate(pool);
    const ws = await numberIn(pool, tenant, workspace);
    if (ws === undefined) throw noSuchWorkspace(tenant, workspace);
    return await inScope(pool, { tenant, ws: [ws] }, async (client) => {
      await client.query(`begin isolation level repeatable read read only; ${UNLIMITED}`);
      try {
        return await work(await sourceOf(onOne(client, databaseOf(pool, tenant, ws, LIMITS.lockMs)), history));
      } finally {
        await client.query("rollback").catch(() => {});
      }
    });
  } catch (error) {
    throw inWords(error);
  } finally {
    await pool.end();
  }
}

/** All that is asked goes over this connection, and is asked once. */
function onOne(client: Client, database: Database): Database {
  const ask: Database["ask"] = (query) => within(client, query);
  return { ...database, on: (work) => work(client), ask, quick: ask };
}

async function sourceOf(database: Database, history: boolean): Promise<Source> {
  const damaged: Sha[] = [];
  async function* storedLines(): AsyncGenerator<Buffer> {
    for await (const { line } of lines(database, {})) yield line;
  }
  async function* items(): AsyncGenerator<Item> {
    const recall = (sha: Sha) => recallBlob(database, sha, Number.MAX_SAFE_INTEGER);
    if (history) yield* historyItems({ lines: storedLines, kept: keptBlobs(database), recall }, damaged);
    yield* filesIn(database);
  }
  return { damaged, items, head: history ? await tailOf(database) : START };
}

const PAGE = 2000;

/** By path: a directory comes before what is in it. */
async function* filesIn(database: Database): AsyncGenerator<FileItem> {
  for (let after = ""; ; ) {
    const rows = await database.ask<Pick<Node, "kind" | "mtime"> & { readonly path: Path }>({
      text: `select path, kind, mtime from node where ws = $1 and kind <> 'g' and path > $2 order by path limit ${PAGE}`,
      values: [database.ws, after],
    });
    for (const { path, kind, mtime: mtimeMs } of rows) {
      const version = kind === "d" ? null : await readFile(database, path, { maxBytes: Number.MAX_SAFE_INTEGER });
      yield { kind: "file", path, mtimeMs, version };
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.path;
  }
}

export async function receiveInDatabase<T>(
  { url, tenant, workspace }: Place,
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  for (const name of tenant === "" ? [workspace] : [tenant, workspace]) checkName(name);
  const pool = await openPool(url);
  try {
    await checkServer(pool);
    await migrate(pool);
    return await onConnection(pool, async (client) => {
      await enter(client, { tenant });
      await client.query(`${BEGIN}; ${UNLIMITED}`);
      try {
        await lockPush(client, tenant, workspace);
        const ws = await insertHidden(client, tenant, workspace);
        await enter(client, { tenant, ws: [ws] });
        const database = onOne(client, databaseOf(pool, tenant, ws, LIMITS.lockMs));
        return await work(receiverOf(client, database, workspace));
      } finally {
        await client.query("rollback").catch(() => {});
      }
    });
  } catch (error) {
    throw isLost(error) ? cutOff(workspace, error) : inWords(error);
  } finally {
    await pool.end();
  }
}

/** One push to a name at a time, until its transaction is over. */
async function lockPush(client: Client, tenant: string, workspace: string, waitMs = PUSH_WAIT_MS): Promise<void> {
  await client.query(`set local lock_timeout = ${waitMs}`);
  const lock = {
    text: "select pg_advisory_xact_lock(7243002, hashtext($1))",
    values: [JSON.stringify([tenant, workspace])],
  };
  await client.query(lock).catch((error) => {
    if (!isHeld(error)) throw error;
    throw new Refusal("busy", `Another push to ${shown(workspace)} is under way.`, {
      next: "Wait until it has ended.",
    });
  });
  await client.query("set local lock_timeout = 0");
}

/** Of one that was killed, the database notices a moment later. */
const PUSH_WAIT_MS = 2000;

/** Under a name that no other process asks for: one that makes a workspace of the right name need not wait, and wins. */
async function insertHidden(client: Client, tenant: string, workspace: string): Promise<number> {
  const there = { text: "select 1 from workspace where tenant = $1 and name = $2", values: [tenant, workspace] };
  if ((await within(client, there)).length > 0) throw isThere(workspace);
  const [row] = await within<{ id: number }>(client, {
    text: "insert into workspace (tenant, name) values ($1, $2) returning id",
    values: [tenant, `\u0001push ${randomUUID()}`],
  });
  return row!.id;
}

const GROUP = { queries: 500, bytes: 8 * 1024 * 1024 };

function receiverOf(client: Client, database: Database, workspace: string): Receiver {
  const { ws } = database;
  const nodes: Node[] = [];
  const stored = new Set<Sha>();
  let told: ReturnType<typeof toldBy>[] = [];
  let queries: Query[] = [];
  let bytes = 0;
  let [versionBytes, lineBytes, at] = [0, 0, ""];

  function store(version: Version, isKept: boolean): void {
    if (stored.has(version.sha)) return;
    stored.add(version.sha);
    queries.push(...storing(ws, version, isKept));
    bytes += version.size;
    versionBytes += version.size;
  }

  /** On their way together; the first that failed says why. */
  async function flush(): Promise<void> {
    const group = [...queries, ...(told.length === 0 ? [] : tellingMany(ws, told))];
    [told, queries, bytes] = [[], [], 0];
    const sent = await Promise.allSettled(group.map((query) => client.query(query)));
    const failed = sent.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  return {
    async add(item) {
      if (item.kind === "entry") {
        told.push(toldBy(item.line));
        at = told.at(-1)!.entry.at;
        bytes += item.line.length;
        lineBytes += item.line.length + 1;
      } else if (item.kind === "version") {
        store(item.version, true);
        queries.push(datingKept(ws, item.version.sha, item.keptAt));
      } else {
        checkLength(item.path, "Move it to a shorter path first.");
        nodes.push(nodeOf(item));
        if (item.version !== null) store(item.version, false);
      }
      if (told.length + queries.length >= GROUP.queries || bytes > GROUP.bytes) await flush();
    },

    async finish({ head, heads }) {
      await flush();
      const placed = withHeads(nodes, new Map(heads?.()));
      const arrived = { head, at, nodes: placed, versions: stored.size, versionBytes, lineBytes };
      await appear(client, database, workspace, arrived);
      await client.query("commit").catch(async (error) => {
        if (!isLost(error) || !(await hasAppeared(database, workspace))) throw error;
      });
    },
  };
}

function toldBy(line: Buffer) {
  // It was verified on its way.
  const entry = readLine(line).entry!;
  checkLengthsInJournal(entry.changes.flatMap(({ path, movedFrom }) => [path, movedFrom ?? path]));
  return { line, entry };
}

function datingKept(ws: number, sha: Sha, keptAt: number): Query {
  return {
    name: "stet-dated",
    text: "update blob set kept_at = to_timestamp($3) where ws = $1 and sha = $2",
    values: [ws, bytesOfSha(sha), keptAt / 1000],
  };
}

function nodeOf({ path, mtimeMs, version }: FileItem): Node {
  const common = { path, mtime: mtimeMs, seq: null, target: null };
  if (version === null) return { ...common, kind: "d", sha: null, size: 0, mode: null };
  const content = { sha: bytesOfSha(version.sha), size: version.size };
  if (version.mode !== LINK_MODE) return { ...common, ...content, kind: "f", mode: (version.mode ?? 0o644) & 0o1777 };
  return { ...common, ...content, kind: "l", mode: null, target: Buffer.from(bytesOf(version)) };
}

/** Each with the entry that spoke of it last; paths that are gone keep the journal's last word. */
function withHeads(nodes: readonly Node[], heads: Map<Path, Head>): Node[] {
  const there = nodes.map((node) => {
    const head = heads.get(node.path as Path);
    heads.delete(node.path as Path);
    if (head === undefined || node.sha === null) return node;
    if (head.sha !== shaOfBytes(node.sha)) throw changedMeanwhile(node.path);
    return { ...node, seq: head.seq };
  });
  const gone = [...heads].map(([path, { seq }]): Node => {
    return { path, kind: "g", sha: null, size: 0, mode: null, mtime: 0, target: null, seq };
  });
  return [...there, ...gone];
}

/** The files, what all of it comes to, and the name. */
async function appear(
  client: Client,
  { ws, tenant }: Database,
  workspace: string,
  { head, at, nodes, versions, versionBytes, lineBytes }: Arrived,
): Promise<void> {
  for (let n = 0; n < nodes.length; n += PAGE) await client.query(placing([[ws, nodes.slice(n, n + PAGE)]]));
  const files = nodes.filter(({ kind }) => kind === "f" || kind === "l");
  const fileBytes = files.reduce((sum, { size }) => sum + size, 0);
  const pathBytes = nodes.reduce((sum, { path }) => sum + bytesOfPath(path), 0);
  const room = await roomFor(client, tenant);
  const bytes = versionBytes + lineBytes + pathBytes;
  room?.take({ bytes, content: versionBytes, files: files.length, entries: 0 });
  const sums = [files.length, fileBytes, versions, versionBytes, lineBytes, pathBytes];
  const naming = {
    text: `update workspace set name = $2, seq = $3, hash = $4, at = $5, files = $6, file_bytes = $7, versions = $8,
      version_bytes = $9, line_bytes = $10, path_bytes = $11 where id = $1`,
    values: [ws, workspace, head.seq, head.hash, at, ...sums],
  };
  await client.query(naming).catch((error) => {
    throw (error as { code?: string }).code === "23505" ? isThere(workspace) : error;
  });
}

interface Arrived {
  readonly head: Reached;
  /** When its last entry was made. */
  readonly at: string;
  readonly nodes: readonly Node[];
  readonly versions: number;
  readonly versionBytes: number;
  readonly lineBytes: number;
}

/** When the answer to COMMIT was lost. The lock is free once the transaction is over, one way or the other. */
async function hasAppeared({ pool, tenant, ws, waitMs }: Database, workspace: string): Promise<boolean> {
  const look = () =>
    inScope(pool, { tenant }, (connection) =>
      inTransaction(connection, async (client) => {
        await lockPush(client, tenant, workspace, waitMs);
        return within(client, { text: "select 1 from workspace where id = $1", values: [ws] });
      }),
    );
  const rows = await again(waitMs, look).catch(() => undefined);
  if (rows !== undefined) return rows.length > 0;
  throw new Refusal(
    "outcome_unknown",
    `The connection was lost at the very end of the push to ${shown(workspace)}: whether it is there is not known.`,
    { next: "stet workspaces list tells. If it is not there, run the same command again." },
  );
}

function isThere(workspace: string): Refusal {
  return new Refusal("already_exists", `There is a workspace ${shown(workspace)} in this database already.`, {
    next: "Push to another name.",
  });
}

function cutOff(workspace: string, cause: unknown): Refusal {
  const why = `The connection was lost; nothing of the push to ${shown(workspace)} is in the database.`;
  return new Refusal("io_error", why, { next: "Run the same command again.", cause });
}
