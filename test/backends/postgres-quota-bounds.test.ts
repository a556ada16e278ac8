// Where a quota in a database begins and ends: to the byte, for what makes room, for what is only kept, and after a long rest.
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { type Quota, setQuota, usageOfTenants } from "../../src/backends/postgres/tenants/quotas.ts";
import type { Backend } from "../../src/core/backend.ts";
import { AUTHOR, change, refuses, version, write } from "../../src/testing/assertions.ts";
import { testDatabase } from "../support/database.ts";

const KIB = 1024;
const NONE: Quota = { bytes: null, files: null, entriesPerSecond: null };

describe.skipIf(missingPostgres() !== undefined)("the bounds of a quota in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await testDatabase();
  const { pool } = database;

  const open = (tenant: string, workspace = "w"): Promise<Backend> => database.open(workspace, { tenant });
  const limit = (tenant: string, quota: Partial<Quota>) => setQuota(pool, tenant, { ...NONE, ...quota });
  const used = async (tenant: string) =>
    (await usageOfTenants(pool)).find((each) => each.tenant === tenant)?.bytes ?? 0;

  it("what fits to the byte is written, and one byte more is not", async () => {
    await write(await open("measured"), "a", "content\n");
    const bytes = await used("measured");
    await limit("fits", { bytes });
    await write(await open("fits"), "a", "content\n");
    expect(await used("fits")).toBe(bytes);
    await limit("tight", { bytes: bytes - 1 });
    const tight = await open("tight");
    await refuses("disk_full", () => write(tight, "a", "content\n"));
    expect(await used("tight")).toBe(0);
  });

  it("changes in two workspaces of a tenant wait for each other, and the second counts what the first made", async () => {
    const backend = await open("turns");
    await open("turns", "other");
    await limit("turns", { files: 1 });
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select 1 from pace where tenant = 'turns' for no key update");
    await holder.query("update workspace set files = 1 where tenant = 'turns' and name = 'other'");
    const second = refuses("disk_full", () => write(backend, "a", "a"));
    second.catch(() => {});
    const waits = "select 1 from pg_locks where not granted";
    await expect.poll(async () => (await pool.query(waits)).rows.length, { timeout: 10_000 }).toBe(1);
    await holder.query("commit");
    holder.release();
    expect((await second).message).toContain("has 1 of 1 files");
  });

  it("a change that deletes one file and makes another is no deletion: it has no reserve", async () => {
    const backend = await open("both");
    const old = await write(backend, "old", "x".repeat(9 * KIB));
    await limit("both", { bytes: 10 * KIB });
    const both = [change("old", old.sha, null), change("new", null, version("y".repeat(20 * KIB)))];
    await refuses("disk_full", () => backend.commit(both, AUTHOR));
    await backend.commit([change("old", old.sha, null)], AUTHOR);
  });

  it("where there are more files than there may be, they can be changed and deleted", async () => {
    const backend = await open("fewer");
    for (const name of ["a", "b", "c"]) await write(backend, name, name);
    await limit("fewer", { files: 1 });
    await write(backend, "a", "changed");
    await backend.commit([change("b", version("b").sha, null)], AUTHOR);
    await refuses("disk_full", () => write(backend, "d", "d"));
  });

  it("deletions that used up their reserve leave notes theirs: that versions were dropped can be written down", async () => {
    const backend = await open("reserves");
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    for (const name of names) await write(backend, name, "x");
    await limit("reserves", { bytes: 10 * KIB });
    const diff = "-x\n".repeat(50 * KIB);
    const remove = (name: string) => backend.commit([change(name, version("x").sha, null)], AUTHOR, { diff });
    let removed = 0;
    const refused = await refuses("disk_full", async () => {
      for (const name of names) {
        await remove(name);
        removed++;
      }
    });
    expect([removed > 2, refused.message]).toEqual([true, expect.stringContaining("of 10240 bytes")]);
    await backend.record({ ...AUTHOR, outcome: "note", changes: [], diff });
  });

  it("what is kept by itself counts", async () => {
    const backend = await open("kept");
    await limit("kept", { bytes: 10 * KIB });
    const small = version("x".repeat(8 * KIB));
    await backend.keep(small);
    const large = version("y".repeat(8 * KIB));
    await refuses("disk_full", () => backend.keep(large));
    expect([await backend.recall(large.sha), await used("kept")]).toEqual([null, small.size]);
  });

  it("a rest, however long, saves up no more than one second of changes", async () => {
    const backend = await open("rested");
    await limit("rested", { entriesPerSecond: 0.001 });
    await pool.query("update pace set level = 0, at = now() - interval '10 days' where tenant = 'rested'");
    await write(backend, "a", "1");
    await refuses("busy", () => write(backend, "a", "2"));
  });

  it("a clock of the database that was put back takes nothing away", async () => {
    const backend = await open("back");
    await limit("back", { entriesPerSecond: 0.001 });
    await pool.query("update pace set level = 1, at = now() + interval '10 days' where tenant = 'back'");
    await write(backend, "a", "1");
  });
});
