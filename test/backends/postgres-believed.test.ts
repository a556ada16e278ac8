// What a server believes of a workspace, while others change it at the same moment: nothing is lost, and nothing is counted wrong.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import type { Answer, Client, Query } from "../../src/backends/postgres/connection/client.ts";
import { migrate, openPool, type Pool, postgres } from "../../src/backends/postgres/index.ts";
import { SCHEMA } from "../../src/backends/postgres/schema/migrate.ts";
import { PRIVILEGES } from "../../src/backends/postgres/schema/privileges.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend } from "../../src/core/backend.ts";
import { openWorkspace } from "../../src/index.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { clientClass, expectCounted, statements, whileHeld } from "../support/database.ts";

/** Of an advisory lock: a statement of the role `server` waits for it when it has begun, and before it has locked any row. */
const GATE = 4_711;

describe.skipIf(missingPostgres() !== undefined)("PostgreSQL, as believed", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const owner = await openPool(server.url);
  await migrate(owner);
  await owner.query("create role server login");
  for (const [table, privileges] of Object.entries(PRIVILEGES))
    await owner.query(`grant ${privileges.join(", ")} on ${table} to server`);
  await owner.query(`create function at_gate() returns boolean language plpgsql as $$
    begin perform set_config('lock_timeout', '0', true);
      perform pg_advisory_lock_shared(${GATE}), pg_advisory_unlock_shared(${GATE}); return true; end $$`);
  await owner.query("create policy gate on workspace as restrictive to server using (at_gate())");
  const pools: Pool[] = [owner];
  const pool = await openPool(server.url.replace("stet@", "server@"));
  pools.push(pool);
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    for (const each of pools) await each.end();
    await server.remove();
  });

  const opened: Backend[] = [];
  async function open(workspace: string, database = pool): Promise<Backend> {
    const backend = await postgres({ database, workspace });
    opened.push(backend);
    return backend;
  }

  /** What `work` asks of a workspace begins, and goes on when `meanwhile` is done. */
  async function atGate<T>(work: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
    const holder = await owner.connect();
    await holder.query(`select pg_advisory_lock(${GATE})`);
    const working = work();
    const text = "select 1 from pg_stat_activity where wait_event = 'advisory'";
    try {
      await expect.poll(async () => (await owner.query(text)).rows.length).toBe(1);
      await meanwhile();
    } finally {
      await holder.query(`select pg_advisory_unlock(${GATE})`);
      holder.release();
    }
    return working;
  }

  it("a version that is forgotten while its file is being changed is kept: its file was changed after", async () => {
    const [backend, other] = [await open("forgotten"), await open("forgotten", owner)];
    const first = await write(backend, "a", "1");
    await backend.resolve("a");
    await atGate(
      () => backend.commit([change("a", first.sha, version("2"))], AUTHOR),
      () => other.forget([first.sha]),
    );
    expect(await backend.recall(first.sha)).not.toBeNull();
    expect((await backend.verify()).ok).toBe(true);
  });

  it("what is dropped while another file is being changed is counted", async () => {
    const [backend, other] = [await open("counted"), await open("counted", owner)];
    const first = await write(backend, "a", "1");
    await write(backend, "a", "2");
    await backend.resolve("b");
    await atGate(
      () => backend.commit([change("b", null, version("three"))], AUTHOR),
      () => other.forget([first.sha]),
    );
    await expectCounted(owner, "counted");
  });

  it("a change that waits for a table that is being rebuilt ends with its deadline, and is not made", async () => {
    const backend = await open("rebuilt");
    await write(backend, "a", "1");
    const session = (await openWorkspace({ backend })).session();
    await session.read("a");
    const began = performance.now();
    await whileHeld(server.url, "lock table workspace in exclusive mode", () =>
      refuses("timeout", () => session.write("a", "2", { deadlineMs: 200 })),
    );
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await textAt(backend, "a")).toBe("1");
  }, 5_000);

  it("a question waits for a table that is being rebuilt, longer than one statement does", async () => {
    const backend = await open("asked");
    await write(backend, "a", "1");
    const [reading, setting] = await whileHeld(
      server.url,
      "lock table node, pace in access exclusive mode",
      async () => {
        // so does a transaction
        const asked = [
          textAt(backend, "a"),
          setQuota(owner, "late", { bytes: 1, files: null, entriesPerSecond: null }),
        ];
        await sleep(1_200);
        return asked;
      },
    );
    expect([await reading, await setting]).toEqual(["1", undefined]);
  });

  it("what fails otherwise than by a word of the database is looked up, whatever it is called", async () => {
    const lossy = await openPool(server.url);
    pools.push(lossy);
    const backend = await open("lossy", lossy);
    const first = await write(backend, "a", "1");
    await backend.resolve("a");
    let lost = 0;
    const connect = lossy.connect;
    lossy.connect = async () => {
      const client = await connect.call(lossy);
      const ask = client.query;
      client.query = async <Row>(query: Query) => {
        const answer = await ask.call(client, query);
        if (!query.name?.endsWith("+commit")) return answer as Answer<Row>;
        lost++;
        Object.assign(client, { query: ask });
        throw Object.assign(new Error("read ENETDOWN"), { code: "ENETDOWN" });
      };
      lossy.connect = connect;
      return client;
    };
    const { entry } = await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
    expect([entry.seq, lost]).toEqual([2, 1]);
    expect(await all(backend.log())).toHaveLength(2);
  });

  describe("what does not hold any more when a change comes", () => {
    const LAST = "where ws = (select id from workspace where name = 'holds') and seq = 2";
    const CASES = {
      "tables of a newer stet": ["unsupported", "update stet_schema set version = version + 1"],
      "a quota": ["disk_full", "insert into quota values ('', 1); insert into pace values ('', 0)"],
      "an end of the journal that is gone": ["journal_damaged", `delete from entry ${LAST}`],
      "an end of the journal that is another": ["journal_damaged", `update entry set line = line || 'x' ${LAST}`],
      "an end by another name": ["journal_damaged", "update workspace set hash = reverse(hash) where name = 'holds'"],
    } as const;
    it.each(Object.entries(CASES))("%s", async (_what, [kind, meanwhile]) => {
      await owner.query("delete from workspace where name = 'holds'");
      const backend = await open("holds");
      await write(backend, "a", "1");
      const first = await write(backend, "a", "2");
      await backend.resolve("a");
      await owner.query(meanwhile);
      try {
        await refuses(kind, () => backend.commit([change("a", first.sha, version("3"))], AUTHOR));
        expect(await textAt(backend, "a")).toBe("2");
      } finally {
        await owner.query({ text: "update stet_schema set version = $1", values: [SCHEMA] });
        await owner.query("delete from quota; delete from pace");
      }
    });

    it("the time of the last entry: the next one is not before it", async () => {
      const backend = await open("time");
      const first = await write(backend, "a", "1");
      await backend.resolve("a");
      const at = "2999-01-01T00:00:00.000Z";
      await owner.query(`update workspace set at = '${at}' where name = 'time'`);
      const { entry } = await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
      expect(entry.at).toBe(at);
    });

    it("a clock that went on otherwise than the database's", async () => {
      const backend = await open("clock");
      const first = await write(backend, "a", "1");
      await backend.resolve("a");
      const real = performance.now.bind(performance);
      const later = vi.spyOn(performance, "now").mockImplementation(() => real() + 3_600_000);
      try {
        const { entry } = await backend.commit([change("a", first.sha, version("2"))], AUTHOR);
        expect(Date.parse(entry.at)).toBeLessThan(Date.now() + 60_000);
      } finally {
        later.mockRestore();
      }
    });
  });

  /** The statements by which changes were made at once, or were to be: how many rows of `workspace` each changed. */
  function watching(those: Pool): (number | null)[] {
    const rows: (number | null)[] = [];
    const { prototype } = clientClass(those);
    const { query } = prototype;
    prototype.query = function <Row>(this: Client, ...args: [Query | string]): Promise<Answer<Row>> {
      const answer = query.apply(this, args) as Promise<Answer<Row>>;
      const [asked] = args;
      if (typeof asked !== "string" && asked.name?.endsWith("+commit"))
        answer.then(({ rowCount }) => rows.push(rowCount)).catch(() => {});
      return answer;
    };
    return rows;
  }

  it("is sent as one statement, unless it is large or was in vain lately", async () => {
    const own = await openPool(server.url);
    pools.push(own);
    const [backend, other] = [await open("sent", own), await open("sent", owner)];
    await write(backend, "a", "0");
    const sent = watching(own);
    const once = async (text: string): Promise<number> => {
      const before = sent.length;
      await backend.resolve("a");
      await write(backend, "a", text);
      return sent.length - before;
    };
    const times = async (count: number): Promise<number> =>
      count === 0 ? 0 : (await once(`${count} ${sent.length}`)) + (await times(count - 1));
    expect(await times(3)).toBe(3);
    expect([await once("x".repeat(1024 ** 2)), await once("x".repeat(1024 ** 2 + 1))]).toEqual([1, 0]);
    expect(await times(2)).toBe(2);
    const inVain = async (): Promise<void> => {
      const now = (await backend.read(path("a")))!;
      await write(other, `other ${sent.length}`, "x");
      await backend.commit([change("a", now.sha, version(`vain ${sent.length}`))], AUTHOR);
      expect(sent.at(-1)).toBe(0);
    };
    await inVain();
    expect([await times(8), await times(1)]).toEqual([0, 1]);
    expect(sent.at(-1)).toBe(1);
    // one that was made takes the caution back
    await inVain();
    expect([await times(8), await times(1)]).toEqual([0, 1]);
  });

  it("what was in vain twice is not tried for twice as long", async () => {
    const own = await openPool(server.url);
    pools.push(own);
    const backend = await open("twice", own);
    await write(backend, "a", "0");
    await owner.query(
      "insert into quota (tenant, max_bytes) values ('', 1e12); insert into pace (tenant, level) values ('', 0) on conflict do nothing",
    );
    try {
      const sent = watching(own);
      const tried: number[] = [];
      for (let n = 0; n < 30; n++) {
        await backend.resolve("a");
        const before = sent.length;
        await write(backend, "a", `${n}`);
        if (sent.length > before) tried.push(n);
      }
      expect(tried).toEqual([0, 9, 26]);
    } finally {
      await owner.query("delete from quota where tenant = ''");
    }
  });

  it("what begins and comes to nothing waits again, and can be called off", async () => {
    const told: string[] = [];
    const off = new AbortController();
    const inVain = async (workspace: string, resume: () => void): Promise<unknown> => {
      const [backend, other] = [await open(workspace), await open(workspace, owner)];
      const first = await write(backend, "a", "1");
      await backend.resolve("a");
      await write(other, "b", "x");
      const how = { begin: () => told.push("begins") && resume, signal: off.signal };
      return backend.commit([change("a", first.sha, version("2"))], AUTHOR, undefined, how);
    };
    await inVain("again", () => told.push("waits"));
    expect(told).toEqual(["begins", "waits", "begins"]);
    await expect(inVain("called-off", () => off.abort(new Error("not wanted")))).rejects.toThrow("not wanted");
    expect(told).toHaveLength(4);
    expect(await textAt(await open("called-off"), "a")).toBe("1");
  });

  it("what was found when a path was resolved is the answer as long as this server changes nothing", async () => {
    const [backend, other] = [await open("found"), await open("found", owner)];
    const session = { session: "s" };
    const first = await write(backend, "a", "1");
    const seen = { sha: first.sha, lines: 1, shown: [] };
    const ledger = backend.ledger!("s");
    const at = await backend.resolve("a", session);
    await write(other, "a", "by another");
    await other.ledger!("s").set(path("a"), seen);
    expect((await backend.read(path("a"), { at }))?.sha).toBe(first.sha);
    expect(await ledger.get(path("a"), at)).toBeUndefined();
    expect(await backend.read(path("b"), { at })).toBeNull();

    for (const change of [
      () => ledger.set(path("a"), { ...seen, lines: 2 }),
      () => ledger.delete(path("a")),
      () => ledger.set(path("a"), { ...seen, lines: 3 }),
      () => ledger.clear!(),
      () => write(backend, "a", "by itself"),
    ]) {
      const then = await backend.resolve("a", session);
      await change();
      expect(await ledger.get(path("a"), then)).toEqual(await ledger.get(path("a")));
      expect((await backend.read(path("a"), { at: then }))?.sha).toBe((await backend.read(path("a")))?.sha);
    }
  });

  it("of a path that was not looked at nothing is believed", async () => {
    const [backend, other] = [await open("unknown"), await open("unknown", owner)];
    await write(other, "a", "1");
    await backend.resolve("b");
    await refuses("stale_file", () => backend.commit([change("a", null, version("2"))], AUTHOR));
    expect(await textAt(backend, "a")).toBe("1");
  });

  it("what a change left is believed without a look", async () => {
    const own = await openPool(server.url);
    pools.push(own);
    const backend = await open("left", own);
    const sent = watching(own);
    for (const text of ["1", "2", "3"]) await write(backend, "a", text);
    expect(sent).toEqual([1, 1]);
  });

  it("is not waited for by a lock that another has: it goes the long way at once", async () => {
    const backend = await open("lock");
    const first = await write(backend, "a", "1");
    await backend.resolve("a");
    const began = performance.now();
    const how = { signal: AbortSignal.timeout(100) };
    await whileHeld(server.url, "select 1 from workspace where name = 'lock' for update", () =>
      expect(backend.commit([change("a", first.sha, version("2"))], AUTHOR, undefined, how)).rejects.toThrow(),
    );
    expect(performance.now() - began).toBeLessThan(400);
  });

  it("what was called off while it was under way in vain is not made", async () => {
    const [backend, other] = [await open("off"), await open("off", owner)];
    const first = await write(backend, "a", "1");
    await backend.resolve("a");
    const off = new AbortController();
    const sent = statements(pool);
    const committing = atGate(
      () => backend.commit([change("a", first.sha, version("2"))], AUTHOR, undefined, { signal: off.signal }),
      async () => {
        await write(other, "b", "x");
        off.abort(new Error("not wanted"));
      },
    );
    await expect(committing).rejects.toThrow("not wanted");
    expect(await textAt(backend, "a")).toBe("1");
    // for nothing no lock is waited for
    expect(sent).not.toContain("stet-lock");
    vi.restoreAllMocks();
  });

  it("of two that were under way in vain, the one that was called off is not made, and the other is", async () => {
    const [backend, other] = [await open("off of two"), await open("off of two", owner)];
    const first = await write(backend, "a", "1");
    for (const at of ["a", "c"]) await backend.resolve(at);
    const off = new AbortController();
    const done = await atGate(
      () =>
        Promise.allSettled([
          backend.commit([change("a", first.sha, version("2"))], AUTHOR, undefined, { signal: off.signal }),
          backend.commit([change("c", null, version("2"))], AUTHOR),
        ]),
      async () => {
        await write(other, "b", "x");
        off.abort(new Error("not wanted"));
      },
    );
    expect(done.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect([await textAt(backend, "a"), await textAt(backend, "c")]).toEqual(["1", "2"]);
    expect(await all(backend.log())).toHaveLength(3);
  });

  it("what was believed of another end of the journal is not carried over", async () => {
    const [backend, other] = [await open("ends"), await open("ends", owner)];
    const first = await write(backend, "a", "1");
    await backend.resolve("a");
    await write(other, "a", "by another");
    await backend.resolve("b");
    await refuses("stale_file", () => backend.commit([change("a", first.sha, version("2"))], AUTHOR));
    expect(await textAt(backend, "a")).toBe("by another");
    const at = await backend.resolve("nothing");
    expect(await backend.read(path("a"), { at })).not.toBeNull();
    await write(other, "a", "again");
    const there = await backend.read(path("a"), { at: await backend.resolve("a") });
    expect(there).toEqual(version("again", 0o644));
  });
});
