// What a caller is told when a transaction is lost and tried again: what was refused is not made, and what was made is not refused.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { type Cut, startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import type { PostgresOptions } from "../../src/backends/postgres/index.ts";
import { SCHEMA } from "../../src/backends/postgres/schema/migrate.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend } from "../../src/core/backend.ts";
import { AUTHOR, all, change, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { testDatabase } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("a transaction in PostgreSQL that is lost", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await testDatabase();
  const { server, pool } = database;
  const proxy = await startDatabaseProxy(server.port);
  afterAll(() => proxy.close());

  const open = (workspace: string, how: Partial<PostgresOptions> = {}): Promise<Backend> =>
    database.open(workspace, { database: proxy.url, waitMs: 5_000, ...how });

  /** Together in one transaction, whose COMMIT does not arrive; the database is back when `between` is over. */
  async function lostTogether(commits: readonly (() => Promise<unknown>)[], between: () => Promise<unknown>) {
    const before = proxy.cuts;
    proxy.cutAtCommit("before");
    // at the cut, so that there is no second try before the database is back
    proxy.down(true);
    const answers = Promise.allSettled(commits.map((commit) => commit()));
    await expect.poll(() => proxy.cuts - before, { timeout: 5_000 }).toBe(1);
    await between();
    proxy.down(false);
    return (await answers).map(({ status }) => status === "fulfilled");
  }

  it("what its tenant's pace did not allow is told once, as it is in the end", async () => {
    const backend = await open("w", { tenant: "paced" });
    await setQuota(pool, "paced", { bytes: null, files: null, entriesPerSecond: 4 });
    await pool.query("update pace set level = 1, at = clock_timestamp() where tenant = 'paced'");
    const names = Array.from({ length: 7 }, (_, n) => `f${n}`);
    const told = await lostTogether(
      names.map((name) => () => backend.commit([change(name, null, version(name))], AUTHOR)),
      () => sleep(700),
    );
    const made = await Promise.all(names.map(async (name) => (await textAt(backend, name)) !== null));
    expect(told).toEqual(made);
    expect(made.filter(Boolean).length).toBeGreaterThan(1);
    expect(made).toContain(false);
    expect(await all(backend.log())).toHaveLength(made.filter(Boolean).length);
  });

  it("what would be right now, since another server changed the file meanwhile, is told as it is in the end", async () => {
    const [backend, other] = [await open("changed"), await open("changed", { database: server.url })];
    const there = await write(backend, "a", "theirs\n");
    const told = await lostTogether(
      [
        () => backend.commit([change("b", null, version("b\n"))], AUTHOR),
        () => backend.commit([change("a", null, version("mine\n"))], AUTHOR),
      ],
      () => other.commit([change("a", there.sha, null)], AUTHOR),
    );
    expect(told).toEqual([true, (await textAt(other, "a")) === "mine\n"]);
    expect(await textAt(other, "b")).toBe("b\n");
    expect((await backend.verify()).ok).toBe(true);
  });

  for (const cut of ["late", "behind", "before"] as const satisfies readonly Cut[])
    it(`the first change of a workspace is told as made when its COMMIT is cut: ${cut}`, async () => {
      const name = `fresh-${cut}`;
      const backend = await open(name, { make: "by change" });
      proxy.cutAtCommit(cut);
      const { entry } = await backend.commit([change("a.txt", null, version("mine\n"))], AUTHOR);
      expect(entry.seq).toBe(1);
      const looking = await open(name, { database: server.url, make: false });
      expect(await all(looking.log())).toEqual([entry]);
      // it is there from now on, so that refusals are written down
      const draft = { ...AUTHOR, outcome: "refused", changes: [] } as const;
      expect((await backend.record(draft)).seq).toBe(2);
    });

  it("a workspace that another made meanwhile, and that could not be opened at first, is opened later", async () => {
    const [late, early] = [await open("both", { make: "by change" }), await open("both", { make: "by change" })];
    await early.commit([change("b.txt", null, version("b\n"))], AUTHOR);
    await pool.query(`update stet_schema set version = ${SCHEMA + 1}`);
    try {
      await refuses("unsupported", () => late.commit([change("a.txt", null, version("a\n"))], AUTHOR));
    } finally {
      await pool.query(`update stet_schema set version = ${SCHEMA}`);
    }
    expect((await late.commit([change("a.txt", null, version("a\n"))], AUTHOR)).entry.seq).toBe(2);
    expect(await textAt(late, "b.txt")).toBe("b\n");
    await late.close();
  });

  it("the first change is not known to be made while it may still come, and the file tells", async () => {
    const backend = await open("fresh-unknown", { make: "by change", waitMs: 100 });
    proxy.cutAtCommit("late");
    await refuses("outcome_unknown", () => backend.commit([change("a.txt", null, version("mine\n"))], AUTHOR));
    await expect.poll(() => textAt(backend, "a.txt"), { timeout: 5_000 }).toBe("mine\n");
    await write(backend, "b.txt", "b\n");
    expect(await all(backend.log())).toHaveLength(2);
  });
});
