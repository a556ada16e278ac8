// What a tenant may have and do, to the byte; how much of what sessions were shown is kept; and how a server talks to a database that it may or may not use.
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { type Backend, bytesOf, type Refusal, type Seen, type Sha, shaOf, Workspace } from "stet";
import { postgres } from "stet/backends/postgres";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { ROLE } from "../serve/fleet-support.ts";
import { AUTHOR, change, path, refuses, version, write } from "../support/assertions.ts";
import { stet } from "../support/cli.ts";
import { limit, put, testDatabase, untilWaiting, whileHeld } from "../support/database.ts";
import { startPooler } from "../support/pooler.ts";

const KIB = 1024;
const RESERVE = KIB * KIB;

describe.skipIf(missingPostgres() !== undefined)("a quota in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { url, pool, open } = await testDatabase();
  const of = (tenant: string, workspace = "w"): Promise<Backend> => open(workspace, { tenant });

  async function used(tenant: string): Promise<number> {
    const { out } = await stet(["quota", "list", "--database", url, "--json"], { cwd: tmpdir() });
    const tenants = Object.values(JSON.parse(out)).flat() as { tenant?: string; bytes?: number }[];
    return tenants.find((each) => each?.tenant === tenant)?.bytes ?? 0;
  }

  async function untilRefused(work: (n: number) => Promise<unknown>): Promise<{ done: number; message: string }> {
    for (let n = 0; n < 2_000; n++) {
      const refusal = await work(n).then(
        () => undefined,
        (error: Refusal) => error,
      );
      if (refusal !== undefined) return { done: n, message: refusal.failure.message };
    }
    throw new Error("It was never refused.");
  }

  it("what fits to the byte is written, and one byte more is not", async () => {
    await write(await of("measured"), "a", "content\n");
    const bytes = await used("measured");
    expect(bytes).toBeGreaterThan(100);
    await limit(pool, "fits", { bytes });
    await write(await of("fits"), "a", "content\n");
    expect(await used("fits")).toBe(bytes);
    await limit(pool, "tight", { bytes: bytes - 1 });
    const tight = await of("tight");
    await refuses("disk_full", () => write(tight, "a", "content\n"));
    expect(await used("tight")).toBe(0);
  });

  it("counts entries without new content, what is only kept, and directories, which stay when their last file goes", async () => {
    const backend = await of("forth");
    const note = { message: "-a\n+b\n".repeat(300) };
    const [one, two] = [version("one\n"), version("two\n")];
    await backend.commit([change("a", null, one)], AUTHOR);
    await limit(pool, "forth", { bytes: 40 * KIB });
    let at: Sha = one.sha;
    const { done, message } = await untilRefused(async () => {
      const next = at === one.sha ? two : one;
      await backend.commit([change("a", at, next)], AUTHOR, note);
      at = next.sha;
    });
    expect(done).toBeGreaterThan(5);
    expect(message).toMatch(/^The tenant 'forth' has \d+ of 40960 bytes, its history included, and its entry in the /);
    expect(await used("forth")).toBeLessThanOrEqual(40 * KIB);

    await limit(pool, "kept", { bytes: 10 * KIB });
    const kept = await of("kept");
    await kept.keep([version("x".repeat(8 * KIB))]);
    await refuses("disk_full", () => kept.keep([version("y".repeat(8 * KIB))]));

    await limit(pool, "deep", { bytes: 2 * KIB * KIB });
    const deep = await of("deep");
    const directories = await untilRefused(async (n) => {
      const file = `${n}/${"d/".repeat(200)}f`;
      await deep.commit([change(file, null, version(""), true)], AUTHOR);
      await deep.commit([change(file, shaOf([]), null)], AUTHOR);
    });
    expect(directories.done).toBeLessThan(15);
  });

  it("lets deletions, moves and notes go on, each in a reserve; a change that also makes a file has none", async () => {
    const backend = await of("reserve");
    const content = version("x".repeat(9 * KIB));
    await backend.commit([change("a", null, content)], AUTHOR);
    await limit(pool, "reserve", { bytes: 10 * KIB });
    await refuses("disk_full", () => write(backend, "b", "y".repeat(KIB)));
    const both = [change("a", content.sha, null), change("new", null, version("y".repeat(20 * KIB)))];
    await refuses("disk_full", () => backend.commit(both, AUTHOR));
    const moved = [{ ...change("m", null, content), movedFrom: path("a") }, change("a", content.sha, null)];
    await backend.commit(moved, AUTHOR, { message: "x".repeat(4 * KIB) });
    await backend.commit([change("m", content.sha, null)], AUTHOR);
    const note = { ...AUTHOR, outcome: "note", changes: [], details: { text: "x".repeat(32 * KIB) } } as const;
    const { done } = await untilRefused(() => backend.record(note));
    expect(done).toBeGreaterThan(RESERVE / (64 * KIB));
    expect(await used("reserve")).toBeLessThan(10 * KIB + 2 * RESERVE);
    expect(await backend.forget([content.sha])).toMatchObject({ dropped: 1 });
    await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  });

  it("of files is told in words that help, and leaves what is there to be changed and deleted", async () => {
    const backend = await of("many");
    for (const name of ["a", "b"]) await write(backend, name, name);
    await limit(pool, "many", { files: 1 });
    const { failure } = await refuses("disk_full", () => write(backend, "d", "d"));
    expect(failure).toMatchObject({
      message: "The tenant 'many' has 2 of 1 files, and this makes 1 more.",
      suggestedAction: "Delete files that are not needed, or ask the owner of the server for more.",
    });
    await write(backend, "a", "changed");
    await backend.commit([change("b", version("b").sha, null)], AUTHOR);
  });

  it("changes in two workspaces of a tenant wait for each other, and the second counts what the first made", async () => {
    const backend = await of("turns");
    await of("turns", "other");
    await limit(pool, "turns", { files: 1 });
    const first = `select 1 from pace where tenant = 'turns' for no key update`;
    await whileHeld(url, first, async (free) => {
      const second = refuses("disk_full", () => write(backend, "a", "a"));
      second.catch(() => {});
      await untilWaiting(pool);
      await pool.query("update workspace set files = 1 where tenant = 'turns' and name = 'other'");
      await free();
      expect((await second).message).toContain("has 1 of 1 files");
    });
  });

  it("of changes a second: a rest saves up no more than one second, and a clock put back takes nothing away", async () => {
    const [rested, back] = [await of("rested"), await of("back")];
    for (const tenant of ["rested", "back"]) await limit(pool, tenant, { perSecond: 0.001 });
    await pool.query("update pace set level = 0, at = now() - interval '10 days' where tenant = 'rested'");
    await write(rested, "a", "1");
    await refuses("busy", () => write(rested, "a", "2"));
    await pool.query("update pace set level = 1, at = now() + interval '10 days' where tenant = 'back'");
    await write(back, "a", "1");
  });
});

