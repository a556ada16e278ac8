// Workspaces of one tenant that are looked at or changed at the same moment: by one statement, and what becomes of one is not felt by the others.
import { describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import type { Cut } from "../../scripts/postgres-proxy.mjs";
import { openPool } from "../../src/backends/postgres/index.ts";
import type { Backend } from "../../src/core/backend.ts";
import { AUTHOR, all, change, path, refuses, textAt, version } from "../../src/testing/assertions.ts";
import {
  expectCounted,
  openSome,
  put,
  statements,
  testDatabaseBehindProxy,
  ways,
  whileHeld,
} from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("neighbours in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const CONNECTIONS = 4;
  const { server, pool, open, proxy } = await testDatabaseBehindProxy(CONNECTIONS);

  /** Each with a file `a`, whose text is the name of the workspace. */
  const some = (names: readonly string[], how: Parameters<typeof open>[1] = {}): Promise<Backend[]> =>
    Promise.all(
      names.map(async (name) => {
        const backend = await open(name, how);
        await put(backend, "a", null, name);
        return backend;
      }),
    );

  const named = (kind: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${kind} ${n}`);

  it("are changed by one statement, and each is told of its own change", async () => {
    const names = named("one", 5);
    const backends = await some(names);
    const made = ways(pool);
    for (let round = 0; round < 6; round++) {
      const entries = await Promise.all(
        backends.map((backend, n) => {
          const from = round === 0 ? names[n]! : `${names[n]} ${round - 1}`;
          return put(backend, "a", from, `${names[n]} ${round}`);
        }),
      );
      expect(entries.map(({ entry }) => entry.seq)).toEqual(backends.map(() => round + 2));
    }
    expect(made()).toEqual(Array.from({ length: 6 }, () => "at once"));
    for (const [n, backend] of backends.entries()) {
      expect(await textAt(backend, "a")).toBe(`${names[n]} 5`);
      expect(await all(backend.log())).toHaveLength(7);
      expect((await backend.verify()).ok).toBe(true);
    }
  });

  it("count what each of them stored, also where it is the same bytes, and where some store nothing", async () => {
    const names = named("counted", 4);
    const backends = await some(names);
    const made = ways(pool);
    const [first, second, third, fourth] = backends as [Backend, Backend, Backend, Backend];
    const note = { ...AUTHOR, outcome: "note", changes: [], message: "noted" } as const;
    await Promise.all([
      put(first, "a", names[0]!, "the same"),
      put(second, "a", names[1]!, "the same"),
      third.commit([change("a", version(names[2]!).sha, null)], AUTHOR),
      fourth.record(note),
    ]);
    // back to a version that is in the store
    await Promise.all([put(first, "a", "the same", names[0]!), put(second, "a", "the same", "another")]);
    expect(new Set(made())).toEqual(new Set(["at once"]));
    await expectCounted(pool, ...names);
    expect(await textAt(first, "a")).toBe(names[0]);
    expect(await textAt(second, "a")).toBe("another");
    expect(await third.read((await third.resolve("a")).path)).toBeNull();
    for (const backend of backends) expect((await backend.verify()).ok).toBe(true);
  });

  it("are looked at by one statement, and each is told what is in it", async () => {
    const names = named("looked", 3);
    const backends = await some(names);
    await put(backends[1]!, "only/here", null, "x").catch(() => {});
    await backends[2]!.commit([change("dir/b", null, version("b"), true)], AUTHOR);
    const sent = statements(pool);
    const found = await Promise.all([
      ...backends.map((backend) => backend.resolve("a")),
      ...backends.map((backend) => backend.resolve("dir/b")),
    ]);
    expect(sent.filter((name) => name === "stet-look")).toHaveLength(1);
    expect(found.map(({ kind }) => kind)).toEqual(["file", "file", "file", "absent", "absent", "file"]);
    vi.restoreAllMocks();
    const texts = await Promise.all(backends.map((backend) => textAt(backend, "a")));
    expect(texts).toEqual(names);
  });

  it("that another server changed are all believed anew by one look", async () => {
    const names = named("heard", 3);
    const backends = await some(names);
    for (const name of names) await put(await open(name, { database: server.url }), "b", null, "theirs");
    await Promise.all(backends.map((backend) => backend.resolve("a")));
    const made = ways(pool);
    const done = await Promise.all(backends.map((backend, n) => put(backend, "a", names[n]!, "new")));
    expect(done.map(({ entry }) => entry.seq)).toEqual([3, 3, 3]);
    expect(made()).toEqual(["at once"]);
  });

  it("what a session of the same name has seen in each is told apart", async () => {
    const names = named("seen", 3);
    const backends = await some(names);
    const seen = (n: number) => ({ sha: version(names[n]!).sha, lines: n, shown: [] });
    for (const [n, backend] of backends.entries()) await backend.ledger!("s").set(path("a"), seen(n));
    const found = await Promise.all(
      [0, 1].map(async (n) => {
        const at = await backends[n]!.resolve("a", { session: "s" });
        return backends[n]!.ledger!("s").get(path("a"), at);
      }),
    );
    expect(found).toEqual([seen(0), seen(1)]);
  });

  it("of another tenant are asked for and changed by another statement", async () => {
    const own = await some(["mine"], { tenant: "one tenant" });
    const theirs = await some(["theirs"], { tenant: "another tenant" });
    const sent = statements(pool);
    await Promise.all([own[0]!.resolve("a"), theirs[0]!.resolve("a")]);
    await Promise.all([put(own[0]!, "a", "mine", "1"), put(theirs[0]!, "a", "theirs", "1")]);
    expect(sent.filter((name) => name === "stet-look")).toHaveLength(2);
    expect(sent.filter((name) => name.endsWith("+commit"))).toHaveLength(2);
  });

  describe("what becomes of one is not felt by the others", () => {
    it("another server changed it: it alone goes the long way", async () => {
      const names = named("stale", 3);
      const backends = await some(names);
      const elsewhere = await open("stale 1", { database: server.url });
      await put(elsewhere, "b", null, "theirs");
      const made = ways(pool);
      const done = await Promise.all(backends.map((backend, n) => put(backend, "a", names[n]!, "new")));
      expect(done.map(({ entry }) => entry.seq)).toEqual([2, 3, 2]);
      expect(made()).toEqual(["at once", "the long way"]);
      await expectCounted(pool, ...names);
      // the others are not distrusted for it
      await Promise.all([0, 2].map((n) => put(backends[n]!, "a", "new", "newer")));
      expect(made()).toEqual(["at once"]);
    });

    it("its lock is held: the others do not wait for it", async () => {
      const names = named("held", 3);
      const backends = await some(names);
      const holder = await pool.connect();
      await holder.query("begin");
      await holder.query("select 1 from workspace where name = 'held 0' for update");
      const waits = put(backends[0]!, "a", names[0]!, "new");
      await Promise.all([1, 2].map((n) => put(backends[n]!, "a", names[n]!, "new")));
      expect(await textAt(backends[1]!, "a")).toBe("new");
      expect(await textAt(backends[0]!, "a")).toBe(names[0]);
      await holder.query("commit");
      holder.release();
      await waits;
      expect(await textAt(backends[0]!, "a")).toBe("new");
    });

    it("its rows are damaged: the others are made at once all the same", async () => {
      const names = named("damaged", 3);
      const backends = await some(names);
      await pool.query(`insert into change (ws, path, seq)
        select id, 'a', 2 from workspace where name = 'damaged 1'`);
      const made = ways(pool);
      const done = await Promise.allSettled(backends.map((backend, n) => put(backend, "a", names[n]!, "new")));
      expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(done[1]).toMatchObject({ reason: { kind: "journal_damaged" } });
      expect(made()).toEqual(["at once", "at once", "at once", "at once", "the long way"]);
      expect(await textAt(backends[1]!, "a")).toBe(names[1]);
      for (const n of [0, 2]) expect(await textAt(backends[n]!, "a")).toBe("new");
      await expectCounted(pool, ...names);
    });

    it("it is large: it goes by itself, behind them", async () => {
      const names = named("large", 3);
      const backends = await some(names);
      const made = ways(pool);
      const texts = names.map((name, n) => (n === 0 ? "x".repeat(100_000) : `${name}!`));
      const order: number[] = [];
      await Promise.all(
        backends.map((backend, n) => put(backend, "a", names[n]!, texts[n]!).then(() => void order.push(n))),
      );
      expect(made()).toEqual(["at once", "at once"]);
      expect(order.at(-1)).toBe(0);
      expect(await Promise.all(backends.map((backend) => textAt(backend, "a")))).toEqual(texts);
      await expectCounted(pool, ...names);
    });

    it("it is refused: what is made of the others is told to them", async () => {
      const names = named("refused", 3);
      const backends = await some(names);
      const done = await Promise.allSettled(
        backends.map((backend, n) => put(backend, "a", n === 1 ? "unknown" : names[n]!, "new")),
      );
      expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(done[1]).toMatchObject({ reason: { kind: "stale_file" } });
    });

    it("it is called off while all wait for a connection: nothing of it is made", async () => {
      const few = await openPool(server.url, { connections: 1 });
      const names = named("called off", 3);
      const backends = await some(names, { database: few });
      const held = await few.connect();
      const giveUp = new AbortController();
      const done = Promise.allSettled(
        backends.map((backend, n) =>
          backend.commit([change("a", version(names[n]!).sha, version("new"))], AUTHOR, undefined, {
            ...(n === 1 && { signal: giveUp.signal }),
          }),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      giveUp.abort(new Error("no longer wanted"));
      held.release();
      expect((await done).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await Promise.all(backends.map((backend) => textAt(backend, "a")))).toEqual([
        "new",
        "called off 1",
        "new",
      ]);
      for (const backend of backends) await backend.close();
      await few.end();
    });
  });

  for (const [what, timeout] of [
    ["a lock of a whole table", ""],
    ["what the database lets a statement take", "?options=-c%20statement_timeout%3D100"],
  ] as const)
    it(`all wait for ${what}: they do so once, not each by itself`, async () => {
      const own = await openPool(`${server.url}${timeout}`, { connections: CONNECTIONS });
      const names = named(what, 3);
      const backends = await some(names, { database: own, waitMs: 300 });
      await openSome(own, CONNECTIONS);
      const made = ways(own);
      await whileHeld(server.url, "lock table change in access exclusive mode", () =>
        Promise.all(backends.map((backend, n) => refuses("busy", () => put(backend, "a", names[n]!, "new")))),
      );
      expect(made()).toEqual(["at once", "the long way", "the long way", "the long way"]);
      for (const [n, backend] of backends.entries()) expect(await textAt(backend, "a")).toBe(names[n]);
      for (const backend of backends) await backend.close();
      await own.end();
    });

  it("those that come while two statements are under way go together", async () => {
    const names = named("crowd", 5);
    const backends = await some(names);
    const sent = statements(pool);
    const atOnce = (): number => sent.filter((name) => name.endsWith("+commit")).length;
    const done: Promise<unknown>[] = [];
    const one = (n: number): void => void done.push(put(backends[n]!, "a", names[n]!, "new"));
    await whileHeld(server.url, "lock table change in access exclusive mode", async () => {
      for (const n of [0, 1]) {
        one(n);
        await expect.poll(atOnce, { interval: 1 }).toBe(n + 1);
      }
      for (const n of [2, 3, 4]) {
        one(n);
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await Promise.all(done);
    expect(atOnce()).toBeLessThan(names.length);
    expect(await Promise.all(backends.map((backend) => textAt(backend, "a")))).toEqual(names.map(() => "new"));
  });

  it("are asked about again for as long as the most patient of them waits", async () => {
    const [patient] = await some(["patient"]);
    const [hasty] = await some(["hasty"], { waitMs: 1 });
    const asked = await whileHeld(server.url, "lock table node in access exclusive mode", async () => {
      const found = Promise.allSettled([hasty!, patient!].map((backend) => backend.resolve("a")));
      const end = "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query(end)).rows.length, { interval: 5 }).toBe(1);
      return [found];
    });
    const [found] = await Promise.all(asked);
    expect(found!.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });

  it("in another order are no others: the connection is not told anew which they are", async () => {
    const few = await openPool(server.url, { connections: 1 });
    await openSome(few, 1);
    const names = named("order", 3);
    const backends = await some(names, { database: few });
    const inOrder = async (of: readonly number[], from: (n: number) => string, to: string): Promise<void> => {
      await Promise.all(of.map((n) => backends[n]!.resolve("a")));
      await Promise.all(of.map((n) => put(backends[n]!, "a", from(n), to)));
    };
    await inOrder([0, 1, 2], (n) => names[n]!, "1");
    const sent = statements(few);
    await inOrder([2, 0, 1], () => "1", "2");
    expect(sent.filter((name) => /^stet-(?:scope|look)$|\+commit$/.test(name))).toEqual([
      "stet-look",
      expect.stringMatching(/\+commit$/),
    ]);
    for (const backend of backends) await backend.close();
    await few.end();
  });

  it("one that was opened twice is changed twice, by both", async () => {
    const [one] = await some(["twice"]);
    const other = await open("twice");
    for (const backend of [one!, other]) for (const at of ["x", "y"]) await backend.resolve(at);
    const made = ways(pool);
    const done = await Promise.all([put(one!, "x", null, "1"), put(other, "y", null, "2")]);
    expect(done.map(({ entry }) => entry.seq).toSorted()).toEqual([2, 3]);
    // never both by one statement, which could not be made
    expect(made()).toEqual(["at once", "at once", "the long way"]);
    expect(await textAt(one!, "y")).toBe("2");
    expect((await one!.verify()).ok).toBe(true);
  });

  for (const cut of ["before", "behind", "late"] as const satisfies readonly Cut[])
    it(`are all made once when their connection is cut: ${cut}`, async () => {
      const through = await openPool(proxy.url, { connections: 3 });
      await openSome(through, 3);
      const names = named(`cut ${cut}`, 3);
      const backends = await some(names, { database: through });
      for (let n = 0; n < 4; n++) {
        await Promise.all(backends.map((backend) => backend.resolve("a")));
        const made = ways(through);
        const before = proxy.cuts;
        proxy.cutAtCommit(cut);
        const done = await Promise.all(
          backends.map((backend, of) => put(backend, "a", n === 0 ? names[of]! : `${n - 1}`, `${n}`)),
        );
        expect(made()[0]).toBe("at once");
        expect(proxy.cuts).toBe(before + 1);
        expect(done.map(({ entry }) => entry.seq)).toEqual([n + 2, n + 2, n + 2]);
        vi.restoreAllMocks();
        await openSome(through, 3);
      }
      // what comes late would be here by now
      await new Promise((resolve) => setTimeout(resolve, 400));
      for (const backend of backends) {
        expect(await all(backend.log())).toHaveLength(5);
        expect((await backend.verify()).ok).toBe(true);
        await backend.close();
      }
      await through.end();
    });

  it("a database that takes no changes for now: nothing of any is made, and none is in doubt", async () => {
    const names = named("standby", 2);
    const backends = await some(names, { waitMs: 200 });
    const set = async (how: string): Promise<void> => {
      await pool.query(`alter system ${how}`);
      await pool.query("select pg_reload_conf()");
    };
    const readOnly = async () => (await pool.query("show default_transaction_read_only")).rows[0];
    await set("set default_transaction_read_only = on");
    await expect.poll(readOnly).toEqual({ default_transaction_read_only: "on" });
    await Promise.all(backends.map((backend, n) => refuses("io_error", () => put(backend, "a", names[n]!, "new"))));
    await set("reset default_transaction_read_only");
    await expect.poll(readOnly).toEqual({ default_transaction_read_only: "off" });
    for (const [n, backend] of backends.entries()) expect(await textAt(backend, "a")).toBe(names[n]);
  });
});
