// Servers of a database: workspaces are found by name, tokens say who reaches which, and what is another's is as if it were not there.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { all, textAt } from "../support/assertions.ts";
import { ofIdentities } from "./fleet-identities.ts";
import { startFleet } from "./fleet-support.ts";
import { ofTenants } from "./fleet-tenants.ts";
import { HEADERS_2025, INITIALIZE, modern, openStream, send } from "./http-support.ts";

const SOON = { timeout: 30_000 };

describe.skipIf(missingPostgres() !== undefined)("a fleet", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { database, pool, home, asServer, through, serve, token, revoke, ask, call, workspace } = fleet;
  afterAll(fleet.end);

  const mirror = join(home, "mirror");
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

  it("a pattern reaches names that have all its parts in order, no letter of them used twice", async () => {
    const { token: secret } = await token({ tenant: "parts", role: "owner", workspaces: ["ab*bc*cd"] });
    const reached: string[] = [];
    for (const workspace of "abbccd ab-bc-cd abcd abbcd abccd ab-cd ab-cd-bc ab-bc-cd-e e-ab-bc-cd".split(" ")) {
      const { isError } = await call(one, secret, "Write", { workspace, file_path: "a", content: "x" });
      if (!isError) reached.push(workspace);
    }
    expect(reached).toEqual(["abbccd", "ab-bc-cd"]);
  });

  it("forty ways to reach what is another's reach nothing, and tell nothing", async () => {
    const { token: secret } = await token({
      tenant: "mallory",
      role: "owner",
      workspaces: ["own*", "web?"],
      principal: "m",
    });
    await call(other, secret, "Write", { workspace: "own", file_path: "mine.txt", content: "mine" });
    const names = [
      "web",
      "vault",
      "acme/web",
      "umbrella/web",
      "../web",
      "own/../web",
      "*",
      "we%62",
      "WEB",
      " web",
      "web ",
    ];
    const odd = [
      "web\u0000",
      "own' or '1'='1",
      "own\\web",
      ["web"],
      { name: "web" },
      1,
      true,
      "",
      "__proto__",
      "1",
      "@ada",
    ];
    const paths = ["a.txt", "../a.txt", "/a.txt", "../web/a.txt", "/umbrella/web/a.txt", "..%2fweb%2fa.txt"];
    const uris = [
      "stet://web/a.txt",
      "stet://own/..%2Fweb%2Fa.txt",
      "stet://umbrella%2Fweb/a.txt",
      "stet:///a.txt",
      "stet://%/a",
    ];
    const named = (uri: string) => {
      const raw = modern("resources/read", { uri });
      return { ...raw, headers: { ...raw.headers, "mcp-name": uri } };
    };
    const template = { type: "ref/resource", uri: "stet://{workspace}/{path}" };
    const cursor = Buffer.from(JSON.stringify(["web", "a"])).toString("base64url");
    const asked = [
      ...[...names, ...odd].map((workspace) => call(other, secret, "Read", { workspace, file_path: "a.txt" })),
      ...paths.map((file_path) => call(other, secret, "Read", { workspace: "own", file_path })),
      ...names.slice(0, 6).map((workspace) => call(other, secret, "Grep", { workspace, pattern: "of" })),
      ...uris.map((uri) => ask(other, secret, named(uri))),
      ask(other, secret, modern("resources/list", { cursor })),
      ask(other, secret, modern("completion/complete", { ref: template, argument: { name: "path", value: "" } })),
      ask(other, secret, modern("completion/complete", { ref: template, argument: { name: "workspace", value: "" } })),
    ];
    expect(asked.length).toBeGreaterThanOrEqual(40);
    for (const answer of await Promise.all(asked)) {
      const text = JSON.stringify(answer);
      expect(text).not.toMatch(/of umbrella|of the vault|two\\n|stet failed/);
      expect(text).toMatch(/isError":true|"error"|"values":\[\]/);
    }
    const made = await pool.query("select name from workspace where tenant = 'mallory'");
    expect(made.rows).toEqual([{ name: "own" }]);
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
      expect.stringContaining("the workspace is read-only"),
    ]);
    expect((await call(one, secret, "Read", { workspace: "web", file_path: "a.txt" })).text).toContain("two");
    expect(await web.tail!()).toEqual(before);
  });

  it("a read that the role read is refused is in the journal, with its principal", async () => {
    const { token: secret } = await token({ role: "read", principal: "auditor" });
    const refused = await call(one, secret, "Read", { workspace: "web", file_path: ".env" });
    expect(refused.isError).toBe(true);
    const [entry] = await all(web.log({ newestFirst: true, limit: 1 }));
    expect(entry).toMatchObject({ outcome: "refused", agent: "auditor", tool: "Read", error: "permission_denied" });
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
    const { token: old } = await token({ expires: "1s" });
    const list = modern("tools/list");
    const streams = await Promise.all([openStream(one, secret), openStream(other, secret)]);
    for (const server of [one, other]) expect((await ask(server, secret, list)).status).toBe(200);
    await revoke(id);
    for (const server of [one, other]) {
      for (const wrong of [secret, `stet_${"x".repeat(43)}`, "short"])
        await expect.poll(async () => (await ask(server, wrong, list)).status, SOON).toBe(401);
      await expect.poll(async () => (await ask(server, old, list)).status, SOON).toBe(401);
    }
    for (const { ended } of streams) await ended;
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

  it("what a session of a 2025 client has seen is forgotten when it ends", async () => {
    const { token: secret } = await token();
    const opened = await send({ ...other, token: secret }, { headers: HEADERS_2025, body: INITIALIZE });
    const headers = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] };
    const seen = async () => (await pool.query<{ n: number }>("select count(*)::int as n from seen")).rows[0]!.n;
    const before = await seen();
    const params = { name: "Read", arguments: { workspace: "web", file_path: "a.txt" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
    expect((await ask(other, secret, { headers, body })).status).toBe(200);
    await expect.poll(seen).toBe(before + 1);
    await send({ ...other, token: secret }, { method: "DELETE", headers });
    await expect.poll(seen).toBe(before);
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
    const proxy = await startDatabaseProxy(database.port);
    const server = await serve({ url: through(proxy) });
    const status = async () => (await ask(server, secret, modern("tools/list"))).status;
    const ready = async () => (await send(server, { method: "GET", path: "/readyz" })).status;
    expect([await status(), await ready()]).toEqual([200, 200]);
    proxy.down(true);
    proxy.cutAll();
    // an answer of the database is believed for a second
    await expect.poll(status, SOON).toBe(503);
    await expect.poll(ready, SOON).toBe(503);
    proxy.down(false);
    await expect.poll(status, SOON).toBe(200);
    await proxy.close();
  });

  ofTenants(fleet, { one, other });
  ofIdentities(fleet);

  it("what does not go with a database is refused at the start", async () => {
    await expect(serve({}, ["--surface", "files"])).rejects.toThrow("keeps its files in memory");
    const file = join(home, "tokens");
    writeFileSync(file, "x".repeat(32), { mode: 0o600 });
    await expect(serve({}, ["--token-file", file])).rejects.toThrow("stet token create");
  });
});
