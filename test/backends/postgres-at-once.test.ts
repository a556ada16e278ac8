// A change by one statement, where nothing has changed since the look: what else happens meanwhile is found out, and then it is made the long way.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import type { Cut } from "../../scripts/postgres-proxy.mjs";
import { SCHEMA } from "../../src/backends/postgres/schema/migrate.ts";
import { setQuota } from "../../src/backends/postgres/tenants/quotas.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { expectCounted, put, testDatabaseBehindProxy, ways } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("a change by one statement", async () => {
  if (missingPostgres() !== undefined) return;
  const { pool, open, proxy } = await testDatabaseBehindProxy(4);

  it("follows the last change of the same process, and a look", async () => {
    const backend = await open("plain");
    const made = ways(pool);
    await put(backend, "a", null, "1");
    expect(made()).toEqual(["the long way"]);
    await put(backend, "a", "1", "2");
    expect(made()).toEqual(["at once"]);
    await put(backend, "b", null, "1");
    expect(made()).toEqual(["the long way"]);
    await backend.resolve("dir/c");
    await backend.commit([change("dir/c", null, version("c"), true)], AUTHOR);
    expect(made()).toEqual(["at once"]);
    await backend.record({ ...AUTHOR, outcome: "note", changes: [], message: "noted" });
    expect(made()).toEqual(["at once"]);
    expect(await textAt(backend, "dir/c")).toBe("c");
    expect((await all(backend.log())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect((await backend.verify()).ok).toBe(true);
  });

  it("counts every version once, whether it is in the store or not", async () => {
    const name = "counted";
    const backend = await open(name);
    const made = ways(pool);
    for (const at of ["a", "dir/b", "dir/c"]) await backend.resolve(at);
    await backend.commit([change("a", null, version("one")), change("dir/b", null, version("two"), true)], AUTHOR);
    await put(backend, "a", "one", "two");
    await put(backend, "a", "two", "three");
    await put(backend, "a", "three", "one");
    const several = ["x", "one", "y"].map((text, n) => change(`dir/${n}`, null, version(text)));
    for (const { path: at } of several) await backend.resolve(at);
    await backend.commit(several, AUTHOR);
    await backend.commit([change("dir/0", version("x").sha, null)], AUTHOR);
    expect(new Set(made())).toEqual(new Set(["at once"]));
    await expectCounted(pool, name);
    for (const text of ["one", "two", "three", "x", "y"])
      expect(await backend.recall(version(text).sha)).not.toBeNull();
    expect((await backend.verify()).ok).toBe(true);
  });

  it("a version that is in the store already is not counted twice, and is kept from then on", async () => {
    const backend = await open("same bytes");
    const first = await write(backend, "a", "same");
    await backend.forget([first.sha]);
    await backend.resolve("b");
    await backend.commit([change("b", null, version("same"))], AUTHOR);
    expect(await backend.recall(first.sha)).not.toBeNull();
    await expectCounted(pool, "same bytes");
  });

  it("several that wait together go together, and each is told what became of it", async () => {
    const backend = await open("together");
    const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
    await put(backend, "stale", null, "1");
    for (const name of names) await backend.resolve(name);
    const made = ways(pool);
    const settled = await Promise.allSettled([
      ...names.map((name) => put(backend, name, null, name)),
      put(backend, "stale", "another", "2"),
    ]);
    expect(settled.map(({ status }) => status)).toEqual([...names.map(() => "fulfilled"), "rejected"]);
    expect(made().filter((way) => way === "the long way").length).toBeLessThanOrEqual(1);
    for (const name of names) expect(await textAt(backend, name)).toBe(name);
    expect((await backend.verify()).ok).toBe(true);
  });

  describe("where anything is otherwise", () => {
    it("another server changed the same file: it is stale", async () => {
      const [one, other] = [await open("same"), await open("same")];
      await put(one, "a", null, "1");
      await put(other, "a", "1", "2");
      const made = ways(pool);
      await refuses("stale_file", () => put(one, "a", "1", "3"));
      expect(await textAt(one, "a")).toBe("2");
      // what is believed is wrong: that it is refused is found out under the lock
      expect(made()).toEqual(["at once", "the long way"]);
    });

    it("what a session would have seen by a change that is not made, it has not seen", async () => {
      const [one, other] = [await open("unseen"), await open("unseen")];
      await put(one, "a", null, "1");
      await put(other, "a", "1", "2");
      const seen = { sha: version("3").sha, lines: 1, shown: [{ from: 1, to: 1 }] };
      const how = { shown: { session: "s", files: new Map([[path("a"), seen]]) } };
      const made = ways(pool);
      await refuses("stale_file", () =>
        one.commit([change("a", version("1").sha, version("3"))], AUTHOR, undefined, how),
      );
      expect(made()).toEqual(["at once", "the long way"]);
      expect(await one.ledger!("s").get(path("a"))).toBeUndefined();
    });

    it("another server changed another file: it is made behind that", async () => {
      const [one, other] = [await open("else"), await open("else")];
      await put(one, "a", null, "1");
      await put(other, "b", null, "1");
      const made = ways(pool);
      expect((await put(one, "a", "1", "2")).entry.seq).toBe(3);
      expect(made()).toEqual(["at once", "the long way"]);
      // for a while it is not tried again
      for (let n = 2; n < 10; n++) await put(one, "a", `${n}`, `${n + 1}`);
      expect(made()).toEqual(Array.from({ length: 8 }, () => "the long way"));
      await put(one, "a", "10", "11");
      expect(made()).toEqual(["at once"]);
      expect((await one.verify()).ok).toBe(true);
    });

    it("what the caller does not know is refused only after it was looked at under the lock", async () => {
      const [one, other] = [await open("newer"), await open("newer")];
      await put(one, "a", null, "1");
      await put(other, "a", "1", "2");
      // by what this server believes it would be stale
      expect((await put(one, "a", "2", "3")).entry.seq).toBe(3);
      expect(await textAt(other, "a")).toBe("3");
    });

    it("a quota that was set meanwhile holds", async () => {
      const backend = await open("w", { tenant: "later limited" });
      await put(backend, "a", null, "1");
      await put(backend, "a", "1", "2");
      await setQuota(pool, "later limited", { bytes: 10, files: null, entriesPerSecond: null });
      await refuses("disk_full", () => put(backend, "a", "2", "3"));
      expect(await textAt(backend, "a")).toBe("2");
    });

    it("tables of a newer stet are left alone", async () => {
      const backend = await open("newer tables");
      await put(backend, "a", null, "1");
      await pool.query(`update stet_schema set version = ${SCHEMA + 1}`);
      try {
        await refuses("unsupported", () => put(backend, "a", "1", "2"));
      } finally {
        await pool.query(`update stet_schema set version = ${SCHEMA}`);
      }
      expect(await textAt(backend, "a")).toBe("1");
    });

    it("a clock that went wrong here since the look is not that of an entry", async () => {
      const backend = await open("clock");
      await put(backend, "a", null, "1");
      const { now } = performance;
      vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 3_600_000);
      const made = ways(pool);
      const { entry } = await put(backend, "a", "1", "2");
      expect(made()).toEqual(["at once", "the long way"]);
      expect(Math.abs(Date.parse(entry.at) - Date.now())).toBeLessThan(5_000);
    });

    it("a database that takes no changes for now is no doubt about the change: it was not made", async () => {
      const backend = await open("standby", { waitMs: 300 });
      await put(backend, "a", null, "1");
      const set = async (how: string): Promise<void> => {
        await pool.query(`alter system ${how}`);
        await pool.query("select pg_reload_conf()");
      };
      const made = ways(pool);
      await set("set default_transaction_read_only = on");
      const readOnly = async () => (await pool.query("show default_transaction_read_only")).rows[0];
      await expect.poll(readOnly).toEqual({ default_transaction_read_only: "on" });
      const said = await refuses("io_error", () => put(backend, "a", "1", "2"));
      expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
      expect(made()).toContain("at once");
      await set("reset default_transaction_read_only");
      await expect.poll(readOnly).toEqual({ default_transaction_read_only: "off" });
      expect((await put(backend, "a", "1", "2")).entry.seq).toBe(2);
    });

    it("a workspace that is gone is said to be gone", async () => {
      const backend = await open("deleted");
      await put(backend, "a", null, "1");
      await pool.query("delete from workspace where name = 'deleted'");
      await refuses("not_found", () => put(backend, "a", "1", "2"));
    });
  });

  describe("while another holds the lock", () => {
    async function held(name: string, work: (free: () => Promise<unknown>) => Promise<void>): Promise<void> {
      const holder = await pool.connect();
      await holder.query("begin");
      await holder.query({ text: "select 1 from workspace where name = $1 for update", values: [name] });
      let done: Promise<unknown> | undefined;
      const free = () => (done ??= holder.query("commit"));
      try {
        await work(free);
      } finally {
        await free();
        holder.release();
      }
    }

    it("it waits, and is made", async () => {
      const backend = await open("waits");
      await put(backend, "a", null, "1");
      await held("waits", async (free) => {
        const committing = put(backend, "a", "1", "2");
        await sleep(50);
        await free();
        expect((await committing).entry.seq).toBe(2);
      });
    });

    it("it can be called off, and is not made", async () => {
      const backend = await open("called off");
      await put(backend, "a", null, "1");
      const giveUp = new AbortController();
      const begun: string[] = [];
      await held("called off", async () => {
        const how = {
          signal: giveUp.signal,
          begin() {
            begun.push("begun");
            return () => begun.push("not yet");
          },
        };
        const to = change("a", version("1").sha, version("2"));
        const committing = backend.commit([to], AUTHOR, undefined, how).then(
          () => "made",
          (error) => error,
        );
        await expect.poll(() => begun).toEqual(["begun", "not yet"]);
        giveUp.abort(new Error("no longer wanted"));
        expect(await committing).toMatchObject({ message: "no longer wanted" });
      });
      expect(await textAt(backend, "a")).toBe("1");
    });

    it("a call whose time is up meanwhile is refused, and changes nothing", async () => {
      const backend = await open("in time");
      const session = new Workspace(backend).session();
      const { files } = await session.create("a", "1\n");
      await held("in time", async () => {
        const proof = { expectedSha256: files[0]!.after!, deadlineMs: 150 };
        await refuses("timeout", () => session.write("a", "2\n", proof));
      });
      expect(await textAt(backend, "a")).toBe("1\n");
      expect((await session.write("a", "3\n", { expectedSha256: files[0]!.after! })).entry).toBeDefined();
    });
  });

  for (const cut of ["before", "behind", "late"] as const satisfies readonly Cut[])
    it(`is made once when its connection is cut: ${cut}`, async () => {
      const backend = await open(`cut ${cut}`, { database: proxy.url });
      await put(backend, "a", null, "0");
      for (let n = 1; n <= 12; n++) {
        await backend.resolve("a");
        proxy.cutAtCommit(cut);
        expect((await put(backend, "a", `${n - 1}`, `${n}`)).entry.seq).toBe(n + 1);
      }
      // what comes late would be here by now
      await sleep(400);
      expect(await textAt(backend, "a")).toBe("12");
      expect(await all(backend.log())).toHaveLength(13);
      expect((await backend.verify()).ok).toBe(true);
    });

  it("the last entry is found by its place, however many there are and whatever the database knows of them", async () => {
    const [one, other] = [await open("long"), await open("long")];
    const inTurns = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) await write(n % 2 === 0 ? one : other, "a", `${n}`);
    };
    // how it is looked for is settled while there are few
    await inTurns(20);
    const note = { ...AUTHOR, outcome: "note", changes: [], message: "noted" } as const;
    await Promise.all(Array.from({ length: 2_000 }, () => one.record(note)));
    const before = await entriesRead();
    await inTurns(20);
    await expect.poll(entriesRead, { timeout: 5_000 }).toBeGreaterThan(before);
    await sleep(1_100);
    expect((await entriesRead()) - before).toBeLessThan(200);
  });

  async function entriesRead(): Promise<number> {
    const { rows } = await pool.query<{ read: number }>(
      "select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'entry'",
    );
    return rows[0]!.read;
  }
});
