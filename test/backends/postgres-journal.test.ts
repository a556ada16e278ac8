// The journal in a database that several servers write: one clock, one version of the tables, and an end that fits its entries.
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { migrate, openPool, postgres } from "../../src/backends/postgres/index.ts";
import { withWorkspaceInDatabase } from "../../src/backends/postgres/moving/whole.ts";
import { SCHEMA } from "../../src/backends/postgres/schema/migrate.ts";
import type { Backend } from "../../src/core/backend.ts";
import { AUTHOR, all, change, refuses, textAt, version, write } from "../../src/testing/assertions.ts";

const DAY = 24 * 3600_000;

describe.skipIf(missingPostgres() !== undefined)("the journal in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  const opened: Backend[] = [];
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    await pool.end();
    await server.remove();
  });

  async function open(workspace: string): Promise<Backend> {
    const backend = await postgres({ database: pool, workspace });
    opened.push(backend);
    return backend;
  }

  it("goes by the clock of the database, whatever that of a server says", async () => {
    const backend = await open("clock");
    const before = Date.now();
    for (const wrong of [DAY, -DAY]) {
      vi.useFakeTimers({ toFake: ["Date"], now: before + wrong });
      await write(backend, "a", `${wrong}`);
      vi.useRealTimers();
    }
    await write(backend, "a", "in time");
    const times = (await all(backend.log())).map(({ at }) => Date.parse(at));
    for (const at of times) expect(Math.abs(at - before)).toBeLessThan(DAY / 2);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(Math.abs((await backend.resolve("a")).mtimeMs - before)).toBeLessThan(DAY / 2);
  });

  it("a period has its first and its last moment in it", async () => {
    const backend = await open("period");
    for (const text of ["1", "2", "3"]) await write(backend, "a", text);
    const entries = await all(backend.log());
    for (const { at } of entries)
      expect(await all(backend.log({ since: at, until: at }))).toEqual(entries.filter((each) => each.at === at));
  });

  it("never goes back behind its last entry", async () => {
    const backend = await open("ahead");
    await write(backend, "a", "1");
    const ahead = new Date(Date.now() + DAY).toISOString();
    await pool.query({ text: "update workspace set at = $1 where name = 'ahead'", values: [ahead] });
    await write(backend, "a", "2");
    expect((await all(backend.log())).at(-1)?.at).toBe(ahead);
  });

  describe("an end that is not that of its entries", () => {
    for (const [what, alter] of [
      ["a number before it", "seq = 2"],
      ["a number behind it", "seq = 5"],
      ["another hash", "hash = repeat('7', 64)"],
      [
        "that of an earlier entry",
        "(seq, hash) = (2, (select right(left(convert_from(line, 'UTF8'), -2), 64) from entry e where e.ws = workspace.id and e.seq = 2))",
      ],
      ["none at all", "seq = 0, hash = repeat('0', 64)"],
    ] as const)
      it(`is found by verify, and no change is made on it: ${what}`, async () => {
        const name = `end with ${what}`;
        const backend = await open(name);
        let last = await write(backend, "a", "1");
        for (const text of ["2", "3"]) last = await write(backend, "a", text);
        expect((await backend.verify()).ok).toBe(true);
        await pool.query({ text: `update workspace set ${alter} where name = $1`, values: [name] });
        const { ok, problems } = await backend.verify();
        expect([ok, problems.map(({ problem }) => problem).join(" ")]).toEqual([
          false,
          expect.stringMatching(/end|missing/),
        ]);
        const refused = await refuses("journal_damaged", () =>
          backend.commit([change("a", last.sha, version("4"))], AUTHOR),
        );
        expect(refused.message).toMatch(/end of the journal.*stet verify/s);
        expect(await textAt(backend, "a")).toBe("3");
        await refuses("journal_damaged", () => backend.record({ ...AUTHOR, outcome: "note", changes: [] }));
      });
  });

  it("verify is green while others write", async () => {
    const [backend, other] = [await open("under load"), await open("under load")];
    await write(backend, "a", "0");
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n++) await write(other, "a", `${n}`);
    })();
    for (let n = 0; n < 40; n++) expect((await backend.verify()).problems).toEqual([]);
    isOver = true;
    await writing;
  });

  describe("tables of a newer stet", async () => {
    const newer = (): Promise<unknown> => pool.query(`update stet_schema set version = ${SCHEMA + 1}`);
    afterEach(() => pool.query(`update stet_schema set version = ${SCHEMA}`));

    it("are not changed by a server that has a workspace open", async () => {
      const backend = await open("newer");
      const first = await write(backend, "a", "1");
      await newer();
      const refusals = [
        await refuses("unsupported", () => backend.commit([change("a", first.sha, version("2"))], AUTHOR)),
        await refuses("unsupported", () => backend.keep(version("kept"))),
        await refuses("unsupported", () => backend.forget([first.sha])),
      ];
      for (const { message } of refusals) expect(message).toContain("Use a newer stet");
      expect(await textAt(backend, "a")).toBe("1");
    });

    it("are not read by pull", async () => {
      await write(await open("pulled"), "a", "1");
      await newer();
      const place = { url: server.url, tenant: "", workspace: "pulled" };
      const { message } = await refuses("unsupported", () => withWorkspaceInDatabase(place, async () => {}));
      expect(message).toContain("Use a newer stet");
    });
  });

  it("a migration that waited for one of a newer stet changes nothing", async () => {
    await pool.query("create database overtaken");
    const overtaken = await openPool(server.url.replace(/postgres$/, "overtaken"));
    const newer = await overtaken.connect();
    await newer.query("begin");
    await newer.query("select pg_advisory_xact_lock(7243001)");
    const migrating = refuses("unsupported", () => migrate(overtaken));
    const waits = "select 1 from pg_locks where not granted and locktype = 'advisory'";
    await expect.poll(async () => (await overtaken.query(waits)).rows.length, { timeout: 10_000 }).toBe(1);
    await newer.query("create table stet_schema (version int not null)");
    await newer.query(`insert into stet_schema values (${SCHEMA + 1})`);
    await newer.query("commit");
    newer.release();
    expect((await migrating).message).toContain("Use a newer stet");
    const { rows } = await overtaken.query("select version from stet_schema");
    expect(rows).toEqual([{ version: SCHEMA + 1 }]);
    await overtaken.end();
  });

  it("a migration waits for changes that are under way before it begins", async () => {
    await pool.query("create database older");
    const url = server.url.replace(/postgres$/, "older");
    const old = await openPool(url);
    const backend = await postgres({ database: old, workspace: "w" });
    await write(backend, "a", "1");
    await old.query(`update stet_schema set version = ${SCHEMA - 1}`);
    const holder = await old.connect();
    await holder.query("begin");
    await holder.query("select 1 from workspace for no key update");
    // the last step was taken before, so it fails in the end
    const migrating = migrate(old).catch((error: Error) => error);
    const waits = "select 1 from pg_locks where not granted and mode = 'ExclusiveLock'";
    await expect.poll(async () => (await old.query(waits)).rows.length).toBe(1);
    await holder.query("commit");
    holder.release();
    await migrating;
    await backend.close();
    await old.end();
  });
});
