// What a connection was told before it is asked: which workspaces it sees, and how rows are looked for.
import { setTimeout as sleep, setImmediate as tick } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import type { Client, Query } from "../../src/backends/postgres/connection/client.ts";
import { openPool, type Pool } from "../../src/backends/postgres/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { ROLE } from "../serve/fleet-support.ts";
import { clientClass, openSome, put, testDatabase } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("the scope of a connection", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, pool, open } = await testDatabase({ connections: 4 });
  await open("first");
  await pool.query(ROLE);
  const asServer = server.url.replace("stet@", "stet_server@");
  afterEach(() => vi.restoreAllMocks());

  async function withPool(url: string, work: (pool: Pool) => Promise<void>): Promise<void> {
    const own = await openPool(url, { connections: 3 });
    await openSome(own, 3);
    try {
      await work(own);
    } finally {
      vi.restoreAllMocks();
      await own.end();
    }
  }

  /** The next one that tells a scope is canceled in the database. */
  function cancelNextScope(of: Pool): void {
    const { prototype } = clientClass(of);
    const { query } = prototype;
    let left = 1;
    vi.spyOn(prototype, "query").mockImplementation(function (this: Client, ...args: [Query | string]) {
      const [asked] = args;
      if (typeof asked === "string" || asked.name !== "stet-scope" || left-- < 1)
        return query.apply(this, args) as never;
      const text = "do $$ begin perform pg_sleep(0.05); raise exception using errcode = '57014'; end $$";
      return query.call(this, { text }) as never;
    });
  }

  it("cannot be told: what was made all the same is told to be made", async () => {
    await withPool(server.url, async (own) => {
      const backends = await Promise.all(["made 0", "made 1"].map((name) => open(name, { database: own })));
      for (const backend of backends) await put(backend, "a", null, "0");
      cancelNextScope(own);
      const done = await Promise.allSettled(backends.map((backend) => put(backend, "a", "0", "1")));
      vi.restoreAllMocks();
      for (const [n, backend] of backends.entries())
        expect(done[n]!.status === "fulfilled").toBe((await textAt(backend, "a")) === "1");
      expect(done.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    });
  });

  it("cannot be told: no look behind it takes what it does not see for what is not there", async () => {
    await put(await open("hidden"), "a", null, "0");
    await withPool(asServer, async (own) => {
      const backend = await open("hidden", { database: own });
      // what is asked when it is opened is over by then, and no connection sees anything
      const clients = await Promise.all([own.connect(), own.connect(), own.connect()]);
      for (const client of clients) await client.query("select set_config('stet.ws', '', false)");
      for (const client of clients) client.release();
      cancelNextScope(own);
      const looks = [];
      // one after the other, before the first is answered
      for (let n = 0; n < 6; n++) {
        looks.push(backend.resolve("a"));
        await tick();
        await tick();
      }
      const found = await Promise.allSettled(looks);
      const kinds = found.map((each) => (each.status === "fulfilled" ? each.value.kind : "refused"));
      expect(kinds).not.toContain("absent");
      vi.restoreAllMocks();
      expect((await backend.resolve("a")).kind).toBe("file");
    });
  });

  it("a look that comes behind one that a locked table stops waits as well, and is answered", async () => {
    const names = [0, 1, 2, 3].map((n) => `locked ${n}`);
    for (const name of names) await put(await open(name), "a", null, "0");
    await withPool(server.url, async (own) => {
      const backends = await Promise.all(names.map((name) => open(name, { database: own })));
      const holder = await pool.connect();
      await holder.query("begin; lock table node in access exclusive mode");
      const looks = [];
      for (const backend of backends) {
        looks.push(backend.resolve("a").then(({ kind }) => kind));
        await sleep(10);
      }
      // longer than one of them waits
      await sleep(700);
      await holder.query("commit");
      holder.release();
      expect(await Promise.all(looks)).toEqual(names.map(() => "file"));
    });
  });

  it("rows are found by their keys, as the role of the servers and where they were never counted", async () => {
    for (const table of ["workspace", "node", "blob", "entry", "seen"])
      await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await withPool(asServer, async (own) => {
      const backend = await open("many", { database: own, tenant: "uncounted" });
      const session = new Workspace(backend).session();
      await session.create("a", "0\n");
      // how they are looked for is settled while there are few
      for (let n = 0; n < 8; n++) await session.write("a", `${n}\n`, { proof: { by: "waived" } });
      const { rows } = await pool.query<{ id: number }>("select id from workspace where tenant = 'uncounted'");
      const ws = rows[0]!.id;
      const MANY = 4_000;
      const filler = await pool.connect();
      await filler.query(`insert into blob (ws, sha, size, kept, bytes)
        select ${ws}, sha256(n::text::bytea), 1, true, 'x' from generate_series(1, ${MANY}) n`);
      await filler.query(`insert into node (ws, path, parent, kind, sha, size, seq)
        select ${ws}, 'f' || n, '', 'f', sha256(n::text::bytea), 1, 1 from generate_series(1, ${MANY}) n`);
      await filler.query(
        `insert into workspace (tenant, name) select 'uncounted', 'w' || n from generate_series(1, ${MANY}) n`,
      );
      await filler.query("select pg_stat_force_next_flush()");
      filler.release();
      const counts = async (): Promise<Record<string, number>> => {
        const { rows } = await pool.query<{ name: string; read: number }>(
          `select indexrelname as name, (idx_tup_read + idx_tup_fetch)::int as read from pg_stat_user_indexes
            union all select relname, seq_tup_read::int from pg_stat_user_tables where relname <> 'stet_schema'`,
        );
        return Object.fromEntries(rows.map(({ name, read }) => [name, read]));
      };
      const before = await counts();
      const other = new Workspace(await open("many", { database: own, tenant: "uncounted" })).session();
      for (let n = 0; n < 10; n++) {
        await session.read("a");
        await other.write("a", `other ${n}\n`, { proof: { by: "waived" } });
        await session.write("a", `${n}\n`, { proof: { by: "waived" } });
      }
      await expect.poll(counts).not.toEqual(before);
      await sleep(1_200);
      const after = Object.entries(await counts());
      // once all of them, for one statement, would be more
      expect(after.filter(([name, count]) => count - (before[name] ?? 0) >= MANY)).toEqual([]);
    });
  });

  it("what the owner has set for its role is as it was, where rows are not found by their keys", async () => {
    await pool.query(
      "alter role stet_server set enable_mergejoin = off; alter role stet_server set plan_cache_mode = force_custom_plan",
    );
    await withPool(asServer, async (own) => {
      const { backend, session } = await open("set", { database: own }).then((each) => ({
        backend: each,
        session: new Workspace(each).session(),
      }));
      await session.create("a", "0\n");
      await backend.tail?.();
      const clients = await Promise.all([own.connect(), own.connect(), own.connect()]);
      const found = await Promise.all(
        clients.map(async (client) => {
          const { rows } = await client.query<{ key: string }>(
            `select concat_ws(' ', current_setting('enable_seqscan'), current_setting('enable_mergejoin'),
              current_setting('plan_cache_mode')) as key`,
          );
          client.release();
          return rows[0]!.key;
        }),
      );
      expect(found).toContain("on off force_custom_plan");
      const others = found.filter((each) => !["on off force_custom_plan", "off off force_generic_plan"].includes(each));
      expect(others).toEqual([]);
      await pool.query("alter role stet_server reset all");
    });
  });
});
