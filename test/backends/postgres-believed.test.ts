// What a server believes of a workspace, while others change it at the same moment: nothing is lost, and nothing is counted wrong.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import type { Answer, Query } from "../../src/backends/postgres/connection/client.ts";
import { migrate, openPool, type Pool, postgres } from "../../src/backends/postgres/index.ts";
import { PRIVILEGES } from "../../src/backends/postgres/schema/privileges.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend } from "../../src/core/backend.ts";
import { openWorkspace } from "../../src/index.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../../src/testing/assertions.ts";

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
    begin perform pg_advisory_lock_shared(${GATE}), pg_advisory_unlock_shared(${GATE}); return true; end $$`);
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
    try {
      const text = "select 1 from pg_stat_activity where wait_event = 'advisory'";
      await expect.poll(async () => (await owner.query(text)).rows.length).toBe(1);
      await meanwhile();
    } finally {
      await holder.query(`select pg_advisory_unlock(${GATE})`);
      holder.release();
    }
    return working;
  }

  /** What the row of a workspace counts, and what there is. */
  async function counts(workspace: string): Promise<unknown[]> {
    const { rows } = await owner.query({
      text: `select files, file_bytes, versions, version_bytes, line_bytes, path_bytes from workspace where name = $1
        union all select
          (select count(*) from node where ws = w.id and kind in ('f', 'l')),
          (select coalesce(sum(size), 0) from node where ws = w.id and kind in ('f', 'l')),
          (select count(*) from blob where ws = w.id),
          (select coalesce(sum(size), 0) from blob where ws = w.id),
          (select coalesce(sum(length(line) + 1), 0) from entry where ws = w.id),
          (select coalesce(sum(100 + 4 * octet_length(path)), 0) from node where ws = w.id)
        from workspace w where name = $1`,
      values: [workspace],
    });
    return rows.map((row) => Object.values(row as object).map(Number));
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
    const [counted, there] = await counts("counted");
    expect(counted).toEqual(there);
  });

  it("a change that waits for a table that is being rebuilt ends with its deadline, and is not made", async () => {
    const backend = await open("rebuilt");
    await write(backend, "a", "1");
    const session = (await openWorkspace({ backend })).session();
    await session.read("a");
    const holder = await owner.connect();
    await holder.query("begin; lock table workspace in exclusive mode");
    const began = performance.now();
    try {
      await refuses("timeout", () => session.write("a", "2", { deadlineMs: 200 }));
      expect(performance.now() - began).toBeLessThan(2_000);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    expect(await textAt(backend, "a")).toBe("1");
  }, 5_000);

  it("a question waits for a table that is being rebuilt, longer than one statement does", async () => {
    const backend = await open("asked");
    await write(backend, "a", "1");
    const holder = await owner.connect();
    await holder.query("begin; lock table node in access exclusive mode");
    const reading = textAt(backend, "a");
    await sleep(1_200);
    await holder.query("rollback");
    holder.release();
    expect(await reading).toBe("1");
  });

  it("a transaction waits for a lock as long as it takes", async () => {
    const holder = await owner.connect();
    await holder.query("begin; lock table pace in access exclusive mode");
    const setting = setQuota(owner, "late", { bytes: 1, files: null, entriesPerSecond: null });
    await sleep(1_200);
    await holder.query("rollback");
    holder.release();
    await setting;
  });

  it("lines that a session is shown at the same moment are all seen", async () => {
    const backend = await open("lines");
    await write(backend, "a", "line\n".repeat(40));
    const session = (await openWorkspace({ backend })).session();
    await Promise.all([1, 11, 21, 31].map((from) => session.read("a", { from, to: from + 9 })));
    expect((await session.ledger.get(path("a")))?.shown).toEqual([{ from: 1, to: 40 }]);
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
});