describe.skipIf(missingPostgres() !== undefined)("what sessions were shown, in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { pool, open } = await testDatabase();
  const SEEN: Seen = { sha: shaOf([]), lines: 1, shown: [{ from: 1, to: 1 }] };

  it("is forgotten of a session that was not heard of for a month, and of no other", async () => {
    const backend = await open("days");
    for (const session of ["gone", "goes on"]) await backend.ledger!(session).set(path("a"), SEEN);
    await pool.query("update seen set at = now() - interval '31 days'");
    await backend.ledger!("goes on").set(path("a"), SEEN);
    const next = await open("days");
    await expect.poll(() => next.ledger!("gone").get(path("a"))).toBeUndefined();
    expect(await next.ledger!("goes on").get(path("a"))).toMatchObject(SEEN);
  });

  it("is bounded over all sessions together, however young it is", async () => {
    const backend = await open("many");
    await pool.query(`insert into seen (ws, key, seen, at) select w.id, 'k' || n, '{}', now() - n * interval '1 second'
        from workspace w, generate_series(1, 100500) n where w.name = 'many'`);
    await backend.ledger!("young").set(path("a"), SEEN);
    const next = await open("many");
    const text = "select count(*)::int as n from seen s join workspace w on w.id = s.ws where w.name = 'many'";
    const count = async () => (await pool.query<{ n: number }>(text)).rows[0]!.n;
    await expect.poll(count).toBeLessThanOrEqual(100_001);
    expect(await next.ledger!("young").get(path("a"))).toMatchObject(SEEN);
  });

  it("is a session's own to unsee or clear", async () => {
    const backend = await open("clear");
    for (const session of ["one", "other"])
      for (const name of ["a", "b"]) await backend.ledger!(session).set(path(name), SEEN);
    const one = backend.ledger!("one");
    await one.delete(path("a"));
    expect([await one.get(path("a")), await one.get(path("b"))]).toEqual([undefined, SEEN]);
    await one.clear!();
    expect(await one.get(path("b"))).toBeUndefined();
    expect(await backend.ledger!("other").get(path("a"))).toMatchObject(SEEN);
  });
});

