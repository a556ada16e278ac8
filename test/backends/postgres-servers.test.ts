// Several servers on one workspace, and several workspaces at one moment: nothing is lost, nothing is counted wrong, and each caller is told what became of its own change.
import { type Backend, type Path, Workspace } from "stet";
import { postgres } from "stet/backends/postgres";
import { describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../support/assertions.ts";
import {
  expectCounted,
  limit,
  put,
  testDatabase,
  untilWaiting,
  whileHeld,
  withNewerTables,
} from "../support/database.ts";

const DAY = 24 * 3_600_000;

describe.skipIf(missingPostgres() !== undefined)("servers of one PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { url, pool, open, anotherPool } = await testDatabase({ connections: 4 });
  const lockOf = (name: string) => `select 1 from workspace where name = '${name}' for update`;
  const two = async (name: string): Promise<[Backend, Backend]> => [
    await open(name),
    await open(name, { database: url }),
  ];

  describe("of one workspace", () => {
    it("what another changed is read at once, and a change of what was there before is stale", async () => {
      const [one, other] = await two("same");
      await put(one, "a", null, "1");
      await put(other, "a", "1", "2");
      await refuses("stale_file", () => put(one, "a", "1", "3"));
      expect(await textAt(one, "a")).toBe("2");
      // by what this server had seen it would be stale
      await put(other, "a", "2", "4");
      expect((await put(one, "a", "4", "5")).entry.seq).toBe(4);
      // of a path that it has not looked at it knows nothing
      await put(other, "b", null, "theirs");
      await refuses("stale_file", () => put(one, "b", null, "mine"));
    });

    it("changes of other files come behind each other, and every version is counted once", async () => {
      const [one, other] = await two("counted");
      await put(one, "a", null, "same bytes");
      for (let n = 0; n < 6; n++) await put(n % 2 ? one : other, `f${n}`, null, n % 3 ? `${n}` : "same bytes");
      await one.commit([change("f1", version("1").sha, null), change("dir/g", null, version("g"), true)], AUTHOR);
      expect((await all(other.log())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await expectCounted(pool, "counted");
      expect((await one.verify()).ok).toBe(true);
    });

    it("a race that was lost starts again from what the other wrote", async () => {
      const [one, other] = (await two("race")).map((each) => new Workspace(each)) as [Workspace, Workspace];
      await one.session().create("a", "start\n");
      const given: string[] = [];
      await one.session().change([{ path: "a", proof: { by: "waived" }, action: "write" }], async ([file]) => {
        given.push(file!.text.body);
        const theirs = `${file!.text.body}theirs\n`;
        if (given.length === 1) await other.session().write("a", theirs, { expectedSha256: file!.version!.sha });
        return [{ body: `${file!.text.body}mine\n` }];
      });
      expect(given).toEqual(["start\n", "start\ntheirs\n"]);
      expect(await textAt(other.backend, "a")).toBe("start\ntheirs\nmine\n");
    });

    it("a path may be resolved long before it is read: what is there by then is read", async () => {
      const [one, other] = (await two("long before")).map((each) => new Workspace(each)) as [Workspace, Workspace];
      const session = one.session();
      await session.create("a", "1\n");
      const at = await session.resolve("a", "read");
      await other.session().write("a", "2\n", { expectedSha256: version("1\n").sha });
      expect((await session.read("a", undefined, { at })).body).toBe("2\n");
      const absent = await one.backend.resolve("b", { session: session.id });
      expect(await one.backend.read(absent.path, { at: absent })).toBeNull();
      await one.session().create("b", "b\n");
      expect((await one.backend.read(absent.path, { at: absent }))?.sha).toBe(version("b\n").sha);
    });

    it("what a session would have seen by a change that is not made, it has not seen", async () => {
      const [one, other] = await two("unseen");
      await put(one, "a", null, "1");
      await put(other, "a", "1", "2");
      const seen = { sha: version("3").sha, lines: 1, shown: [{ from: 1, to: 1 }] };
      const how = { shown: { session: "s", files: new Map([[path("a"), seen]]) } };
      const committing = () => one.commit([change("a", version("1").sha, version("3"))], AUTHOR, undefined, how);
      await refuses("stale_file", committing);
      expect(await one.ledger!("s").get(path("a"))).toBeUndefined();
    });

    it("parts that one session reads at the same time all count as seen", async () => {
      const workspace = new Workspace(await open("parts"), { strict: true });
      const session = workspace.session();
      await workspace.session().create("a", `${Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n")}\n`);
      await Promise.all([1, 11, 21, 31].map((from) => session.read("a", { from, to: from + 9 })));
      expect((await session.ledger.get(path("a")))?.shown).toEqual([{ from: 1, to: 40 }]);
    });

    it("a version that was forgotten is kept again with the change that uses it", async () => {
      const [one, other] = await two("forgotten");
      const first = await write(one, "a", "same");
      await other.forget([first.sha]);
      await put(one, "b", null, "same");
      expect(await other.recall(first.sha)).not.toBeNull();
      await expectCounted(pool, "forgotten");
    });

    it("who watches is told of changes, also of the last ones before another server ends", async () => {
      const [watching, changing] = await two("watched");
      let told = 0;
      const end = watching.watch!(() => void told++);
      await expect.poll(() => told).toBe(1);
      await put(changing, "a", null, "1");
      await expect.poll(() => told).toBeGreaterThan(1);
      await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen stet'");
      const before = told;
      await expect.poll(() => told).toBeGreaterThan(before);
      const again = told;
      await put(changing, "a", "1", "2");
      await changing.close();
      await expect.poll(() => told).toBeGreaterThan(again);
      end();
    });
  });

  describe("what does not hold any more when a change comes", () => {
    it("a quota that was set meanwhile holds", async () => {
      const backend = await open("w", { tenant: "later limited" });
      for (const text of ["1", "2"]) await write(backend, "a", text);
      await limit(pool, "later limited", { bytes: 10 });
      await refuses("disk_full", () => put(backend, "a", "2", "3"));
      expect(await textAt(backend, "a")).toBe("2");
    });

    it("tables of a newer stet are left alone", async () => {
      const backend = await open("newer tables");
      const first = await write(backend, "a", "1");
      await withNewerTables(pool, async () => {
        for (const work of [
          () => put(backend, "a", "1", "2"),
          () => backend.keep([version("kept")]),
          () => backend.forget([first.sha]),
          () => postgres({ database: pool, workspace: "another" }),
        ])
          expect((await refuses("unsupported", work)).message).toContain("Use a newer stet");
      });
      expect(await textAt(backend, "a")).toBe("1");
    });

    it("a workspace that is gone is said to be gone", async () => {
      const backend = await open("deleted");
      await put(backend, "a", null, "1");
      await pool.query("delete from workspace where name = 'deleted'");
      await refuses("not_found", () => put(backend, "a", "1", "2"));
    });

    it("clocks: entries go by that of the database, and never back", async () => {
      const backend = await open("clock");
      await put(backend, "a", null, "0");
      const { now } = performance;
      for (const wrong of [DAY, -DAY]) {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + wrong });
        vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + Math.abs(wrong));
        await write(backend, "a", `${wrong}`);
        vi.useRealTimers();
        vi.restoreAllMocks();
      }
      const times = (await all(backend.log())).map(({ at }) => Date.parse(at));
      for (const at of times) expect(Math.abs(at - Date.now())).toBeLessThan(DAY / 2);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      const ahead = new Date(Date.now() + DAY).toISOString();
      await pool.query({ text: "update workspace set at = $1 where name = 'clock'", values: [ahead] });
      await write(backend, "a", "later");
      expect((await all(backend.log())).at(-1)?.at).toBe(ahead);
    });

    it("a database that takes no changes for now has made none, and says so", async () => {
      const backend = await open("standby", { waitMs: 300 });
      await put(backend, "a", null, "1");
      const set = async (how: string, value: string): Promise<void> => {
        await pool.query(`alter system ${how}`);
        await pool.query("select pg_reload_conf()");
        const shown = async () => (await pool.query("show default_transaction_read_only")).rows[0];
        await expect.poll(shown).toEqual({ default_transaction_read_only: value });
      };
      await set("set default_transaction_read_only = on", "on");
      try {
        const said = await refuses("io_error", () => put(backend, "a", "1", "2"));
        expect(said.failure).toMatchObject({ recoverable: true, suggestedAction: "Try again in a moment." });
      } finally {
        await set("reset default_transaction_read_only", "off");
      }
      expect((await put(backend, "a", "1", "2")).entry.seq).toBe(2);
    });
  });

  describe("while another holds the lock", () => {
    it("changes wait, and each is told what became of it", async () => {
      const backend = await open("waits");
      await write(backend, "b", "old");
      const outcomes = await whileHeld(url, lockOf("waits"), async (free) => {
        const first = put(backend, "a", null, "1");
        await untilWaiting(pool);
        const others = [
          backend.commit([change("dir/c", null, version("2"), true)], AUTHOR),
          put(backend, "b", "old", "3"),
          // stale by then
          put(backend, "b", "old", "4"),
          // nothing was asked about this path while it waited
          put(backend, "b", null, "5"),
          put(backend, "d", null, "1"),
        ];
        await free();
        return Promise.allSettled([first, ...others]);
      });
      const told = outcomes.map((each) => (each.status === "fulfilled" ? "made" : each.reason.kind));
      expect(told).toEqual(["made", "made", "made", "stale_file", "stale_file", "made"]);
      for (const [name, text] of Object.entries({ a: "1", "dir/c": "2", b: "3", d: "1" }))
        expect(await textAt(backend, name)).toBe(text);
      expect(await backend.verify()).toMatchObject({ ok: true, entries: 5 });
      await expectCounted(pool, "waits");
    });

    it("one that is called off, or whose time is up, is not made; too long is said to be busy", async () => {
      const backend = await open("called off", { waitMs: 300 });
      const session = new Workspace(backend).session();
      const { files } = await session.create("a", "1");
      const off = new AbortController();
      await whileHeld(url, lockOf("called off"), async () => {
        const to = change("a", version("1").sha, version("2"));
        const committing = backend.commit([to], AUTHOR, undefined, { signal: off.signal });
        const refused = expect(committing).rejects.toThrow("no longer wanted");
        await untilWaiting(pool);
        off.abort(new Error("no longer wanted"));
        await refused;
        const proof = { expectedSha256: files[0]!.after!, deadlineMs: 150 };
        await refuses("timeout", () => session.write("a", "2\n", proof));
        for (const work of [
          () => put(backend, "a", "1", "2"),
          () => backend.keep([version("kept")]),
          () => backend.forget([version("1").sha]),
        ])
          await refuses("busy", work);
      });
      expect(await textAt(backend, "a")).toBe("1");
      await put(backend, "a", "1", "3");
    });

    it("a change or a question that waits for a whole table ends with its deadline, or waits", async () => {
      const backend = await open("rebuilt");
      await write(backend, "a", "1");
      const session = new Workspace(backend).session();
      await session.read("a");
      await whileHeld(url, "lock table workspace in exclusive mode", () =>
        refuses("timeout", () => session.write("a", "2", { deadlineMs: 200 })),
      );
      const read = await whileHeld(url, "lock table node in access exclusive mode", async (free) => {
        const reading = textAt(backend, "a");
        await untilWaiting(pool);
        await free();
        return reading;
      });
      expect(read).toBe("1");
    });
  });

  describe("workspaces of one tenant at the same moment", () => {
    const some = (kind: string, count: number, how: Parameters<typeof open>[1] = {}): Promise<Backend[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => {
          const backend = await open(`${kind} ${n}`, how);
          await put(backend, "a", null, `${n}`);
          return backend;
        }),
      );
    const names = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind} ${n}`);

    it("are read and changed each by itself", async () => {
      const backends = await some("each", 5);
      for (let round = 0; round < 3; round++) {
        const from = (n: number) => (round === 0 ? `${n}` : `${n}-${round - 1}`);
        const done = await Promise.all(backends.map((backend, n) => put(backend, "a", from(n), `${n}-${round}`)));
        expect(done.map(({ entry }) => entry.seq)).toEqual(backends.map(() => round + 2));
      }
      expect(await Promise.all(backends.map((each) => textAt(each, "a")))).toEqual(backends.map((_, n) => `${n}-2`));
      const kinds = await Promise.all(backends.map(async (each, n) => (await each.resolve(n ? "a" : "none")).kind));
      expect(kinds).toEqual(["absent", "file", "file", "file", "file"]);
      const seen = (n: number) => ({ sha: version(`${n}-2`).sha, lines: n, shown: [] });
      for (const [n, each] of backends.entries()) await each.ledger!("s").set(path("a"), seen(n));
      const found = await Promise.all(backends.map((each) => each.ledger!("s").get(path("a"))));
      expect(found).toEqual(backends.map((_, n) => seen(n)));
      await expectCounted(pool, ...names("each", 5));
    });

    it("what becomes of one is not felt by the others: stale, changed by another server, damaged, large, locked", async () => {
      const backends = await some("one", 6);
      await put(await open("one 2", { database: url }), "b", null, "theirs");
      await pool.query("insert into change (ws, path, seq) select id, 'a', 2 from workspace where name = 'one 3'");
      const texts = backends.map((_, n) => (n === 4 ? "x".repeat(100_000) : "new"));
      await whileHeld(url, lockOf("one 0"), async (free) => {
        const late = put(backends[0]!, "a", "0", texts[0]!);
        const others = backends
          .slice(1)
          .map((each, n) => put(each, "a", n === 0 ? "unknown" : `${n + 1}`, texts[n + 1]!));
        const told = (await Promise.allSettled(others)).map((each) =>
          each.status === "fulfilled" ? each.value.entry.seq : each.reason.kind,
        );
        expect(told).toEqual(["stale_file", 3, "journal_damaged", 2, 2]);
        expect(await textAt(backends[0]!, "a")).toBe("0");
        await free();
        expect((await late).entry.seq).toBe(2);
      });
      const there = await Promise.all(backends.map((each) => textAt(each, "a")));
      expect(there).toEqual([texts[0], "1", texts[2], "3", texts[4], texts[5]]);
      await expectCounted(pool, ...names("one", 6));
    });

    it("one that is called off while all wait for a connection is not made", async () => {
      const few = await anotherPool({ connections: 1 });
      const backends = await some("few", 3, { database: few });
      const held = await few.connect();
      const off = new AbortController();
      const done = Promise.allSettled(
        backends.map((backend, n) =>
          backend.commit([change("a", version(`${n}`).sha, version("new"))], AUTHOR, undefined, {
            ...(n === 1 && { signal: off.signal }),
          }),
        ),
      );
      off.abort(new Error("no longer wanted"));
      held.release();
      expect((await done).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await Promise.all(backends.map((each) => textAt(each, "a")))).toEqual(["new", "1", "new"]);
    });

    it("a tenant sees nothing of another, be the name the same", async () => {
      const [one, other] = [await open("same", { tenant: "a" }), await open("same", { tenant: "b" })];
      const secret = await write(one, "a", "of a");
      await Promise.all([write(one, "b", "1"), write(other, "b", "2")]);
      expect([await textAt(one, "b"), await textAt(other, "b"), await textAt(other, "a")]).toEqual(["1", "2", null]);
      expect(await other.recall(secret.sha)).toBeNull();
      expect((await all(other.log())).map(({ changes }) => changes[0]?.path)).toEqual(["b" as Path]);
    });
  });
});
