// Servers of a database: workspaces are found by name, tokens say who reaches which, and what is another's is as if it were not there.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { migrate, openPool, postgres } from "../../src/backends/postgres/index.ts";
import { SCHEMA } from "../../src/backends/postgres/schema/migrate.ts";
import { PRIVILEGES } from "../../src/backends/postgres/schema/privileges.ts";
import { createToken, type NewToken, revokeToken } from "../../src/backends/postgres/tenants/tokens.ts";
import type { HttpServing } from "../../src/serve/http/options.ts";
import { all, path, textAt, write } from "../../src/testing/assertions.ts";
import { stet } from "../support/cli.ts";
import { HEADERS_2025, INITIALIZE, JSON_HEADERS, modern, type Raw, send } from "./http-support.ts";

const page = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
const [, ROLE = ""] = /^```sql role\n([\s\S]*?)^```$/m.exec(page)!;

describe.skipIf(missingPostgres() !== undefined)("a fleet", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(database.url);
  const home = mkdtempSync(join(tmpdir(), "stet-fleet-"));
  const ending = new AbortController();
  const ended: Promise<unknown>[] = [];
  afterAll(async () => {
    ending.abort();
    await Promise.all(ended);
    await pool.end();
    await database.remove();
    rmSync(home, { recursive: true });
  });

  /** `stet serve --config fleet.json`, as its owner starts it. */
  async function serve(more: object = {}, args: readonly string[] = ["--surface", "tracked"]): Promise<HttpServing> {
    const config = join(home, `${ended.length}.json`);
    writeFileSync(config, JSON.stringify({ database: { url: database.url, ...more } }));
    return new Promise((resolve, reject) => {
      const ran = stet(["serve", "--config", config, "--port", "0", "--json", ...args], {
        cwd: home,
        signal: ending.signal,
        onOut: (text) => JSON.parse(text).ok === false || resolve(JSON.parse(text)),
      });
      ended.push(ran);
      ran.then(({ code, err }) => reject(new Error(`ended with ${code}: ${err}`)), reject);
    });
  }

  async function token(asked: Partial<NewToken> = {}): Promise<{ token: string; id: string }> {
    const made = await createToken(pool, {
      tenant: "acme",
      principal: "ada",
      role: "write",
      workspaces: ["*"],
      ...asked,
    });
    return { token: made.token, id: made.about.id };
  }

  const ask = async (server: HttpServing, secret: string, raw: Raw) => {
    const answer = await send({ ...server, token: secret }, raw);
    const text = answer.text.startsWith("{") ? answer.text : (/^data: (\{.*)$/m.exec(answer.text)?.[1] ?? "{}");
    return { status: answer.status, ...JSON.parse(text) };
  };

  const call = async (server: HttpServing, secret: string, name: string, input: object) => {
    const { status, result, error } = await ask(server, secret, modern("tools/call", { name, arguments: input }));
    const text: string = result?.content?.[0]?.text ?? error?.message ?? "";
    return { status, text, isError: result?.isError === true, failure: result?._meta?.["stet/failure"] };
  };

  async function workspace(tenant: string, name: string, files: Readonly<Record<string, string>> = {}) {
    const backend = await postgres({ database: pool, tenant, workspace: name });
    for (const [file, content] of Object.entries(files)) await write(backend, file, content);
    return backend;
  }

  const mirror = join(home, "mirror");
  await migrate(pool);
  await pool.query(ROLE);
  const asServer = database.url.replace("stet@", "stet_server@");
  const [one, other] = [await serve({ idleMs: 150, mirror }), await serve({ url: asServer })];
  const web = await workspace("acme", "web", { "a.txt": "one\ntwo\n" });
  const secretOfOthers = await workspace("umbrella", "web", { "a.txt": "of umbrella\n" });
  await workspace("acme", "vault", { "a.txt": "of the vault\n" });

  it("serves a workspace that no start has named, at every server, and the journal names the principal", async () => {
    const { token: secret } = await token();
    const read = await call(one, secret, "Read", { workspace: "web", file_path: "a.txt" });
    expect(read).toMatchObject({ status: 200, isError: false });
    expect(read.text).toMatch(/^Workspace web:\n[\s\S]*one/);
    const edit = { workspace: "web", file_path: "a.txt", old_string: "one", new_string: "1" };
    const edited = await call(other, secret, "Edit", edit);
    expect([edited.text, edited.isError]).toEqual([expect.stringContaining("a.txt"), false]);
    expect(await textAt(web, "a.txt")).toBe("1\ntwo\n");
    const [newest] = await all(web.log({ newestFirst: true, limit: 1 }));
    expect(newest).toMatchObject({ agent: "ada", session: "@ada", tool: "Edit" });
    expect(await textAt(secretOfOthers, "a.txt")).toBe("of umbrella\n");
  });

  it("tells no names: neither in schemas nor in instructions, lists or templates", async () => {
    const { token: secret } = await token();
    const listed = await ask(one, secret, modern("tools/list"));
    const { properties, required } = listed.result.tools[0].inputSchema;
    expect([properties.workspace.type, properties.workspace.enum, required]).toEqual([
      "string",
      undefined,
      expect.arrayContaining(["workspace"]),
    ]);
    const discovered = await ask(one, secret, modern("server/discover"));
    expect(discovered.result.instructions).toContain("which are not listed");
    const resources = await ask(one, secret, modern("resources/list"));
    expect(resources.result.resources).toEqual([]);
    const templates = await ask(one, secret, modern("resources/templates/list"));
    expect(templates.result.resourceTemplates.map((each: { uriTemplate: string }) => each.uriTemplate)).toEqual([
      "stet://{workspace}/{path}",
    ]);
    for (const each of [listed, discovered, resources, templates])
      expect(JSON.stringify(each)).not.toMatch(/vault|umbrella|acme/);
    expect((await call(one, secret, "Read", { file_path: "a.txt" })).text).toContain("`workspace` is missing");
  });

  it("a token for one workspace need not name it", async () => {
    const { token: secret } = await token({ workspaces: ["web"], principal: "solo" });
    const listed = await ask(one, secret, modern("tools/list"));
    expect(listed.result.tools[0].inputSchema.properties.workspace).toBeUndefined();
    expect((await call(one, secret, "Read", { file_path: "a.txt" })).text).toMatch(/^(?!Workspace)[\s\S]*two/);
    const { result } = await ask(one, secret, modern("resources/list"));
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).toEqual(["stet:///a.txt"]);
    const read = modern("resources/read", { uri: "stet:///a.txt" });
    const there = await ask(one, secret, { ...read, headers: { ...read.headers, "mcp-name": "stet:///a.txt" } });
    expect(there.result.contents[0].text).toContain("two");
    expect((await call(one, secret, "Read", { workspace: "vault", file_path: "a.txt" })).isError).toBe(true);
  });

  it("what is another's is answered like what is not there, to the letter", async () => {
    const { token: secret } = await token({ workspaces: ["w*", "never"] });
    const asked = async (name: string) => {
      const answers = [await call(one, secret, "Read", { workspace: name, file_path: "a.txt" })];
      answers.push(await call(one, secret, "Write", { workspace: name, file_path: "a.txt", content: "x" }));
      const uri = `stet://${encodeURIComponent(name)}/a.txt`;
      const read = modern("resources/read", { uri });
      const resource = await ask(one, secret, { ...read, headers: { ...read.headers, "mcp-name": uri } });
      return JSON.stringify([answers, resource]).replaceAll(encodeURIComponent(name), "NAME").replaceAll(name, "NAME");
    };
    const absent = await asked("w-absent");
    expect(absent).toContain("There is no workspace");
    for (const name of ["vault", "never", "acme/web", "umbrella/web", "x".repeat(300)]) {
      const answer = await asked(name);
      if (name.length < 200) expect(answer).toBe(absent);
      else expect(answer).toContain("There is no workspace");
    }
  });

  it("the role read gets tools that read, and changes are refused in words", async () => {
    const { token: secret } = await token({ role: "read", principal: "auditor" });
    const { result } = await ask(one, secret, modern("tools/list"));
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(["Read", "Glob", "Grep"]);
    const before = await web.tail!();
    const refused = await call(one, secret, "Write", { workspace: "web", file_path: "b.txt", content: "x" });
    expect([refused.isError, refused.failure.kind, refused.text]).toEqual([
      true,
      "permission_denied",
      expect.stringContaining("you may only read here"),
    ]);
    expect((await call(one, secret, "Read", { workspace: "web", file_path: "a.txt" })).text).toContain("two");
    expect(await web.tail!()).toEqual(before);
  });

  it("an owner makes a workspace by its first change; no other does, and no look makes one", async () => {
    const { token: writer } = await token();
    const { token: owner } = await token({ role: "owner", principal: "olga" });
    const made = async () => (await pool.query("select 1 from workspace where name = 'fresh'")).rows.length;
    const file = { workspace: "fresh", file_path: "a.txt" };
    expect((await call(one, writer, "Write", { ...file, content: "x" })).isError).toBe(true);
    expect((await call(one, owner, "Read", file)).isError).toBe(true);
    expect(await made()).toBe(0);
    expect((await call(other, owner, "Write", { ...file, content: "x" })).isError).toBe(false);
    expect(await made()).toBe(1);
    expect((await call(one, writer, "Read", file)).text).toContain("x");
  });

  it("a token that is revoked, has expired or never was opens nothing, at every server, and its streams end", async () => {
    const { token: secret, id } = await token({ principal: "leaver" });
    const { token: old } = await token({ expiresAt: new Date(Date.now() - 1000) });
    const list = modern("tools/list");
    const stream = (server: HttpServing) =>
      new Promise<{ closed: Promise<number> }>((resolve) => {
        const { headers, body } = modern("subscriptions/listen", {
          notifications: { resourceSubscriptions: ["stet://web/a.txt"] },
        });
        const outgoing = request({
          port: server.port,
          path: "/mcp",
          method: "POST",
          headers: { ...JSON_HEADERS, ...headers, authorization: `Bearer ${secret}` },
        });
        outgoing.on("error", () => {});
        outgoing.on("response", (response) => {
          const closed = new Promise<number>((done) => response.once("close", () => done(performance.now())));
          response.on("error", () => {});
          response.once("data", () => resolve({ closed }));
          response.resume();
        });
        outgoing.end(body);
      });
    const streams = await Promise.all([stream(one), stream(other)]);
    for (const server of [one, other]) expect((await ask(server, secret, list)).status).toBe(200);
    await revokeToken(pool, id);
    const at = performance.now();
    for (const server of [one, other])
      for (const wrong of [secret, old, `stet_${"x".repeat(43)}`, "short"])
        expect((await ask(server, wrong, list)).status).toBe(401);
    for (const { closed } of streams) expect((await closed) - at).toBeLessThan(1000);
  });

  it("a session of a 2025 client belongs to what its token allows, not to the name alone", async () => {
    const [{ token: writer }, { token: reader }] = [await token(), await token({ role: "read" })];
    const opened = await send({ ...one, token: writer }, { headers: HEADERS_2025, body: INITIALIZE });
    const session = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] };
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const listed = await ask(one, writer, { headers: session, body: list });
    expect([listed.status, JSON.stringify(listed.result)]).toEqual([200, expect.stringContaining('"Edit"')]);
    expect((await ask(one, reader, { headers: session, body: list })).status).toBe(404);
  });

  it("of a subscription only the tenant's own changes are heard", async () => {
    const { token: secret } = await token();
    const { headers, body } = modern("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["stet://web/a.txt", "stet://vault2/a.txt"] },
    });
    let heard = "";
    const outgoing = request({
      port: other.port,
      path: "/mcp",
      method: "POST",
      headers: { ...JSON_HEADERS, ...headers, authorization: `Bearer ${secret}` },
    });
    outgoing.on("error", () => {});
    outgoing.on("response", (response) =>
      response
        .on("error", () => {})
        .on("data", (bytes) => {
          heard += bytes;
        }),
    );
    outgoing.end(body);
    await expect.poll(() => heard).toContain("acknowledged");
    expect(heard).not.toContain("vault2");
    const { token: theirs } = await token({ tenant: "umbrella", principal: "eve" });
    const listening = call(other, theirs, "Read", { workspace: "web", file_path: "a.txt" });
    expect((await listening).text).toContain("of umbrella");
    await write(secretOfOthers, "a.txt", "changed\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).not.toContain("resources/updated");
    await write(web, "a.txt", "three\ntwo\n");
    await expect.poll(() => heard).toContain("resources/updated");
    outgoing.destroy();
  });

  it("a workspace that is not used is closed, with its copy, and opened again when it is asked for", async () => {
    const { token: secret } = await token();
    const grep = () => call(one, secret, "Grep", { workspace: "web", pattern: "two", output_mode: "content" });
    expect((await grep()).text).toContain("two");
    expect(readdirSync(mirror).length).toBeGreaterThan(0);
    await expect.poll(() => readdirSync(mirror)).toEqual([]);
    expect((await grep()).text).toContain("two");
  });

  it("when the database is away, calls are sent back, and not as if the token were wrong", async () => {
    const { token: secret } = await token();
    await database.stop();
    expect((await ask(other, secret, modern("tools/list"))).status).toBe(503);
    await database.start();
    await expect.poll(async () => (await ask(other, secret, modern("tools/list"))).status).toBe(200);
    expect(await web.read(path("a.txt"))).not.toBeNull();
  });

  it("a quota holds for all workspaces of a tenant together, and is told in words", async () => {
    const quota = (...args: string[]) => stet(["quota", ...args, "--database", database.url], { cwd: home });
    const { token: owner } = await token({ tenant: "small", role: "owner" });
    const fill = (workspace: string, file: string, size: number, server = other) =>
      call(server, owner, "Write", { workspace, file_path: file, content: "x".repeat(size) });
    expect((await fill("first", "a", 1)).isError).toBe(false);
    expect((await quota("set", "small", "--bytes", "100K", "--files", "30")).out).toContain(
      "small may have 100.0 KiB, 30 files",
    );

    const names = Array.from({ length: 12 }, (_, n) => n);
    const many = await Promise.all(
      names.map((n) => fill(n % 2 === 0 ? "first" : "second", `f${n}`, 8_000 + n, n % 3 === 0 ? one : other)),
    );
    const done = many.filter(({ isError }) => !isError).length;
    expect(done > 3 && done < 10).toBe(true);
    const [refused] = many.filter(({ isError }) => isError);
    expect([refused?.failure.kind, refused?.text]).toEqual([
      "disk_full",
      expect.stringMatching(/tenant 'small' has \d+ of 102400 bytes/),
    ]);
    const { tenants } = (await quota("list", "--json")).json();
    const small = tenants.find((each: { tenant: string }) => each.tenant === "small");
    expect([small.files, small.workspaces, small.bytes <= 110_000]).toEqual([done + 1, 2, true]);
    expect(small.bytes).toBeGreaterThan(102_400 - 20_000);
    expect((await fill("first", "tiny", 1)).isError).toBe(false);

    await quota("set", "small", "--files", `${done + 3}`);
    expect((await fill("second", "another", 1)).isError).toBe(false);
    expect((await fill("first", "one more", 1)).text).toContain(`has ${done + 3} of ${done + 3} files`);
    expect((await fill("first", "tiny", 2)).isError).toBe(false);

    await quota("set", "small", "--entries-per-second", "2");
    const hurried = await Promise.all(names.map((n) => fill("first", `hurried${n}`, 1)));
    const late = hurried.filter(({ isError }) => isError);
    expect([late.length >= 6, late[0]?.failure.kind, late[0]?.text]).toEqual([
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

  it("the role of the servers sees one workspace at a time, one token, and changes no entry, whatever it asks", async () => {
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

  it("docs/fleet.md grants what is needed, and no more", () => {
    const granted = [...ROLE.matchAll(/^grant (.*) on (.*) to stet_server;$/gm)].flatMap(([, what, tables]) =>
      tables!.split(", ").map((table) => [table, what!.split(", ")] as const),
    );
    expect(Object.fromEntries(granted)).toEqual(PRIVILEGES);
  });

  it("a server whose role may not renew the tables says so", async () => {
    await pool.query("update stet_schema set version = 0");
    await expect(serve({ url: asServer })).rejects.toThrow("its role may not make them");
    await pool.query({ text: "update stet_schema set version = $1", values: [SCHEMA] });
  });

  it("what does not go with a database is refused at the start", async () => {
    await expect(serve({}, ["--surface", "files"])).rejects.toThrow("keeps its files in memory");
    const file = join(home, "tokens");
    writeFileSync(file, "x".repeat(32), { mode: 0o600 });
    await expect(serve({}, ["--token-file", file])).rejects.toThrow("stet token create");
  });
});
