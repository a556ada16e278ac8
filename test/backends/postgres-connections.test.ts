// How the database is talked to: by connections that keep their sessions, with few messages, and without one caller's trouble for another.
import { connect, createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { type Client, openPool } from "../../src/backends/postgres/connection/client.ts";
import { together } from "../../src/backends/postgres/connection/together.ts";
import { postgres } from "../../src/backends/postgres/index.ts";
import { Refusal } from "../../src/core/failure.ts";
import { bytesOf } from "../../src/core/version.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { AUTHOR, change, path, version, write } from "../../src/testing/assertions.ts";
import { stet } from "../support/cli.ts";
import { clientClass, openSome, statements } from "../support/database.ts";
import { startPooler } from "../support/pooler.ts";

describe.skipIf(missingPostgres() !== undefined)("connections to PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });

  /** Hints, whose rows a connection may see, and what a new one is asked first are sent now and then. */
  const isNoHint = (name: string): boolean => !/^(?:stet-tell|stet-scope|select pg_backend_pid\(\))/.test(name);

  it("a pooler that hands connections on after each transaction is refused, by doctor as well", async () => {
    const pooler = await startPooler(server.port);
    try {
      const opening = postgres({ database: pooler.url, workspace: "pooled" });
      await expect(opening).rejects.toThrow(/hands connections on after each transaction/);
      const { code, out } = await stet(["doctor", "--root", `${pooler.url}/pooled`], { cwd: tmpdir() });
      expect([code, out]).toEqual([1, expect.stringMatching(/fail +server .*hands connections on[\s\S]*mode session/)]);
    } finally {
      pooler.close();
    }
    const rows = await pool.query("select 1 from pg_tables where tablename = 'workspace'");
    expect(rows.rows).toEqual([]);
  });

  it("a server that is older than 15 is refused in words, and nothing is made there", async () => {
    const { rows } = await pool.query<{ server_version_num: string }>("show server_version_num");
    const old = await startOlder(server.port, rows[0]!.server_version_num);
    try {
      const refused = await postgres({ database: old.url, workspace: "old" }).catch((error: Refusal) => error);
      expect(refused).toBeInstanceOf(Refusal);
      expect((refused as Refusal).failure).toMatchObject({
        kind: "unsupported",
        message: "This database is PostgreSQL 14.",
        suggestedAction: "stet needs PostgreSQL 15 or newer.",
      });
      expect((await stet(["doctor", "--root", `${old.url}/old`], { cwd: tmpdir() })).out).toMatch(
        /fail +server .*\n.*15 or newer/,
      );
    } finally {
      old.close();
    }
    expect((await pool.query("select 1 from pg_tables where tablename = 'workspace'")).rows).toEqual([]);
  });

  it("a process may have one connection only", async () => {
    const only = await openPool(server.url, { connections: 1 });
    const backend = await postgres({ database: only, workspace: "only" });
    await write(backend, "a", "x");
    await backend.close();
    await only.end();
  });

  it("a change takes one statement, and what is asked before it another one", async () => {
    const workspace = new Workspace(await postgres({ database: pool, workspace: "pieces" }));
    const session = workspace.session();
    const { files } = await session.create("a", "one\n");
    let sha = files[0]!.after!;
    for (const text of ["two\n", "three\n"])
      sha = (await session.write("a", text, { expectedSha256: sha })).files[0]!.after!;
    await openSome(pool, 4);
    const sent = statements(pool);
    const writes = countWrites(server.port);
    await session.write("a", "four\n", { expectedSha256: sha });
    const commit = sent.filter(isNoHint);
    expect(commit).toEqual(["stet-look", "stet-if+blobs+keep+place+enter+find+use+show+sum+commit"]);
    // each in one piece, of which a hint may add some: a statement has at least four messages
    expect(writes()).toBeLessThan(8);
    await workspace.close();
  });

  it("of what another server changed the look tells, so that it takes no more", async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(async () => new Workspace(await postgres({ database: pool, workspace: "pieces, two servers" }))),
    );
    const session = one!.session();
    const { files } = await session.create("a", "one\n");
    await other!.session().create("b", "two\n");
    await openSome(pool, 4);
    const sent = statements(pool);
    await session.write("a", "three\n", { expectedSha256: files[0]!.after! });
    const commit = sent.filter(isNoHint);
    expect(commit).toEqual(["stet-look", "stet-if+blobs+keep+place+enter+find+use+show+sum+commit"]);
    await Promise.all([one!.close(), other!.close()]);
  });

  it("what is read is asked for once, and written down as seen", async () => {
    const workspace = new Workspace(await postgres({ database: pool, workspace: "read in pieces" }));
    const session = workspace.session();
    await session.create("dir/a", "one\n", { createParents: true });
    const sent = statements(pool);
    await session.read("dir/a");
    expect(sent.filter(isNoHint)).toEqual(["stet-look", "stet-show"]);
    await workspace.close();
  });

  it("what sessions ask at one moment is asked once, on one connection", async () => {
    const backend = await postgres({ database: pool, workspace: "moment" });
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    for (const name of names) await write(backend, name, `of ${name}`);
    const sent = statements(pool);
    const read = await Promise.all(names.map((name) => backend.read(path(name))));
    expect(read.map((each) => Buffer.from(bytesOf(each!)).toString())).toEqual(names.map((name) => `of ${name}`));
    expect(sent.filter((name) => name === "stet-read")).toHaveLength(1);
    expect(sent.filter((name) => name === "stet-scope").length).toBeLessThanOrEqual(1);
    await backend.close();
  });

  it("what is found by its key is found by that, and nothing else is held to it", async () => {
    const few = await openPool(server.url, { connections: 1 });
    const backend = await postgres({ database: few, workspace: "keys" });
    await write(backend, "a", "1");
    const plans = async () => {
      const text = "select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scans";
      return (await few.query(text)).rows[0];
    };
    await backend.resolve("a");
    expect(await plans()).toEqual({ mode: "force_generic_plan", scans: "off" });
    await backend.verify();
    expect(await plans()).toEqual({ mode: "auto", scans: "on" });
    await backend.close();
    await few.end();
  });

  it("changes that come while another server has the lock are made together, in one transaction", async () => {
    const backend = await postgres({ database: pool, workspace: "crowd" });
    await write(backend, "b", "old");
    const from = version("old").sha;
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select 1 from workspace where name = 'crowd' for update");
    const sent = statements(pool);
    const first = backend.commit([change("a", null, version("1"))], AUTHOR);
    await expect.poll(() => sent.includes("stet-standing")).toBe(true);
    const others = [
      backend.commit([change("dir/c", null, version("2"), true)], AUTHOR),
      backend.commit([change("b", from, version("3"))], AUTHOR),
      // stale by then
      backend.commit([change("b", from, version("4"))], AUTHOR),
      backend.commit([change("d", null, version("1"))], AUTHOR),
    ];
    const settled = Promise.allSettled([first, ...others]);
    await holder.query("commit");
    holder.release();
    const outcomes = (await settled).map((each) => (each.status === "fulfilled" ? "made" : each.reason.kind));
    expect(outcomes).toEqual(["made", "made", "made", "stale_file", "made"]);
    const asked =
      "select distinct entry.xmin from entry join workspace on ws = id where name = 'crowd' and entry.seq > 1";
    expect((await pool.query(asked)).rows).toHaveLength(1);
    for (const [name, text] of Object.entries({ a: "1", "dir/c": "2", b: "3", d: "1" }))
      expect(Buffer.from(bytesOf((await backend.read(path(name)))!)).toString()).toBe(text);
    expect(await backend.verify()).toMatchObject({ ok: true, entries: 5 });
    await backend.close();
  });

  it("of changes just before the end, those who watch are told", async () => {
    const watching = await postgres({ database: server.url, workspace: "last" });
    const changing = await postgres({ database: server.url, workspace: "last" });
    let told = 0;
    watching.watch!(() => {
      told++;
    });
    await expect.poll(() => told).toBe(1);
    for (const text of ["1", "2"]) await write(changing, "a", text);
    await changing.close();
    await expect.poll(() => told).toBe(3);
    await watching.close();
  });

  it("what one asks wrongly is not told to those who ask at the same moment", async () => {
    const database = {} as Parameters<ReturnType<typeof together>>[0];
    const asked: number[][] = [];
    const ask = together(async (_database, keys: readonly number[]) => {
      asked.push([...keys]);
      if (keys.includes(2)) throw new Refusal("invalid_input", "Two is wrong.");
      return keys.map((key) => key * 10);
    });
    const answers = await Promise.allSettled([1, 2, 3].map((key) => ask(database, key)));
    expect(answers).toMatchObject([{ value: 10 }, { reason: { kind: "invalid_input" } }, { value: 30 }]);
    expect(asked).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it("what fails with its connection is told to all who asked, and is not asked by each", async () => {
    const database = {} as Parameters<ReturnType<typeof together>>[0];
    let asked = 0;
    const ask = together(async () => {
      asked++;
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    });
    const answers = await Promise.allSettled([1, 2, 3].map((key) => ask(database, key)));
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(asked).toBe(1);
  });

  it("bytes that were read or written here are not sent again, and what is done to them stays with the one who did it", async () => {
    const backend = await postgres({ database: pool, workspace: "lately" });
    const mine = Buffer.from("one");
    const first = { ...version("one"), parts: [mine] };
    await backend.commit([change("a", null, first)], AUTHOR);
    mine.fill("x");
    const sent: number[] = [];
    const read = async (at = "a") => {
      const { prototype } = clientClass(pool);
      const { query } = prototype;
      vi.spyOn(prototype, "query").mockImplementation(async function (this: Client, ...args) {
        const answer = await query.apply(this, args);
        for (const row of answer.rows as { bytes?: Buffer | null }[]) if (row.bytes) sent.push(row.bytes.length);
        return answer;
      });
      const found = await backend.read(path(at));
      vi.restoreAllMocks();
      return found!;
    };
    for (let n = 0; n < 2; n++) {
      const { parts } = await read();
      expect(Buffer.concat(parts as Uint8Array[]).toString()).toBe("one");
      for (const part of parts) part.fill(0);
    }
    expect(sent).toEqual([]);
    const other = await postgres({ database: server.url, workspace: "lately" });
    await other.commit([change("a", first.sha, version("two, of another"))], AUTHOR);
    expect(Buffer.from(bytesOf(await read())).toString()).toBe("two, of another");
    expect(sent).toEqual([15]);
    expect(Buffer.from(bytesOf(await read())).toString()).toBe("two, of another");
    expect(sent).toEqual([15]);
    // nor are they of a version that was in the store when it was written here
    await backend.commit([change("b", null, version("two, of another"))], AUTHOR);
    expect(Buffer.from(bytesOf(await read("b"))).toString()).toBe("two, of another");
    expect(sent).toEqual([15]);
    for (const each of [backend, other]) await each.close();
  });
});

/** What goes out to this port, piece by piece. */
function countWrites(port: number): () => number {
  let count = 0;
  for (const name of ["_write", "_writev"] as const) {
    const real = Socket.prototype[name] as (...args: unknown[]) => unknown;
    vi.spyOn(Socket.prototype, name as "_write").mockImplementation(function (this: Socket, ...args: unknown[]) {
      if (this.remotePort === port) count++;
      return real.apply(this, args) as undefined;
    });
  }
  return () => count;
}

/** The same server, which says that it is of version 14. */
async function startOlder(port: number, version: string) {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
    client.pipe(database);
    database.on("data", (bytes) => {
      const at = bytes.indexOf(version);
      if (at !== -1) bytes.write("140011", at);
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: own } = proxy.address() as { port: number };
  return {
    url: `postgres://stet@127.0.0.1:${own}/postgres`,
    close() {
      for (const each of sockets) each.destroy();
      proxy.close();
    },
  };
}
