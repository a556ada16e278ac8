// Lost connections, a database that goes away, restarts or falls silent, and commits whose answer is lost: nothing is lost, nothing is done twice, no wrong answer.
import type { Backend } from "stet";
import { type PoolOptions, postgres } from "stet/backends/postgres";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import type { Cut } from "../../scripts/postgres-proxy.mjs";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../support/assertions.ts";
import { limit, put, testDatabase } from "../support/database.ts";
import { HEAVY } from "../support/processes.ts";

const TIMES = HEAVY ? 200 : 3;
/** So long that only what is broken does not come to an end by then, on a busy machine either. */
const PATIENT = 40_000;

describe.skipIf(missingPostgres() !== undefined)("PostgreSQL that fails", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, url, pool, open: opened, anotherPool, proxied } = await testDatabase();
  const proxy = await proxied();
  const open = (workspace: string, waitMs = PATIENT, tenant = ""): Promise<Backend> =>
    opened(workspace, { database: proxy.url, waitMs, tenant });

  /** Of a tenant with a quota changes are made one after the other, and need more than one statement. */
  await limit(pool, "limited", { bytes: 1e9 });
  const TENANTS = [
    ["without a quota", ""],
    ["with a quota", "limited"],
  ] as const;

  describe.each(TENANTS)("of a tenant %s", (_name, tenant) => {
    for (const cut of ["before", "behind", "late"] as const satisfies readonly Cut[])
      it(`a commit whose connection is cut is made once, ${TIMES} times: ${cut}`, async () => {
        const backend = await open(`cut ${cut}`, PATIENT, tenant);
        await put(backend, "counter", null, "0");
        const before = proxy.cuts;
        for (let n = 1; n <= TIMES; n++) {
          await backend.resolve("counter");
          proxy.cutAtCommit(cut);
          expect((await put(backend, "counter", `${n - 1}`, `${n}`)).entry.seq).toBe(n + 1);
        }
        expect(proxy.cuts - before).toBe(TIMES);
        expect(await textAt(backend, "counter")).toBe(`${TIMES}`);
        expect(await all(backend.log())).toHaveLength(TIMES + 1);
        expect((await backend.verify()).ok).toBe(true);
      });

    it("several that went together are told the same, and each is made once", async () => {
      const backend = await open("group", PATIENT, tenant);
      await put(backend, "first", null, "x");
      const names = Array.from({ length: 24 }, (_, n) => `f${n}`);
      proxy.cutAtCommit("behind", 3);
      await Promise.all(names.map((name) => put(backend, name, null, name)));
      proxy.cutAtCommit("behind", 0);
      for (const name of names) expect(await textAt(backend, name)).toBe(name);
      expect(await all(backend.log())).toHaveLength(25);
    });
  });

  it("workspaces whose changes were on the way together are changed once each", async () => {
    const through = await anotherPool({ connections: 3 }, proxy.url);
    const backends = await Promise.all(
      [0, 1, 2].map((n) => opened(`cut ${n}`, { database: through, waitMs: PATIENT })),
    );
    for (const backend of backends) await put(backend, "a", null, "0");
    for (const [n, cut] of (["before", "behind", "late"] as const).entries()) {
      await Promise.all(backends.map((backend) => backend.resolve("a")));
      proxy.cutAtCommit(cut);
      const done = await Promise.all(backends.map((backend) => put(backend, "a", `${n}`, `${n + 1}`)));
      expect(done.map(({ entry }) => entry.seq)).toEqual([n + 2, n + 2, n + 2]);
    }
    for (const backend of backends) expect(await all(backend.log())).toHaveLength(4);
  });

  it("says that it is not known when the database stays away, and the file tells", async () => {
    const backend = await open("unknown", 300);
    await put(backend, "a", null, "1");
    proxy.cutAtCommit("behind");
    proxy.down(true);
    expect((await refuses("outcome_unknown", () => put(backend, "a", "1", "2"))).message).toContain("not known");
    proxy.down(false);
    await expect.poll(() => textAt(backend, "a").catch(() => undefined)).toBe("2");
  });

  it("reads and writes go on after every connection was cut; a database that is away is a refusal in words", async () => {
    const [patient, hasty] = [await open("cut all"), await open("cut all", 300)];
    await put(patient, "a", null, "0");
    for (let n = 0; n < 3; n++) {
      proxy.cutAll();
      expect(await textAt(patient, "a")).toBe(`${n}`);
      proxy.cutAll();
      await put(patient, "a", `${n}`, `${n + 1}`);
    }
    proxy.down(true);
    proxy.cutAll();
    const said = await refuses("io_error", () => hasty.read(path("a")));
    expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
    await refuses("io_error", () => put(hasty, "a", "3", "4"));
    proxy.down(false);
    expect(await textAt(patient, "a")).toBe("3");
  });

  it("a pool that was ended is a refusal, not the end of the process", async () => {
    const own = await anotherPool();
    const backend = await postgres({ database: own, workspace: "ended", waitMs: 100 });
    await write(backend, "a", "1");
    await own.end();
    await refuses("io_error", () => backend.read(path("a")));
    await refuses("io_error", () => put(backend, "a", "1", "2"));
  });

  it("what was refused is not made, and what was made is not refused, where a transaction is lost and tried again", async () => {
    const [backend, other] = [await open("changed"), await opened("changed")];
    await put(backend, "a", null, "theirs\n");
    const before = proxy.cuts;
    proxy.cutAtCommit("before");
    // at the cut, so that there is no second try before the database is back
    proxy.down(true);
    const answers = Promise.allSettled([
      put(backend, "b", null, "b\n"),
      // right by the second try
      backend.commit([change("a", null, version("mine\n"))], AUTHOR),
    ]);
    await expect.poll(() => proxy.cuts - before).toBe(1);
    await other.commit([change("a", version("theirs\n").sha, null)], AUTHOR);
    proxy.down(false);
    const told = (await answers).map(({ status }) => status === "fulfilled");
    expect(told).toEqual([true, (await textAt(other, "a")) === "mine\n"]);
    expect(await textAt(other, "b")).toBe("b\n");
    expect((await backend.verify()).ok).toBe(true);
  });

  it("a database that crashes the moment a change was told to be made has it, also for a user who may not ask for a flush", async () => {
    await pool.query("alter system set wal_writer_delay = '10s'");
    await pool.query("select pg_reload_conf()");
    const { rows } = await pool.query<{ name: string }>(
      "select oid::regprocedure::text as name from pg_proc where proname = 'pg_logical_emit_message'",
    );
    for (const isPlain of [false, true]) {
      for (const { name } of isPlain ? rows : []) await pool.query(`revoke execute on function ${name} from public`);
      if (isPlain) await pool.query("create role plain login; grant all on all tables in schema public to plain");
      const database = isPlain ? url.replace("stet@", "plain@") : url;
      const backend = await opened(`crashed ${isPlain ? "plain" : "owner"}`, { waitMs: PATIENT });
      await put(backend, "a", null, "1");
      const same = await opened(`crashed ${isPlain ? "plain" : "owner"}`, { database, waitMs: PATIENT, make: false });
      for (let n = 0; n < 2; n++) {
        const { entry } = await put(same, `f${n}`, null, `${n}`);
        await server.crash();
        expect(await textAt(same, `f${n}`)).toBe(`${n}`);
        expect((await all(same.log())).map(({ hash }) => hash)).toContain(entry.hash);
      }
      expect((await same.verify()).ok).toBe(true);
    }
    await pool.query("alter system reset wal_writer_delay");
    await pool.query("select pg_reload_conf()");
  });

  it("a restart under load loses no acknowledged change", async () => {
    const backend = await open("restart");
    await put(backend, "counter", null, "0");
    let acknowledged = 0;
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        await put(backend, "counter", `${acknowledged}`, `${acknowledged + 1}`);
        acknowledged++;
      }
    })();
    for (let n = 0; n < (HEAVY ? 10 : 1); n++) {
      const before = acknowledged;
      await expect.poll(() => acknowledged).toBeGreaterThan(before);
      await server.crash();
    }
    isOver = true;
    await load;
    expect(await textAt(backend, "counter")).toBe(`${acknowledged}`);
    expect((await backend.verify()).ok).toBe(true);
  });

  describe("that falls silent, without a word that the connection is lost", () => {
    const QUICK: PoolOptions = { silentMs: 100, heldMs: 5_000, connectMs: 2_000 };
    const silent = async (workspace: string, waitMs = PATIENT, more: PoolOptions = {}) =>
      opened(workspace, { database: await anotherPool({ ...QUICK, ...more }, proxy.url), waitMs });

    it("questions are asked again on new connections", async () => {
      const backend = await silent("asked");
      await put(backend, "a", null, "1");
      proxy.hush();
      expect(await textAt(backend, "a")).toBe("1");
      await put(backend, "a", "1", "2");
      expect(await textAt(backend, "a")).toBe("2");
    });

    it.each([
      ["silent before", {}],
      ["silent behind", {}],
      ["silent behind", { connections: 1 }],
    ] as const)("a commit whose answer does not come is looked up: %s, %j", async (cut, more) => {
      const backend = await silent(`looked up ${cut} ${JSON.stringify(more).length}`, PATIENT, more);
      await put(backend, "a", null, "1");
      proxy.cutAtCommit(cut);
      expect((await put(backend, "a", "1", "2")).entry.seq).toBe(2);
      expect(await all(backend.log())).toHaveLength(2);
    });

    it("for good is refused in words; what may have been made is told so; the pool ends", async () => {
      const own = await anotherPool({ ...QUICK, silentMs: 50 }, proxy.url);
      const backend = await postgres({ database: own, workspace: "gone", waitMs: 300 });
      await put(backend, "a", null, "1");
      proxy.hush(true);
      const said = await refuses("io_error", () => backend.read(path("a")));
      expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
      const sent = await put(backend, "a", "1", "2").catch(({ kind }) => kind);
      expect(["io_error", "outcome_unknown"]).toContain(sent);
      await backend.close();
      await own.end();
    });

    it("what the database is at work on is waited for, however long it says nothing", async () => {
      const own = await anotherPool(QUICK, proxy.url);
      const { rows } = await own.query<{ n: number }>("select 7 as n from pg_sleep(0.5)");
      expect(rows).toEqual([{ n: 7 }]);
    });

    it("a server that vanishes in the middle of a change keeps the others waiting for a moment only", async () => {
      const vanished = await silent("vanished", PATIENT, { silentMs: 60_000, heldMs: 300 });
      await put(vanished, "a", null, "1");
      proxy.cutAtCommit("silent before");
      const never = put(vanished, "b", null, "2").catch(() => "cut");
      const other = await opened("vanished", { waitMs: PATIENT });
      await put(other, "a", "1", "3");
      proxy.cutAll();
      await never;
      expect((await other.verify()).ok).toBe(true);
    });
  });
});
