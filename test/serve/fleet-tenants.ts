// Of a fleet: quotas, numbers and logs, a server that ends, and what the role of the servers may not do.
import { join } from "node:path";
import { openPool } from "stet/backends/postgres";
import type { HttpServing } from "stet/serve";
import { expect, it } from "vitest";
import type { Fleet } from "./fleet-support.ts";
import { modern, send } from "./http-support.ts";

export function ofTenants(
  fleet: Fleet,
  { one, other }: { readonly one: HttpServing; readonly other: HttpServing },
): void {
  const { pool, home, asServer, until, serve, command, token, ask, call, workspace } = fleet;
  const mirror = join(home, "mirror");

  it("a quota holds for all workspaces of a tenant together, and is told in words", async () => {
    const quota = (...args: string[]) => command("quota", ...args);
    const { token: owner } = await token({ tenant: "small", role: "owner" });
    const fill = (workspace: string, file: string, size: number, server = other) =>
      call(server, owner, "Write", { workspace, file_path: file, content: "x".repeat(size) });
    expect((await fill("first", "a", 1)).isError).toBe(false);
    expect((await quota("set", "small", "--bytes", "100K", "--files", "30")).out).toContain(
      "small may have 100.0 KiB, 30 files",
    );

    const names = Array.from({ length: 8 }, (_, n) => n);
    const places = names.map((n) => (n % 2 === 0 ? "first" : "second"));
    const many = await Promise.all(names.map((n) => fill(places[n]!, `f${n}`, 24_000 + n, n % 3 === 0 ? one : other)));
    const done = many.filter(({ isError }) => !isError).length;
    expect([done > 2, done < 6]).toEqual([true, true]);
    const [refused] = many.filter(({ isError }) => isError);
    expect([refused?.failure.kind, refused?.text]).toEqual([
      "disk_full",
      expect.stringMatching(/tenant 'small' has \d+ of 102400 bytes/),
    ]);
    const { tenants } = (await quota("list", "--json")).json();
    const small = tenants.find((each: { tenant: string }) => each.tenant === "small");
    // one that was refused has made its workspace
    expect([small.files, small.workspaces, small.bytes <= 110_000]).toEqual([done + 1, 2, true]);
    expect(small.bytes).toBeGreaterThan(102_400 - 30_000);
    expect((await fill("first", "tiny", 1)).isError).toBe(false);

    await quota("set", "small", "--files", `${done + 3}`);
    expect((await fill("second", "another", 1)).isError).toBe(false);
    expect((await fill("first", "one more", 1)).text).toContain(`has ${done + 3} of ${done + 3} files`);
    expect((await fill("first", "tiny", 2)).isError).toBe(false);

    await quota("set", "small", "--entries-per-second", "2");
    const hurried = await Promise.all(names.map((n) => fill("first", `hurried${n}`, 1)));
    const late = hurried.filter(({ isError }) => isError);
    expect([late.length >= 3, late[0]?.failure.kind, late[0]?.text]).toEqual([
      true,
      "busy",
      expect.stringContaining("2 changes a second"),
    ]);
    expect((await quota("remove", "small")).code).toBe(0);
    expect((await fill("first", "again", 300_000)).isError).toBe(false);
    expect((await quota("remove", "small")).err).toContain("has no quota");
    expect((await quota("set", "small")).err).toContain("needs a limit");
    const first = await workspace("small", "first");
    expect((await first.verify()).ok).toBe(true);
  });

  it("counts calls, refusals, commits, connections and copies for a token of its own, logs lines of JSON, and drains", async () => {
    const { token: secret } = await token();
    const end = new AbortController();
    const metricsToken = "m".repeat(32);
    const how = { http: { metricsToken, drainMs: 300 }, signal: until(end) };
    const server = await serve({ mirror }, ["--surface", "tracked", "--log-json"], how);
    const file = { workspace: "web", file_path: "metrics.txt" };
    await call(server, secret, "Write", { ...file, content: "x" });
    await call(server, secret, "Edit", { ...file, old_string: "none", new_string: "y" });
    await call(server, secret, "Read", { ...file, workspace: "nowhere" });
    await call(server, secret, "NoSuch", {});
    await call(server, secret, "Grep", { workspace: "web", pattern: "x" });
    const metrics = (given: string) => send({ ...server, token: given }, { method: "GET", path: "/metrics" });
    expect([(await metrics(secret)).status, (await metrics("wrong")).status]).toEqual([401, 401]);
    expect((await ask(server, metricsToken, modern("tools/list"))).status).toBe(401);
    expect((await send({ ...other, token: metricsToken }, { method: "GET", path: "/metrics" })).status).toBe(404);
    const { text, headers } = await metrics(metricsToken);
    expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
    for (const line of [
      'stet_calls_total{tool="Write",outcome="ok"} 1',
      'stet_calls_total{tool="Edit",outcome="refused"} 1',
      'stet_calls_total{tool="(unknown)",outcome="failed"} 1',
      'stet_refusals_total{kind="old_text_not_found"} 1',
      'stet_refusals_total{kind="not_found"} 1',
      'stet_http_requests_total{status="401"}',
      "stet_call_seconds_count 5",
      "stet_commit_seconds_count 1",
      "stet_mirror_seconds_count 1",
      "stet_workspaces_open 1",
      'stet_database_connections{state="idle"}',
    ])
      expect(text).toContain(line);
    expect(text).not.toMatch(/acme|ada|metrics\.txt/);

    const ready = async () => (await send(server, { method: "GET", path: "/readyz" })).status;
    expect(await ready()).toBe(200);
    end.abort();
    await expect.poll(ready).toBe(503);
    expect((await call(server, secret, "Read", file)).text).toContain("x");
    const { code, err } = await server.ran;
    const lines = err
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, lines[0].event, lines.at(-1).event]).toEqual([0, "ready", "ended"]);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: "call", tool: "Edit", refused: "old_text_not_found", principal: "acme/ada" }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ event: "request", status: 401, path: "/metrics" }));
    expect(err).not.toContain(secret);
  });

  it("tells an operator quotas, waits and failures of the database apart, whatever the surface calls them", async () => {
    const { token: owner } = await token({ tenant: "kinds", role: "owner" });
    const metricsToken = "k".repeat(32);
    const server = await serve({}, ["--surface", "workspace", "--log-json"], { http: { metricsToken } });
    const quota = (...args: string[]) => command("quota", ...args);
    const create = (path: string, size = 1) =>
      call(server, owner, "create_file", { workspace: "w", path, content: "x".repeat(size) });
    expect((await create("a")).isError).toBe(false);
    await quota("set", "kinds", "--bytes", "10K");
    expect((await create("b", 20_000)).failure.kind).toBe("command_failed");
    await quota("set", "kinds", "--entries-per-second", "1");
    const hurried = await Promise.all(["c", "d", "e", "f"].map((name) => create(name)));
    expect(hurried.flatMap(({ failure }) => failure?.kind ?? [])).toContain("command_failed");
    await quota("remove", "kinds");
    await pool.query("update blob set bytes = 'y' where ws = (select id from workspace where tenant = 'kinds')");
    const elsewhere = await serve({}, ["--surface", "workspace"], { http: { metricsToken } });
    const damaged = await call(elsewhere, owner, "read_file", { workspace: "w", path: "a" });
    expect(damaged.failure.kind).toBe("unknown");
    const text = async (at: HttpServing) =>
      (await send({ ...at, token: metricsToken }, { method: "GET", path: "/metrics" })).text;
    expect(await text(server)).toContain('stet_refusals_total{kind="disk_full"} 1');
    expect(await text(server)).toMatch(/stet_refusals_total\{kind="busy"\} [1-4]/);
    expect(await text(elsewhere)).toContain('stet_refusals_total{kind="journal_damaged"} 1');
  });

  it("under that role, workspaces of a tenant that are changed at the same moment each get their own", async () => {
    const { token: secret } = await token({ tenant: "neighbours", role: "owner" });
    const names = Array.from({ length: 6 }, (_, n) => `w${n}`);
    const atOnce = (tool: string, more: (name: string) => object) =>
      Promise.all(names.map((name) => call(other, secret, tool, { workspace: name, file_path: "a", ...more(name) })));
    await atOnce("Write", (name) => ({ content: `first of ${name}` }));
    for (let round = 0; round < 3; round++) {
      const old = (name: string): string => `${round === 0 ? "first" : round} of ${name}`;
      const made = await atOnce("Edit", (name) => ({ old_string: old(name), new_string: `${round + 1} of ${name}` }));
      expect(made.map(({ isError }) => isError)).toEqual(names.map(() => false));
    }
    const read = await atOnce("Read", () => ({}));
    for (const [n, { text }] of read.entries()) expect(text).toContain(`3 of w${n}`);
    for (const name of names) expect((await (await workspace("neighbours", name)).verify()).ok).toBe(true);
  });

  it("the role of the servers sees the workspaces that it names, one token, and changes no entry, whatever it asks", async () => {
    const { token: secret } = await token();
    await call(other, secret, "Read", { workspace: "web", file_path: "a.txt" });
    const server = await openPool(asServer, { connections: 1 });
    const tables = ["workspace", "node", "blob", "chunk", "entry", "change", "used", "seen", "quota", "pace", "token"];
    const seen = async (table: string, what = "count(*)") => {
      const { rows } = await server.query<{ n: unknown }>(`select ${what} as n from ${table}`);
      return rows[0]?.n;
    };
    for (const table of tables) expect([table, await seen(table)]).toEqual([table, 0]);

    const number = async (tenant: string) =>
      (await pool.query<{ id: number }>(`select id from workspace where name = 'web' and tenant = '${tenant}'`))
        .rows[0]!.id;
    const [own, theirs] = [await number("acme"), await number("umbrella")];
    await server.query(`select set_config('stet.tenant', 'acme', false), set_config('stet.ws', '${own}', false)`);
    for (const table of tables.slice(1, 8))
      expect([table, await seen(table, `count(*) filter (where ws <> ${own})`)]).toEqual([table, 0]);
    expect(await seen("node")).toBeGreaterThan(0);
    expect(await seen("workspace", "count(*) filter (where tenant <> 'acme')")).toBe(0);
    expect(await seen("token")).toBe(0);

    const [second] = (await pool.query<{ id: number }>("select id from workspace where tenant = 'neighbours'")).rows;
    await server.query(`select set_config('stet.ws', '${own},${second!.id}', false)`);
    for (const table of tables.slice(1, 8))
      expect([table, await seen(table, `count(*) filter (where ws not in (${own}, ${second!.id}))`)]).toEqual([
        table,
        0,
      ]);
    expect(await seen("node", "count(distinct ws)")).toBe(2);
    for (const none of ["''", "','", "'0'"]) {
      await server.query(`select set_config('stet.ws', ${none}, false)`).catch(() => {});
      expect([none, await seen("node").catch(() => 0)]).toEqual([none, 0]);
    }
    await server.query(`select set_config('stet.ws', '${own}', false)`);

    const tried = (text: string) =>
      server.query(text).then(
        ({ rowCount }) => rowCount,
        ({ code }) => code,
      );
    expect(await tried(`update node set size = 0 where ws = ${theirs}`)).toBe(0);
    expect(await tried(`delete from blob where ws = ${theirs}`)).toBe(0);
    expect(await tried(`insert into change values (${theirs}, 'x', 1)`)).toBe("42501");
    expect(await tried(`update workspace set seq = 0 where tenant = 'umbrella'`)).toBe(0);
    expect(await tried(`insert into workspace (tenant, name) values ('umbrella', 'x')`)).toBe("42501");
    for (const forbidden of ["update entry set line = ''", "delete from entry", "truncate node", "drop table node"])
      expect(await tried(forbidden)).toBe("42501");
    for (const forbidden of ["insert into token values ('x')", "update token set role = 'owner'", "create table x ()"])
      expect(await tried(forbidden)).toBe("42501");
    await server.end();
  });

  it("a server whose role may not renew the tables says so", async () => {
    const { rows } = await pool.query<{ version: number }>("select version from stet_schema");
    await pool.query("update stet_schema set version = 0");
    await expect(serve({ url: asServer })).rejects.toThrow("its role may not make them");
    await pool.query({ text: "update stet_schema set version = $1", values: [rows[0]!.version] });
  });
}
