// Changes that come while another one of this process waits for the lock go along only where all they need was asked for; and what fails for good is not tried again.
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import type { Client } from "../../src/backends/postgres/connection/client.ts";
import { openPool, postgres } from "../../src/backends/postgres/index.ts";
import type { Backend } from "../../src/core/backend.ts";
import { AUTHOR, change, refuses, textAt, version, write } from "../../src/testing/assertions.ts";

const SOON = { timeout: 10_000 };

describe.skipIf(missingPostgres() !== undefined)("changes in line for PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const [pool, other] = [await openPool(server.url), await openPool(server.url)];
  const opened: Backend[] = [];
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    for (const each of [pool, other]) await each.end();
    await server.remove();
  });

  async function open(workspace: string): Promise<Backend> {
    const backend = await postgres({ database: pool, workspace });
    opened.push(backend);
    return backend;
  }

  /** `first` waits for the lock; then `next` is asked for, and both go on. */
  async function meanwhile(workspace: string, first: () => Promise<unknown>, next: () => Promise<unknown>) {
    const holder = await other.connect();
    await holder.query("begin");
    await holder.query({ text: "select 1 from workspace where name = $1 for update", values: [workspace] });
    const began = first();
    const waits = "select 1 from pg_locks where not granted";
    await expect.poll(async () => (await other.query(waits)).rows.length, SOON).toBe(1);
    const came = next();
    await holder.query("rollback");
    holder.release();
    return Promise.allSettled([began, came]);
  }

  it("one of a path that was not asked about finds what is there, and not nothing", async () => {
    const backend = await open("paths");
    const there = await write(backend, "there", "mine\n");
    // the same content, so that only the paths tell them apart
    const same = version("same\n");
    const create = (at: string) => backend.commit([change(at, null, same)], AUTHOR);
    const made = await meanwhile(
      "paths",
      () => create("a"),
      () => create("there"),
    );
    expect(made).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { kind: "stale_file" } }]);
    expect(await textAt(backend, "there")).toBe("mine\n");
    const edited = await meanwhile(
      "paths",
      () => create("b"),
      () => backend.commit([change("there", there.sha, same)], AUTHOR),
    );
    expect(edited).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
    expect(await textAt(backend, "there")).toBe("same\n");
  });

  it("one with content that was not asked about is counted as what it is: there already", async () => {
    const backend = await open("content");
    const [one, two, three] = [version("one\n"), version("two\n"), version("three\n")];
    await write(backend, "stored", "three\n");
    await write(backend, "a", "one\n");
    const { versions, bytes } = (await backend.weigh!())!;
    const both = await meanwhile(
      "content",
      () => backend.commit([change("a", one.sha, two)], AUTHOR),
      () => backend.commit([change("a", two.sha, three)], AUTHOR),
    );
    expect(both).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
    const { rows } = await pool.query<{ lines: number }>(
      "select sum(length(line) + 1)::int as lines from entry e join workspace w on w.id = e.ws where name = 'content' and e.seq > 2",
    );
    const now = (await backend.weigh!())!;
    expect([now.versions - versions, now.bytes - bytes]).toEqual([1, two.size + rows[0]!.lines]);
  });

  it("one that is refused for good is sent once", async () => {
    const backend = await open("final");
    const last = await write(backend, "a", "1");
    await pool.query("update workspace set hash = repeat('7', 64) where name = 'final'");
    const { prototype } = (pool as unknown as { Client: { prototype: Client } }).Client;
    const { query } = prototype;
    let locks = 0;
    vi.spyOn(prototype, "query").mockImplementation(function (this: Client, ...args) {
      const [asked] = args;
      if (typeof asked !== "string" && asked.name === "stet-lock") locks++;
      return query.apply(this, args);
    });
    await refuses("journal_damaged", () => backend.commit([change("a", last.sha, version("2"))], AUTHOR));
    expect(locks).toBe(1);
  });
});
