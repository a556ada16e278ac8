// Lost connections, a database that goes away, and commits whose answer is lost: nothing is lost, nothing is done twice, no wrong answer.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { type Cut, startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import type { Client, Query } from "../../src/backends/postgres/connection/client.ts";
import { migrate, openPool, postgres } from "../../src/backends/postgres/index.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend, Sha } from "../../src/core/backend.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { clientClass } from "../support/database.ts";
import { HEAVY } from "../support/processes.ts";

const TIMES = HEAVY ? 200 : 12;

describe.skipIf(missingPostgres() !== undefined)("PostgreSQL that fails", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const proxy = await startDatabaseProxy(server.port);
  const opened: Backend[] = [];
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    await proxy.close();
    await server.remove();
  });

  async function open(workspace: string, waitMs = 5_000, tenant = ""): Promise<Backend> {
    const backend = await postgres({ database: proxy.url, workspace, waitMs, ...(tenant !== "" && { tenant }) });
    opened.push(backend);
    return backend;
  }

  /** Of a tenant with a quota, whose changes ask for the lock first. */
  const limited = (workspace: string): Promise<Backend> => open(workspace, 5_000, "limited");
  /** What is known of these paths is sent together with the question for the lock. */
  const look = async (backend: Backend, ...paths: string[]): Promise<void> => {
    for (const each of paths) await backend.resolve(each);
  };
  const WAYS = [
    ["at once", open, look],
    ["the long way", limited, async () => {}],
  ] as const;
  const owner = await openPool(server.url);
  await migrate(owner);
  await setQuota(owner, "limited", { bytes: 1e9, files: null, entriesPerSecond: null });
  await owner.end();

  async function counted(backend: Backend, at: string): Promise<number> {
    return Number(await textAt(backend, at));
  }

  for (const [way, opening, looking] of WAYS) {
    for (const cut of ["before", "behind"] as const satisfies readonly Cut[])
      it(`answers rightly when the connection is cut ${cut} COMMIT, ${TIMES} times, ${way}`, async () => {
        const backend = await opening(`cut-${cut}`);
        let last = await write(backend, "counter", "0");
        const before = proxy.cuts;
        for (let n = 1; n <= TIMES; n++) {
          await looking(backend, "counter");
          proxy.cutAtCommit(cut);
          const next = version(`${n}`);
          const { entry } = await backend.commit([change("counter", last.sha, next)], AUTHOR);
          expect(entry.seq).toBe(n + 1);
          last = next;
        }
        expect(proxy.cuts - before).toBe(TIMES);
        expect(await counted(backend, "counter")).toBe(TIMES);
        expect(await all(backend.log())).toHaveLength(TIMES + 1);
        expect((await backend.verify()).ok).toBe(true);
      });

    it(`tells several that went together the same, and makes each once, ${way}`, async () => {
      const backend = await opening("group");
      await write(backend, "first", "x");
      const names = Array.from({ length: 24 }, (_, i) => `f${i}`);
      await looking(backend, ...names);
      proxy.cutAtCommit("behind", 3);
      await Promise.all(names.map((name) => backend.commit([change(name, null, version(name))], AUTHOR)));
      for (const name of names) expect(await textAt(backend, name)).toBe(name);
      expect(await all(backend.log())).toHaveLength(25);
      expect((await backend.verify()).ok).toBe(true);
    });
  }

  it("looks up what became of a commit without a COMMIT of its own, whose answer could be lost as well", async () => {
    const backend = await limited("looked-up");
    const before = proxy.cuts;
    proxy.cutAtCommit("behind", 2);
    await write(backend, "a", "1");
    expect(proxy.cuts - before).toBe(1);
    proxy.cutAtCommit("behind", 0);
  });

  it("looks up again what became of a commit when an operator ends the look-up", async () => {
    const own = await openPool(proxy.url);
    const backend = await postgres({ database: own, workspace: "ended" });
    await write(backend, "a", "1");
    const { prototype } = clientClass(own);
    const { query } = prototype;
    let ended = 0;
    prototype.query = function (this: Client, ...args: [Query | string]) {
      const [asked] = args;
      const isLookUp =
        typeof asked !== "string" && asked.text === "select 1 from workspace where id = $1 for no key update";
      const end = { text: "do $$ begin raise exception using errcode = '57014'; end $$" };
      return query.apply(this, isLookUp && ended++ < 2 ? [end] : args) as never;
    };
    proxy.cutAtCommit("behind");
    await write(backend, "a", "2");
    expect(ended).toBe(3);
    expect(await all(backend.log())).toHaveLength(2);
    await backend.close();
    await own.end();
  });

  it("says that it is not known when the database stays away, and the file tells", async () => {
    const backend = await open("unknown", 300);
    const first = await write(backend, "a", "1");
    proxy.cutAtCommit("behind");
    proxy.down(true);
    const refused = await refuses("outcome_unknown", () =>
      backend.commit([change("a", first.sha, version("2"))], AUTHOR),
    );
    expect(refused.message).toContain("not known");
    proxy.down(false);
    await expect.poll(() => textAt(backend, "a")).toBe("2");
  });

  it("reads and writes go on after every connection was cut", async () => {
    const backend = await open("cut-all");
    await write(backend, "a", "1");
    for (let n = 0; n < 5; n++) {
      proxy.cutAll();
      expect(await textAt(backend, "a")).toBe(`${n + 1}`);
      proxy.cutAll();
      await write(backend, "a", `${n + 2}`);
    }
    expect(await all(backend.log())).toHaveLength(6);
  });

  it("refuses in words, soon, when the database is away, and changes nothing", async () => {
    const backend = await open("away", 300);
    const first = await write(backend, "a", "1");
    proxy.down(true);
    proxy.cutAll();
    const said = await refuses("io_error", () => backend.read(path("a")));
    expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
    await refuses("io_error", () => backend.commit([change("a", first.sha, version("2"))], AUTHOR));
    proxy.down(false);
    expect(await textAt(backend, "a")).toBe("1");
  });

  it("a primary that has become a standby, and takes no changes, counts as lost: another connection may do better", async () => {
    const [patient, hasty] = [await open("standby"), await open("standby", 300)];
    const first = await write(patient, "a", "1");
    const owner = await openPool(server.url, { connections: 1 });
    await owner.query("alter role stet set default_transaction_read_only = on");
    proxy.cutAll();
    const committing = patient.commit([change("a", first.sha, version("2"))], AUTHOR);
    const said = await refuses("io_error", () => hasty.commit([change("b", null, version("b"))], AUTHOR));
    expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
    await owner.query("alter role stet reset default_transaction_read_only");
    await owner.end();
    expect((await committing).entry.seq).toBe(2);
    expect(await textAt(hasty, "b")).toBeNull();
  });

  it("what is called off while it waits for the lock is not made", async () => {
    const backend = await open("waits");
    const first = await write(backend, "a", "1");
    const pool = await openPool(server.url);
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select 1 from workspace where name = 'waits' for update");
    const off = new AbortController();
    const waiting = backend.commit([change("a", first.sha, version("2"))], AUTHOR, undefined, { signal: off.signal });
    await sleep(50);
    off.abort(new Error("not wanted"));
    await expect(waiting).rejects.toThrow("not wanted");
    await holder.query("rollback");
    holder.release();
    await pool.end();
    expect(await textAt(backend, "a")).toBe("1");
  });

  it("says busy when another holds the lock for too long", async () => {
    const backend = await open("held", 200);
    const first = await write(backend, "a", "1");
    const pool = await openPool(server.url);
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select 1 from workspace where name = 'held' for update");
    await refuses("busy", () => backend.commit([change("a", first.sha, version("2"))], AUTHOR));
    await refuses("busy", () => backend.keep(version("kept")));
    await refuses("busy", () => backend.forget([first.sha]));
    await holder.query("rollback");
    holder.release();
    await pool.end();
    await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
  });

  it("a pool that was ended is a refusal, not the end of the process", async () => {
    const pool = await openPool(server.url);
    const backend = await postgres({ database: pool, workspace: "ended", waitMs: 100 });
    await write(backend, "a", "1");
    await pool.end();
    await refuses("io_error", () => backend.read(path("a")));
    await refuses("io_error", () => backend.commit([change("a", version("1").sha as Sha, version("2"))], AUTHOR));
  });

  it("an immediate restart of the server under load loses no acknowledged change", async () => {
    const backend = await open("restart", 10_000);
    await write(backend, "counter", "0");
    let acknowledged = 0;
    let stopping = false;
    const load = (async () => {
      while (!stopping) {
        const now = (await backend.read(path("counter")))!;
        await backend.commit([change("counter", now.sha, version(`${acknowledged + 1}`))], AUTHOR);
        acknowledged++;
      }
    })();
    for (let n = 0; n < (HEAVY ? 10 : 2); n++) {
      await sleep(100);
      await server.stop("immediate");
      await server.start();
    }
    await sleep(100);
    stopping = true;
    await load;
    expect(await counted(backend, "counter")).toBe(acknowledged);
    expect(acknowledged).toBeGreaterThan(0);
    expect((await backend.verify()).ok).toBe(true);
  });
});
