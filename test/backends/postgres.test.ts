// The conformance suite on a real PostgreSQL server, and what only a database has: tables, links as rows, files in pieces.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Backend, LINK_MODE, versionOf, Workspace } from "stet";
import { migrate, openPool, postgres } from "stet/backends/postgres";
import { testBackend } from "stet/testing";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../support/assertions.ts";
import { testDatabase } from "../support/database.ts";

const missing = missingPostgres();

it.skipIf(missing === undefined)("cannot be started here", (context) => context.skip(missing));

describe.skipIf(missing !== undefined)("PostgreSQL", async () => {
  if (missing !== undefined) return;
  const { url, pool, open, anotherPool } = await testDatabase();
  const at = (name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;

  await testBackend((workspace) => postgres({ database: pool, workspace }));

  const link = (target: string) => versionOf([Buffer.from(target)], LINK_MODE);
  async function linked(backend: Backend, at: string, target: string): Promise<void> {
    await backend.commit([change(at, null, link(target), true)], AUTHOR);
  }

  it("links are rows: followed within the workspace, and never out of it", async () => {
    const backend = await open("links");
    await write(backend, "dir/a", "x");
    await linked(backend, "to-a", "dir/a");
    await linked(backend, "to-dir", "dir");
    await linked(backend, "dir/up", "../to-a");
    await linked(backend, "out", "../elsewhere");
    await linked(backend, "absolute", "/etc/passwd");
    await linked(backend, "nowhere", "no/such");
    await linked(backend, "round", "round");
    const resolved = async (raw: string) => {
      const { path: at, kind, throughLink, via } = await backend.resolve(raw);
      return { at, kind, throughLink, via };
    };
    expect(await resolved("to-a")).toEqual({ at: "dir/a", kind: "file", throughLink: true, via: ["to-a"] });
    expect(await resolved("to-dir/a")).toEqual({ at: "dir/a", kind: "file", throughLink: true, via: ["to-dir/a"] });
    expect(await resolved("dir/up")).toMatchObject({ at: "dir/a", via: ["dir/up", "to-a"] });
    expect(await resolved("to-dir/../to-a")).toMatchObject({ at: "dir/a" });
    expect(await backend.resolve("to-a", { link: true })).toMatchObject({ path: "to-a", kind: "link" });
    expect(await resolved("nowhere")).toMatchObject({ at: "no/such", kind: "absent" });
    const { message } = await refuses("outside_workspace", () => backend.resolve("out"));
    expect(message).toContain("'out' is a symbolic link");
    await refuses("outside_workspace", () => backend.resolve("absolute"));
    await refuses("symlink_loop", () => backend.resolve("round"));
    await refuses("not_a_directory", () => backend.resolve("to-a/b"));
    expect(await backend.read(path("to-a"))).toMatchObject({ mode: LINK_MODE, size: 5 });
    const listed = await all(backend.list(path("")));
    expect(listed.filter(({ kind }) => kind === "link")).toHaveLength(6);
  });

  it("a link in the place of a directory is no way to write", async () => {
    const backend = await open("link-parents");
    await write(backend, "dir/a", "x");
    await linked(backend, "to-dir", "dir");
    await refuses("path_changed", () => backend.commit([change("to-dir/b", null, version("y"), true)], AUTHOR));
    await refuses("path_changed", () => backend.commit([change("to-dir/b", null, version("y"))], AUTHOR));
  });

  it("forgetting the version of a file that is there leaves the file its bytes", async () => {
    const backend = await open("forget");
    const now = await write(backend, "a", "x");
    expect(await backend.forget([now.sha])).toEqual({ dropped: 1, bytes: 1 });
    expect(await textAt(backend, "a")).toBe("x");
    expect(await backend.recall(now.sha)).toBeNull();
    await backend.commit([change("a", now.sha, version("y"))], AUTHOR);
    expect(await backend.recall(now.sha)).not.toBeNull();
  });

  it("how much there is, is counted with every change", async () => {
    const backend = await open("weigh");
    expect(await backend.weigh!()).toBeNull();
    await write(backend, "a", "12345");
    await write(backend, "a", "123");
    await write(backend, "b", "123");
    await backend.keep([version("kept by itself"), version("123")]);
    await backend.keep([version("kept by itself"), version("kept by itself")]);
    const lines = await all(backend.log());
    const { entries, versions, bytes, spareBytes } = (await backend.weigh!())!;
    const { rows } = await pool.query<{ n: number }>(
      "select sum(length(line)) + count(*) as n from entry e join workspace w on w.id = e.ws where w.name = 'weigh'",
    );
    expect({ entries, versions, bytes }).toEqual({
      entries: lines.length,
      versions: 3,
      bytes: rows[0]!.n + 5 + 3 + 14,
    });
    expect(spareBytes).toBe(5 + 3 + 14 - 6);
  });

  it("what a session was shown goes with it to another server", async () => {
    const [one, other] = [await open("ledger"), await open("ledger")];
    await write(one, "a", "one\ntwo\n");
    await new Workspace(one).session({ id: "moves" }).read("a");
    const there = new Workspace(other).session({ id: "moves" });
    await there.edit("a", () => [{ start: 0, end: 3, text: "six" }]);
    expect(await textAt(one, "a")).toBe("six\ntwo\n");
    await refuses("unread_file", () =>
      new Workspace(other).session({ id: "another" }).edit("a", () => [{ start: 0, end: 3, text: "x" }]),
    );
  });

  it("names that a text column does not take are kept all the same", async () => {
    const backend = await open("odd");
    const long = (letter: string) => `${letter}\0`.repeat(500);
    const authors = [
      { session: "s\0\ud800", agent: "a\0", tool: "t\u2028" },
      { session: long("s"), agent: long("a"), tool: long("t") },
      { session: long("S"), agent: long("A"), tool: long("T") },
    ];
    for (const [n, odd] of authors.entries()) {
      const { entry } = await backend.commit([change(`f${n}`, null, version("x"))], odd);
      for (const filter of [{ session: odd.session }, { agent: odd.agent }, { tool: odd.tool }])
        expect(await all(backend.log(filter))).toEqual([entry]);
      const session = new Workspace(backend).session({ id: odd.session });
      await session.read(`f${n}`);
      await session.edit(`f${n}`, () => [{ start: 0, end: 1, text: "y" }]);
    }
  });

  it("a path that no index takes is refused in words; the longest that one takes is written and listed", async () => {
    const backend = await open("long paths");
    const longest = `${`${"d".repeat(99)}/`.repeat(12)}${"f".repeat(50)}`;
    await write(backend, longest, "x");
    expect(await textAt(backend, longest)).toBe("x");
    const { message } = await refuses("invalid_path", () => write(backend, `${longest}f`, "x"));
    expect(message).toContain("1250 bytes, and 'ddd");
    expect(message).toContain("has 1251.");
    // counted in bytes, not in characters
    const accents = `${`${"é".repeat(99)}/`.repeat(6)}${"é".repeat(28)}`;
    await write(backend, accents, "x");
    expect((await refuses("invalid_path", () => write(backend, `${accents}f`, "x"))).message).toContain("has 1251.");
  });

  it("names that are no names of a workspace are refused", async () => {
    for (const name of ["", "  ", "a\0b", "a\nb", "x".repeat(201)]) {
      await refuses("invalid_input", () => postgres({ database: pool, workspace: name }));
      await refuses("invalid_input", () =>
        postgres({ database: pool, workspace: "w", tenant: name === "" ? " " : name }),
      );
    }
  });

  it("one winner, too, where the database has another isolation by default", async () => {
    await pool.query("create database strict");
    await pool.query("alter database strict set default_transaction_isolation to 'repeatable read'");
    const url = at("strict");
    const both = await Promise.all(["w", "w"].map((workspace) => postgres({ database: url, workspace })));
    const first = await write(both[0]!, "a", "start");
    const tries = Array.from({ length: 6 }, (_, i) =>
      both[i % 2]!.commit([change("a", first.sha, version(`${i}`))], AUTHOR),
    );
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const kinds = results.flatMap((each) => (each.status === "rejected" ? [each.reason.kind] : []));
    expect(new Set(kinds)).toEqual(new Set(["stale_file"]));
    for (const each of both) await each.close();
  });

  it("what is asked by itself sees what was committed before, too, where the database has another isolation by default", async () => {
    await pool.query("create database strictest");
    await pool.query("alter database strictest set default_transaction_isolation to 'serializable'");
    const other = await openPool(at("strictest"));
    expect((await other.query("show transaction_isolation")).rows).toEqual([
      { transaction_isolation: "read committed" },
    ]);
    await other.end();
  });

  it("so it is with a workspace that two make at the same moment", async () => {
    await pool.query("create database stricter");
    await pool.query("alter database stricter set default_transaction_isolation to 'repeatable read'");
    const other = await openPool(at("stricter"));
    await migrate(other);
    const making = await other.connect();
    await making.query("begin");
    await making.query("insert into workspace (tenant, name) values ('', 'w')");
    const opened = postgres({ database: other, workspace: "w" });
    const waits = "select 1 from pg_stat_activity where datname = 'stricter' and wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(waits)).rows.length).toBe(1);
    await making.query("commit");
    making.release();
    expect(await (await opened).read(path("a"))).toBeNull();
    await (await opened).close();
    await other.end();
  });

  it("an altered line is found, and is in no view", async () => {
    const backend = await open("altered");
    for (const text of ["1", "2", "3"]) await write(backend, "a", text);
    await pool.query(`update entry set line = convert_to(replace(convert_from(line, 'UTF8'), 'tester', 'forger'), 'UTF8')
      where seq = 2 and ws = (select id from workspace where name = 'altered')`);
    const found = await backend.verify();
    expect(found.problems.map(({ seq }) => seq)).toContain(2);
    expect((await all(backend.log())).map(({ seq }) => seq)).toEqual([1, 3]);
    await pool.query(`delete from entry where seq = 3 and ws = (select id from workspace where name = 'altered')`);
    expect((await backend.verify()).problems.map(({ problem }) => problem).join()).toContain("missing");
  });

  it("a watch that ends before it began holds no connection: the pool ends", async () => {
    const own = await anotherPool();
    const backend = await postgres({ database: own, workspace: "watched" });
    backend.watch!(() => {})();
    await own.query("select 1");
    await own.end();
  });

  it("the example of docs/fleet.md runs as it stands", async () => {
    const page = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
    const [, code = ""] = /^```ts fleet\n([\s\S]*?)^```$/m.exec(page)!;
    const directory = mkdtempSync(join(tmpdir(), "stet-fleet-"));
    const built = (name: string) => new URL(`../../dist/${name}/index.js`, import.meta.url).href;
    const file = join(directory, "example.mjs");
    writeFileSync(
      file,
      code
        .replace('"stet"', `"${built(".")}"`)
        .replace('"stet/backends/postgres"', `"${built("backends/postgres")}"`)
        .replace(/"postgres:[^"]*"/, `"${url}"`)
        .replace('"/var/cache/stet"', JSON.stringify(join(directory, "mirror"))),
    );
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    const backend = await open("web", { tenant: "acme" });
    expect(await textAt(backend, "today.md")).toBe("# Today\n");
    rmSync(directory, { recursive: true });
  });

  it("many servers that come at once make the tables once; tables of a newer stet are refused", async () => {
    await pool.query("create database fresh");
    const url = at("fresh");
    const pools = await Promise.all(Array.from({ length: 6 }, () => openPool(url)));
    await Promise.all(pools.map((each) => migrate(each)));
    const { rows } = await pools[0]!.query<{ version: number }>("select version from stet_schema");
    expect(rows).toHaveLength(1);
    await pools[0]!.query("update stet_schema set version = 99");
    const { message } = await refuses("unsupported", () => postgres({ database: url, workspace: "w" }));
    expect(message).toContain("Use a newer stet");
    for (const each of pools) await each.end();
  });
});
