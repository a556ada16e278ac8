// A quota of bytes holds for all that grows: lines of the journal, rows of paths; and what was seen is bounded.
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { databaseOf } from "../../src/backends/postgres/connection/database.ts";
import { ledgerOf } from "../../src/backends/postgres/state/ledger.ts";
import { numberIn } from "../../src/backends/postgres/tenants/place.ts";
import { setQuota, usageOfTenants } from "../../src/backends/postgres/tenants/quotas.ts";
import { type Backend, type Sha, shaOf } from "../../src/index.ts";
import { AUTHOR, change, path, refuses, version, write } from "../../src/testing/assertions.ts";
import { testDatabase } from "../support/database.ts";

const KIB = 1024;
const RESERVE = KIB * KIB;

describe.skipIf(missingPostgres() !== undefined)("a quota in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await testDatabase();
  const { pool } = database;

  const open = (tenant: string): Promise<Backend> => database.open("w", { tenant });
  const usage = async (tenant: string) => (await usageOfTenants(pool)).find((each) => each.tenant === tenant)!;
  const bytes = (most: number) => ({ bytes: most, files: null, entriesPerSecond: null });

  async function untilRefused(work: (n: number) => Promise<unknown>): Promise<{ done: number; message: string }> {
    for (let n = 0; n < 2000; n++) {
      const refusal = await work(n).then(
        () => undefined,
        (error) => error,
      );
      if (refusal !== undefined) return { done: n, message: refusal.failure.message };
    }
    throw new Error("It was never refused.");
  }

  it("counts entries without new content: writing back and forth ends", async () => {
    const backend = await open("forth");
    const diff = "-a\n+b\n".repeat(300);
    const [one, two] = [version("one\n"), version("two\n")];
    await backend.commit([change("a", null, one)], AUTHOR);
    await backend.commit([change("a", one.sha, two)], AUTHOR);
    await setQuota(pool, "forth", bytes(40 * KIB));
    let at: Sha = two.sha;
    const { done, message } = await untilRefused(async () => {
      const next = at === one.sha ? two : one;
      await backend.commit([change("a", at, next)], AUTHOR, { diff });
      at = next.sha;
    });
    expect(done).toBeGreaterThan(5);
    expect(message).toMatch(/^The tenant 'forth' has \d+ of 40960 bytes, its history included, and its entry in the /);
    expect((await usage("forth")).bytes).toBeLessThanOrEqual(40 * KIB);
    await refuses("disk_full", () =>
      backend.record({ ...AUTHOR, outcome: "refused", changes: [], message: "x".repeat(3000) }),
    );
  });

  it("lets deletions, moves and notes go on, in a reserve", async () => {
    const backend = await open("reserve");
    const content = version("x".repeat(9 * KIB));
    await backend.commit([change("a", null, content)], AUTHOR);
    await setQuota(pool, "reserve", bytes(10 * KIB));
    await refuses("disk_full", () => write(backend, "b", "y".repeat(KIB)));
    const moved = [{ ...change("m", null, content), movedFrom: path("a") }, change("a", content.sha, null)];
    await backend.commit(moved, AUTHOR, { diff: "-\n".repeat(2 * KIB) });
    await refuses("disk_full", () => write(backend, "b", "y"));
    await backend.commit([change("m", content.sha, null)], AUTHOR);
    const note = { ...AUTHOR, outcome: "note", changes: [], diff: "x".repeat(4 * KIB) } as const;
    const { done } = await untilRefused(() => backend.record(note));
    expect(done).toBeGreaterThan(RESERVE / (4 * KIB));
    expect((await usage("reserve")).bytes).toBeLessThan(10 * KIB + 2 * RESERVE);
    expect(await backend.forget([content.sha])).toMatchObject({ dropped: 1 });
    await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  });

  it("counts the rows of directories, which stay when their last file goes", async () => {
    const backend = await open("deep");
    await setQuota(pool, "deep", bytes(2 * KIB * KIB));
    const { done, message } = await untilRefused(async (n) => {
      const deep = `${n}/${"d/".repeat(200)}f`;
      await backend.commit([change(deep, null, version(""), true)], AUTHOR);
      await backend.commit([change(deep, shaOf([]), null)], AUTHOR);
    });
    expect(done).toBeLessThan(15);
    expect(message).toContain("of 2097152 bytes");
    const { rows } = await pool.query<{ size: number }>(
      "select sum(pg_column_size(node.*) + 2 * octet_length(path))::int as size from node",
    );
    expect((await usage("deep")).bytes).toBeGreaterThan(rows[0]!.size);
  });

  it("refuses too many files with words that help", async () => {
    const backend = await open("many");
    await setQuota(pool, "many", { bytes: null, files: 1, entriesPerSecond: null });
    await write(backend, "a", "a");
    const { failure } = await refuses("disk_full", () => write(backend, "b", "b"));
    expect(failure).toMatchObject({
      message: "The tenant 'many' has 1 of 1 files, and this makes 1 more.",
      suggestedAction: "Delete files that are not needed, or ask the owner of the server for more.",
    });
  });

  it("what a session has seen is bounded; the oldest is unread again, and no other session's", async () => {
    await open("seen");
    const number = await numberIn(pool, "seen", "w");
    const database = databaseOf(pool, "seen", number!, 1000);
    const seen = (n: number) => ({ sha: shaOf([Buffer.from(String(n))]), lines: 1, shown: [{ from: 1, to: 1 }] });
    const count = async () => {
      const { rows } = await pool.query<{ n: number }>({
        text: "select count(*)::int as n from seen where ws = $1",
        values: [number],
      });
      return rows[0]!.n;
    };
    const other = ledgerOf(database, "other", 100);
    await other.set(path("x"), seen(1));
    const ledger = ledgerOf(database, "reader", 100);
    for (let n = 0; n < 1001; n++) await ledger.set(path(`f${n}`), seen(n));
    await expect.poll(count).toBeLessThanOrEqual(102);
    expect(await ledger.get(path("f0"))).toBeUndefined();
    expect(await ledger.get(path("f1000"))).toMatchObject({ lines: 1 });
    expect(await ledgerOf(database, "other").get(path("x"))).toMatchObject({ lines: 1 });
    for (let n = 0; n < 3; n++) await ledgerOf(database, "reader", 10).set(path(`g${n}`), seen(n));
    await expect.poll(count).toBeLessThanOrEqual(13);
  });
});
