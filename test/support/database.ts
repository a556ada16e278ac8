// Databases for tests: one PostgreSQL server for each process that runs tests, and in it a database for each file of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Backend, Committed } from "stet";
import { migrate, openPool, type Pool, type PoolOptions, type PostgresOptions, postgres } from "stet/backends/postgres";
import { afterAll, afterEach, expect } from "vitest";
import { type DatabaseProxy, startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { AUTHOR, change, version } from "./assertions.ts";

interface Server {
  readonly url: string;
  readonly port: number;
  /** As if its machine had lost power; then it starts again. */
  crash(): Promise<void>;
}

let shared: Promise<Server> | undefined;
let made = 0;

/** Its tables are there. Everything is closed when the tests are over. */
export async function testDatabase(options: PoolOptions = {}) {
  shared ??= started();
  const server = await shared;
  const name = `d${process.pid}_${made++}`;
  await withOwner(server.url, (owner) => owner.query(`create database ${name} template tables`));
  /** This database, by another way to the server, or as another user. */
  const at = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const url = at(server.url);
  const pool = await openPool(url, options);
  const ending: (() => Promise<unknown>)[] = [() => pool.end()];
  afterAll(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });
  return {
    server,
    url,
    at,
    pool,
    async open(workspace: string, how: Partial<PostgresOptions> = {}): Promise<Backend> {
      const backend = await postgres({ database: pool, workspace, ...how });
      ending.push(() => backend.close());
      return backend;
    },
    /** One more pool, of which a test may cut the connections or use up all. */
    async anotherPool(more: PoolOptions = {}, way = url): Promise<Pool> {
      const own = await openPool(way, more);
      let ended: Promise<void> | undefined;
      const end = own.end.bind(own);
      own.end = () => {
        ended ??= end();
        return ended;
      };
      ending.push(() => own.end());
      return own;
    },
    /** Something in between that cuts connections, or lets them fall silent. */
    async proxied(): Promise<DatabaseProxy & { readonly url: string }> {
      const proxy = await startDatabaseProxy(server.port);
      afterEach(() => {
        proxy.down(false);
        proxy.speak();
        proxy.slowly(0);
      });
      ending.push(() => proxy.close());
      return Object.assign(Object.create(proxy), { url: at(proxy.url) });
    },
    /** The role of servers as docs/fleet.md tells to make it; the address with it. */
    async asServer(role: string): Promise<string> {
      const [create, ...grants] = role.split(";\n");
      await pool.query(`do $$ begin ${create}; exception when duplicate_object then null; end $$`);
      await pool.query(grants.join(";\n"));
      return url.replace("stet@", "stet_server@");
    },
  };
}

/** What a tenant may have; what is left out has no limit. */
export async function limit(pool: Pool, tenant: string, most: { bytes?: number; files?: number; perSecond?: number }) {
  const { bytes = null, files = null, perSecond = null } = most;
  const text = "insert into pace (tenant, level) values ($1, $2) on conflict do nothing";
  await pool.query({ text, values: [tenant, perSecond ?? 0] });
  await pool.query({
    text: `insert into quota (tenant, max_bytes, max_files, per_second) values ($1, $2, $3, $4) on conflict (tenant)
      do update set max_bytes = excluded.max_bytes, max_files = excluded.max_files, per_second = excluded.per_second`,
    values: [tenant, bytes, files, perSecond],
  });
}

/** `work`, while the tables are those of a stet that comes after this one. */
export async function withNewerTables(pool: Pool, work: () => Promise<unknown>): Promise<void> {
  await pool.query("update stet_schema set version = version + 1");
  await work().finally(() => pool.query("update stet_schema set version = version - 1"));
}

/** A change of one file, from this text to that. */
export function put(backend: Backend, at: string, from: string | null, text: string): Promise<Committed> {
  return backend.commit([change(at, from === null ? null : version(from).sha, version(text))], AUTHOR);
}

/** `work`, while another has locked something by this statement; it may let go before it is done. */
export async function whileHeld<T>(
  url: string,
  statement: string,
  work: (free: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const others = await openPool(url, { connections: 1, heldMs: 0 });
  const holder = await others.connect();
  await holder.query(`begin; ${statement}`);
  let freed: Promise<unknown> | undefined;
  const free = (): Promise<unknown> => {
    freed ??= holder.query("rollback");
    return freed;
  };
  try {
    return await work(free);
  } finally {
    await free().finally(() => holder.release());
    await others.end();
  }
}

/** Until so many statements in this database wait for a lock. */
export async function untilWaiting(pool: Pool, count = 1): Promise<void> {
  const text = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await expect
    .poll(async () => (await pool.query(text)).rows.length, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(count);
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

async function started(): Promise<Server> {
  const script = fileURLToPath(new URL("postgres-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const next = async (): Promise<string> => {
    while (!said.includes("\n")) await Promise.race([once(child.stdout, "data"), ended]);
    const [line = "", ...rest] = said.split("\n");
    said = rest.join("\n");
    return line;
  };
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`PostgreSQL ended with ${code}.`)));
  ended.catch(() => undefined);
  const { url, port } = JSON.parse(await next()) as { url: string; port: number };
  await withOwner(url, (owner) => owner.query("create database tables"));
  await withOwner(url.replace("/postgres", "/tables"), migrate);
  const tell = async (what: string): Promise<void> => {
    child.stdin.write(`${what}\n`);
    await next();
  };
  return {
    url,
    port,
    async crash() {
      await tell("stop immediate");
      await tell("start");
    },
  };
}

async function withOwner(url: string, work: (owner: Pool) => Promise<unknown>): Promise<void> {
  const owner = await openPool(url, { connections: 1 });
  await work(owner).finally(() => owner.end());
}
