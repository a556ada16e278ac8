// All there is of a workspace in a database, as it was at one moment: others go on changing it meanwhile.
import type { Path, Sha, Verification } from "../../../core/backend.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { Item, Whole } from "../../moving.ts";
import { openPool } from "../connection/client.ts";
import { type Database, databaseOf, shaOfBytes, within } from "../connection/database.ts";
import { inWords } from "../connection/failures.ts";
import { inScope } from "../connection/scope.ts";
import { lines, tailOf, verifyJournal } from "../journal/journal.ts";
import { KINDS, type Node } from "../paths/nodes.ts";
import { hasTables, migrate } from "../schema/migrate.ts";
import { keptBlobs, readFile, recallBlob } from "../state/blobs.ts";
import { noSuchWorkspace, numberIn, type Place } from "../tenants/place.ts";

export interface WholeInDatabase extends Whole {
  verify(): Promise<Verification>;
}

export async function withWorkspaceInDatabase<T>(
  { url, tenant, workspace }: Place,
  work: (whole: WholeInDatabase) => Promise<T>,
): Promise<T> {
  const pool = await openPool(url);
  try {
    if (!(await hasTables(pool))) throw noSuchWorkspace(tenant, workspace);
    await migrate(pool);
    const number = await numberIn(pool, tenant, workspace);
    if (number === undefined) throw noSuchWorkspace(tenant, workspace);
    return await inScope(pool, { tenant, ws: [number] }, async (client) => {
      // what is read is written elsewhere meanwhile, which may take long; no lock is held
      const unlimited = "set local idle_in_transaction_session_timeout = 0";
      await client.query(`begin isolation level repeatable read read only; ${unlimited}`);
      try {
        const database: Database = {
          ...databaseOf(pool, tenant, number, LIMITS.lockMs),
          on: (ask) => ask(client),
          ask: (query) => within(client, query),
          quick: (query) => within(client, query),
        };
        return await work(await wholeOf(database));
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

async function wholeOf(database: Database): Promise<WholeInDatabase> {
  return {
    head: await tailOf(database),
    async *lines(since) {
      for await (const { line } of lines(database, { sinceSeq: since })) yield line;
    },
    kept: () => keptBlobs(database),
    recall: (sha: Sha) => recallBlob(database, sha, Number.MAX_SAFE_INTEGER),
    items: () => items(database),
    read: (path) => readFile(database, path, { maxBytes: Number.MAX_SAFE_INTEGER }),
    verify: () => verifyJournal(database),
  };
}

const PAGE = 2000;

/** By path: a directory comes before what is in it. */
async function* items({ ws, ask }: Database): AsyncGenerator<Item> {
  for (let after = ""; ; ) {
    const rows = await ask<Pick<Node, "path" | "kind" | "mtime" | "sha">>({
      text: `select path, kind, mtime, sha from node where ws = $1 and kind <> 'g' and path > $2 order by path
        limit ${PAGE}`,
      values: [ws, after],
    });
    for (const { path, kind, mtime, sha } of rows) {
      const item = { path: path as Path, kind: KINDS[kind] as Item["kind"], mtimeMs: mtime };
      yield sha === null ? item : { ...item, sha: shaOfBytes(sha) };
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.path;
  }
}