describe.skipIf(missingPostgres() !== undefined)("connections to PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, url, pool, open, at, anotherPool, asServer } = await testDatabase();

  it("a pooler that hands connections on after each transaction is refused, by doctor as well", async () => {
    const pooler = await startPooler(server.port);
    try {
      const opening = postgres({ database: at(pooler.url), workspace: "pooled" });
      await expect(opening).rejects.toThrow(/hands connections on after each transaction/);
      const { code, out } = await stet(["doctor", "--root", `${at(pooler.url)}/pooled`], { cwd: tmpdir() });
      expect([code, out]).toEqual([1, expect.stringMatching(/fail +server .*hands connections on[\s\S]*mode session/)]);
    } finally {
      pooler.close();
    }
  });

  it("a server that is older than 15 is refused in words", async () => {
    const { rows } = await pool.query<{ server_version_num: string }>("show server_version_num");
    const old = await startOlder(server.port, rows[0]!.server_version_num);
    try {
      const refused = await postgres({ database: at(old.url), workspace: "old" }).catch((error: Refusal) => error);
      expect((refused as Refusal).failure).toMatchObject({
        kind: "unsupported",
        message: "This database is PostgreSQL 14.",
        suggestedAction: "stet needs PostgreSQL 15 or newer.",
      });
    } finally {
      old.close();
    }
  });

  it("one connection is enough, and so is the role of servers, which sees one workspace at a time", async () => {
    await put(await open("hidden"), "a", null, "0");
    const own = await anotherPool({ connections: 1 }, await asServer(ROLE));
    const backends = [await open("hidden", { database: own }), await open("beside", { database: own })];
    await put(backends[1]!, "a", null, "1");
    const kinds = await Promise.all(backends.map(async (each) => (await each.resolve("a")).kind));
    expect(kinds).toEqual(["file", "file"]);
    const session = new Workspace(backends[0]!).session();
    expect((await session.read("a")).body).toBe("0");
    await session.write("a", "2");
    expect((await backends[0]!.verify()).ok).toBe(true);
  });

  it("bytes that a caller was given or gave are the caller's own to change", async () => {
    const [backend, other] = [await open("own"), await open("own", { database: url })];
    const mine = Buffer.from("one");
    await backend.commit([change("a", null, { ...version("one"), parts: [mine] })], AUTHOR);
    mine.fill("x");
    for (let n = 0; n < 2; n++) {
      const { parts } = (await backend.read(path("a")))!;
      expect(Buffer.concat(parts as Uint8Array[]).toString()).toBe("one");
      for (const part of parts) part.fill(0);
    }
    await put(other, "a", "one", "two, of another");
    expect(Buffer.from(bytesOf((await backend.read(path("a")))!)).toString()).toBe("two, of another");
  });
});

/** The same server, which says that it is of version 14. */
async function startOlder(port: number, number: string) {
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
      const found = bytes.indexOf(number);
      if (found !== -1) bytes.write("140011", found);
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
