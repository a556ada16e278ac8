// A database that falls silent, without a word that the connection is lost: what is asked is asked again or refused, and no lock stays.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { openPool, type Pool, type PoolOptions, postgres } from "../../src/backends/postgres/index.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend } from "../../src/core/backend.ts";
import { bytesOf } from "../../src/core/version.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { startPooler } from "../support/pooler.ts";

const QUICK: PoolOptions = { silentMs: 100, heldMs: 5_000, connectMs: 500 };

describe.skipIf(missingPostgres() !== undefined)("PostgreSQL that falls silent", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const proxy = await startDatabaseProxy(server.port);
  const direct = await openPool(server.url);
  let closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    proxy.speak();
    proxy.slowly(0);
    for (const close of closing.reverse()) await close();
    closing = [];
  });
  afterAll(async () => {
    await direct.end();
    await proxy.close();
    await server.remove();
  });

  async function open(
    workspace: string,
    options: PoolOptions = {},
    waitMs = 4_000,
    tenant = "",
  ): Promise<[Backend, Pool]> {
    const pool = await openPool(proxy.url, { ...QUICK, ...options });
    const backend = await postgres({ database: pool, workspace, waitMs, tenant });
    closing.push(
      () => pool.end(),
      () => backend.close(),
    );
    return [backend, pool];
  }

  const usedIn = ({ totalCount = 0, idleCount = 0 }: Pool): number => totalCount - idleCount;

  it("questions are asked again on new connections, and none of the old ones stays in use", async () => {
    const [backend, pool] = await open("old", { connectMs: 2_000 }, 3_000);
    const first = await write(backend, "a", "1");
    await Promise.all(Array.from({ length: 16 }, () => pool.query("select pg_sleep(0.2)")));
    proxy.hush();
    expect(await textAt(backend, "a")).toBe("1");
    // all that were not in use went with the one that was found silent
    expect(pool.totalCount).toBeLessThanOrEqual(2);
    await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
    await expect.poll(() => usedIn(pool)).toBe(0);
    expect(await textAt(backend, "a")).toBe("2");
  });

  for (const cut of ["silent before", "silent behind"] as const)
    it(`a commit whose answer does not come is looked up: ${cut} COMMIT`, async () => {
      const [backend] = await open(cut.replace(" ", "-"));
      let last = await write(backend, "counter", "0");
      const before = proxy.cuts;
      for (let n = 1; n <= 3; n++) {
        proxy.cutAtCommit(cut);
        const next = version(`${n}`);
        const { entry } = await backend.commit([change("counter", last.sha, next)], AUTHOR);
        expect(entry.seq).toBe(n + 1);
        last = next;
      }
      expect(proxy.cuts - before).toBe(3);
      expect(await textAt(backend, "counter")).toBe("3");
      expect(await all(backend.log())).toHaveLength(4);
      expect((await backend.verify()).ok).toBe(true);
    });

  it("it is looked up, too, where there is one connection only, or all were lost at once", async () => {
    const [backend] = await open("one", { connections: 1 });
    const first = await write(backend, "a", "1");
    proxy.cutAtCommit("silent behind");
    const { entry } = await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
    expect(entry.seq).toBe(2);
  });

  it("a database that is silent for good is refused in words; what may have been made is told so; the pool ends", async () => {
    const [backend, pool] = await open("gone", { silentMs: 50 }, 300);
    const first = await write(backend, "a", "1");
    proxy.hush(true);
    const said = await refuses("io_error", () => backend.read(path("a")));
    expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
    // what was sent by a connection that was not yet known to be silent may have arrived
    const sent = await backend.commit([change("a", first.sha, version("2"))], AUTHOR).catch(({ kind }) => kind);
    expect(["io_error", "outcome_unknown"]).toContain(sent);
    proxy.speak();
    expect(await textAt(backend, "a")).toBe("1");
    proxy.cutAtCommit("silent behind");
    const committing = backend.commit([change("a", first.sha, version("3"))], AUTHOR);
    const before = proxy.cuts;
    await expect.poll(() => proxy.cuts).toBe(before + 1);
    proxy.hush(true);
    await refuses("outcome_unknown", () => committing);
    const ending = pool.query("select 1").catch(() => "refused");
    closing = [];
    await backend.close();
    await pool.end();
    expect(await ending).toBe("refused");
  });

  it("what the database is at work on is waited for, however long it says nothing", async () => {
    const [backend, pool] = await open("slow");
    const first = await write(backend, "a", "1");
    let removed = 0;
    (pool as unknown as { on(event: string, heard: () => void): void }).on("remove", () => {
      removed++;
    });
    const holder = await direct.connect();
    await holder.query("begin");
    await holder.query("select 1 from workspace where name = 'slow' for update");
    const waiting = backend.commit([change("a", first.sha, version("2"))], AUTHOR);
    const slept = pool.query("select pg_sleep(1.5)");
    await sleep(1_500);
    await holder.query("rollback");
    holder.release();
    expect((await waiting).entry.seq).toBe(2);
    await slept;
    expect(removed).toBe(0);
  });

  it("what is large is carried to its end, however long it takes", async () => {
    const [backend] = await open("large");
    const large = version("x".repeat(7) + Buffer.alloc(3 * 1024 * 1024, "0123456789abcdef\n").toString());
    proxy.slowly(10);
    const cuts: Error[] = [];
    await backend.commit([change("large", null, large)], AUTHOR).catch((error) => cuts.push(error));
    expect(cuts).toEqual([]);
    const [other] = await open("large");
    const read = (await other.read(path("large")))!;
    expect(Buffer.from(bytesOf(read)).equals(Buffer.from(bytesOf(large)))).toBe(true);
    expect(await all(backend.log())).toHaveLength(1);
  });

  it("a server that vanishes in the middle of a change keeps the others waiting for a moment only", async () => {
    // one with a quota asks for the lock first
    const tenant = "vanished";
    const [vanished] = await open("vanished", { silentMs: 60_000, heldMs: 300 }, 60_000, tenant);
    await setQuota(direct, tenant, { bytes: 1_000_000, files: null, entriesPerSecond: null });
    const first = await write(vanished, "a", "1");
    proxy.cutAtCommit("silent before");
    const never = vanished.commit([change("a", first.sha, version("2"))], AUTHOR).catch(() => "cut");
    await expect.poll(inTransaction).toBe(1);
    const other = await postgres({ database: server.url, workspace: "vanished", tenant, waitMs: 4_000 });
    try {
      await other.commit([change("a", first.sha, version("3"))], AUTHOR);
      expect(await inTransaction()).toBe(0);
    } finally {
      await other.close();
      proxy.cutAll();
    }
    expect(await never).toBe("cut");

    async function inTransaction(): Promise<number> {
      const { rows } = await direct.query(
        "select 1 from pg_stat_activity where state = 'idle in transaction' and query like 'select max_bytes%'",
      );
      return rows.length;
    }
  });

  it("a change that was held up on its way, so that the database let go of its lock, is made again", async () => {
    const holding = await startHoldingProxy(server.port);
    const pool = await openPool(holding.url, { heldMs: 100 });
    const backend = await postgres({ database: pool, workspace: "held-up", tenant: "held-up" });
    try {
      await setQuota(direct, "held-up", { bytes: 1_000_000, files: null, entriesPerSecond: null });
      const first = await write(backend, "a", "1");
      // behind the lock
      const held = holding.holdAt("stet-pace");
      const committing = backend.commit([change("a", first.sha, version("2"))], AUTHOR);
      committing.catch(() => {});
      await held.held;
      const inTransaction = "select 1 from pg_stat_activity where state like 'idle in transaction%'";
      await expect.poll(async () => (await direct.query(inTransaction)).rows.length, { timeout: 10_000 }).toBe(0);
      held.letGo();
      expect((await committing).entry.seq).toBe(2);
      expect([await textAt(backend, "a"), (await backend.verify()).ok]).toEqual(["2", true]);
    } finally {
      await backend.close();
      await pool.end();
      await holding.close();
    }
  });

  it("a process that stood still itself does not take the database for silent: the answer may have come long ago", async () => {
    const pool = await openPool(server.url, { silentMs: 20 });
    closing.push(() => pool.end());
    await pool.query("select 1");
    const answer = pool.query<{ n: number }>("select 7 as n from pg_sleep(0.1)");
    await sleep(20);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    expect((await answer).rows).toEqual([{ n: 7 }]);
  });

  it("a connection behind a pooler is given up, too, though the one that asks about it has its process", async () => {
    const pooler = await startPooler(server.port);
    const between = await startDatabaseProxy(Number(new URL(pooler.url).port));
    const pool = await openPool(between.url, { silentMs: 50 });
    let said: unknown;
    try {
      await pool.query("select 1");
      between.hush();
      pool.query("select 1").catch((error: Error) => {
        said = error;
      });
      await expect.poll(() => said, { timeout: 10_000 }).toMatchObject({ code: "ETIMEDOUT" });
    } finally {
      await between.close();
      await pool.end();
      pooler.close();
    }
  });

  it("the database is asked to notice, too, that the other end is gone", async () => {
    const pool = await openPool(server.url);
    closing.push(() => pool.end());
    const { rows } = await pool.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name ~ '^tcp_|^idle_in_transaction' order by name",
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
      idle_in_transaction_session_timeout: 5_000,
      tcp_keepalives_count: 5,
      tcp_keepalives_idle: 5,
      tcp_keepalives_interval: 2,
      tcp_user_timeout: 15_000,
    });
  });

  it("who watches is told of changes after the connection that listens fell silent", async () => {
    const [watching] = await open("watched");
    let told = 0;
    watching.watch!(() => {
      told++;
    });
    await expect.poll(() => told).toBe(1);
    proxy.hush();
    const other = await postgres({ database: server.url, workspace: "watched" });
    await write(other, "a", "1");
    await other.close();
    await expect.poll(() => told, { timeout: 5_000 }).toBeGreaterThan(1);
  });
});
