// A database for the tests of one file, and what is sent to it.
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { startPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import type { Client } from "../../src/backends/postgres/connection/client.ts";
import {
  openPool,
  type Pool,
  type PoolOptions,
  type PostgresOptions,
  postgres,
} from "../../src/backends/postgres/index.ts";
import type { Backend, Committed } from "../../src/core/backend.ts";
import { AUTHOR, change, version } from "../../src/testing/assertions.ts";

/** Everything is closed when the tests are over. */
export async function testDatabase(options: PoolOptions = {}) {
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url, options);
  const opened: Backend[] = [];
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    await pool.end();
    await server.remove();
  });
  return {
    server,
    pool,
    async open(workspace: string, how: Partial<PostgresOptions> = {}): Promise<Backend> {
      const backend = await postgres({ database: pool, workspace, ...how });
      opened.push(backend);
      return backend;
    },
  };
}

/** With something in between that cuts connections; all of the pool's own are open when a test begins. */
export async function testDatabaseBehindProxy(connections: number) {
  const database = await testDatabase({ connections });
  const proxy = await startDatabaseProxy(database.server.port);
  beforeEach(() => openSome(database.pool, connections));
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => proxy.close());
  return { ...database, proxy };
}

/** A change of one file, from this text to that. */
export function put(backend: Backend, at: string, from: string | null, text: string): Promise<Committed> {
  return backend.commit([change(at, from === null ? null : version(from).sha, version(text))], AUTHOR);
}

/** By a connection that has just been opened no change is made at once. */
export async function openSome(pool: Pool, count: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  await Promise.all(clients.map((client) => client.query("select 1")));
  for (const client of clients) client.release();
}

/** The names of all statements that are sent from now on, in their order, until mocks are restored. */
export function statements(pool: Pool): string[] {
  const all: string[] = [];
  const { prototype } = clientClass(pool);
  const { query } = prototype;
  vi.spyOn(prototype, "query").mockImplementation(function (this: Client, ...args) {
    const [asked] = args;
    all.push(typeof asked === "string" ? asked : (asked.name ?? asked.text));
    return query.apply(this, args);
  });
  return all;
}

/** Which changes were made at once, or were to be, and which the long way, from now on; each time those since the last. */
export function ways(pool: Pool): () => string[] {
  const sent = statements(pool);
  const wayOf = (name: string): string[] =>
    name.endsWith("+commit") ? ["at once"] : name === "stet-lock" ? ["the long way"] : [];
  return () => sent.splice(0).flatMap(wayOf);
}

export function clientClass(pool: Pool): { readonly prototype: Client } {
  return (pool as unknown as { Client: { readonly prototype: Client } }).Client;
}

/** `work`, while another has locked something by this statement. */
export async function whileHeld<T>(url: string, statement: string, work: () => Promise<T>): Promise<T> {
  const others = await openPool(url, { connections: 1, heldMs: 0 });
  const holder = await others.connect();
  await holder.query(`begin; ${statement}`);
  try {
    return await work();
  } finally {
    await holder.query("rollback").finally(() => holder.release());
    await others.end();
  }
}

/** What the rows of workspaces count is what there is. */
export async function expectCounted(pool: Pool, ...names: readonly string[]): Promise<void> {
  const { rows } = await pool.query({
    text: `select 'counted' as what, name, files, file_bytes, versions, version_bytes, line_bytes, path_bytes
        from workspace where name = any($1)
      union all select 'there', name,
        (select count(*) from node where ws = w.id and kind in ('f', 'l')),
        (select coalesce(sum(size), 0) from node where ws = w.id and kind in ('f', 'l')),
        (select count(*) from blob where ws = w.id),
        (select coalesce(sum(size), 0) from blob where ws = w.id),
        (select coalesce(sum(length(line) + 1), 0) from entry where ws = w.id),
        (select coalesce(sum(100 + 4 * octet_length(path)), 0) from node where ws = w.id)
      from workspace w where name = any($1) order by 1, 2`,
    values: [names],
  });
  const [counted, there] = [rows.slice(0, names.length), rows.slice(names.length)].map((half) =>
    half.map((row) => Object.values(row as object).slice(1)),
  );
  expect(counted).toHaveLength(names.length);
  expect(counted).toEqual(there);
}
