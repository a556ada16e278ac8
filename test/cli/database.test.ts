// A workspace in a database as a root of the command line: every command that takes a directory takes it, and no password is ever shown.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { type Surroundings, stet } from "../support/cli.ts";
import { ownDatabase } from "../support/postgres.ts";

describe("the address of a workspace in a database", () => {
  it("is refused without its password being quoted when it is none", async () => {
    for (const wrong of [
      "postgres://",
      "postgres://h",
      "postgres://h/db/",
      "postgres://h/db/%",
      "postgres://u:secret@h/a/b/c/d",
      "postgres://u:secret@h:x/db/w",
    ]) {
      const { code, err } = await stet(["log", "--root", wrong], { cwd: tmpdir() });
      expect([wrong, code]).toEqual([wrong, 1]);
      expect(err).toContain("postgres://USER@HOST");
      expect(err).not.toContain("secret");
    }
  });

  it("is shown without its password wherever words quote it", async () => {
    const address = "postgres://u:se:cr@et@h/db/w?password=x&a=b";
    const { err } = await stet(["log", address], { cwd: tmpdir() });
    expect(err).toContain('"postgres://u@h/db/w?password=…&a=b"');
  });
});

describe.skipIf(missingPostgres() !== undefined)("the command line on PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const cwd = mkdtempSync(join(tmpdir(), "stet-database-"));
  afterAll(async () => {
    rmSync(cwd, { recursive: true });
    await server.remove();
  });
  const web = `${server.url}/acme/web`;
  const withPassword = web.replace("stet@", "stet:sesame@");

  const run = async (args: readonly string[], around: Partial<Surroundings> = {}) => {
    const ran = await stet(args, { cwd, ...around, env: { USER: "ada", ...around.env } });
    expect(ran.out + ran.err).not.toContain("sesame");
    return ran;
  };
  const call = (tool: string, input: object, root = web) =>
    run(["call", tool, JSON.stringify(input), "--root", root, "--text"]);

  it("looking at a workspace that is not there makes none; a call makes it", async () => {
    for (const command of [["log"], ["verify"], ["trash", "list"], ["tools"]]) {
      const { code, err } = await run([...command, ...(command[0] === "tools" ? [web] : ["--root", web])]);
      expect([code, err]).toEqual([1, expect.stringContaining("There is no workspace 'web' of the tenant 'acme'")]);
    }
    expect((await call("create_file", { path: "a.txt", content: "one\n" })).code).toBe(0);
    expect((await call("read_file", { path: "a.txt" })).out).toContain("one");
    expect((await call("read_file", { path: "a.txt" }, `${server.url}/web`)).out).toContain("does not exist");
  });

  it("log, show, undo, trash, verify, gc and policy work as on a directory", async () => {
    await call("delete_file", { path: "a.txt" });
    const log = await run(["log", "--root", web]);
    expect(log.out).toMatch(/ada.*delete_file[\s\S]*create_file/);
    expect((await run(["show", "2", "--root", web])).out).toContain("-one");
    expect((await run(["trash", "list", "--root", web])).out).toContain("a.txt");
    expect((await run(["undo", "2", "--root", web, "--yes"])).code).toBe(0);
    expect((await call("read_file", { path: "a.txt" })).out).toContain("one");
    expect((await run(["verify", "--root", web])).out).toContain("The journal is whole: 3 entries");
    expect((await run(["gc", "--keep", "1", "--dry-run", "--root", web])).code).toBe(0);
    expect((await run(["policy", "explain", ".env", "--root", web])).out).toContain("denied");
    expect((await run(["log", "--json"], { env: { STET_ROOT: web } })).out.trim().split("\n")).toHaveLength(3);
  });

  it("a database or a host that is not there is told as such, and what to do about it", async () => {
    const missing = server.url.replace(/\w+$/, "nothing/acme/web");
    const elsewhere = "postgres://stet@nowhere.invalid/db/web";
    for (const args of [["log"], ["call", "list_directory", "{}"]]) {
      const none = await run([...args, "--root", missing]);
      expect([none.code, none.err]).toEqual([1, expect.stringContaining("There is no such database.")]);
      const unknown = await run([...args, "--root", elsewhere]);
      expect([unknown.code, unknown.err]).toEqual([
        1,
        expect.stringContaining("The host of the database is not known."),
      ]);
      for (const { err } of [none, unknown]) expect(err).not.toContain("stet mcp");
      expect(none.err).toContain("createdb");
    }
    expect((await run(["log", "--root", `${server.url}/nothing`])).err).toContain("made by stet call");
  });

  it("a path is no name of a workspace in the database of a configuration", async () => {
    const config = join(cwd, "paths.json");
    writeFileSync(config, JSON.stringify({ database: server.url }));
    for (const path of ["/tmp", "./web", "../web", "~/web", "."])
      for (const command of [["log"], ["call", "list_directory", "{}"]]) {
        const { code, err } = await run([...command, "--root", path, "--config", config]);
        expect([code, err]).toEqual([1, expect.stringMatching(/is a path.*--root TENANT\/NAME/s)]);
      }
    const pool = await openPool(server.url);
    expect(
      (await pool.query("select 1 from workspace where name in ('tmp', 'web') and tenant <> 'acme'")).rows,
    ).toEqual([expect.anything()]);
    await pool.end();
  });

  it("install writes an address of a database as it is, and none with a password", async () => {
    const env = { HOME: cwd };
    const shown = await run(["install", "--client", "cursor", "--root", `${web}?sslmode=disable`, "--json"], { env });
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(shown.json().entry.args).toContain(`${web}?sslmode=disable`);
    const refused = await run(["install", "--client", "cursor", "--root", withPassword], { env });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("PGPASSWORD")]);
    const wrong = await run(["install", "--client", "cursor", "--root", server.url, "--write"], { env });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("names no workspace in it")]);
  });

  it("tells that a password in an argument is seen by others, and never shows it", async () => {
    expect((await run(["log", "--root", withPassword])).err).toContain("PGPASSWORD");
    expect((await run(["log"], { env: { STET_ROOT: withPassword } })).err).not.toContain("PGPASSWORD");
    for (const wrong of [
      ["log", withPassword],
      ["log", "--root", `${withPassword}/x/y`],
      ["show", withPassword],
    ]) {
      const { code, err } = await run(wrong);
      expect([code > 0, err]).toEqual([true, expect.stringMatching(/./)]);
      expect((await run([...wrong, "--json"])).json()).toMatchObject({ ok: false });
    }
    const refused = await run(["verify", "--root", withPassword.replace(/:\d+\//, ":1/")]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("The database cannot be reached")]);
  });

  it("a configuration may name it, with a name and a policy of its own, but not one that lies in a project", async () => {
    const file = join(cwd, "named.json");
    const config = { roots: [{ path: withPassword, name: "site", readOnly: true }, { path: `${server.url}/other` }] };
    writeFileSync(file, JSON.stringify(config));
    const call = ["call", "create_file", '{"path":"b","content":""}', "--root", "site", "--config", file];
    expect((await run(call)).out).toContain("read-only");
    expect((await run(["log", "--config", file])).err).toContain("There are several workspaces here: site, other");
    writeFileSync(join(cwd, "stet.config.json"), JSON.stringify(config));
    expect((await run(["log"])).err).toContain("may stand only in a file that you name");
    expect((await run(["log", "--root", web])).code).toBe(0);
    rmSync(join(cwd, "stet.config.json"));
    writeFileSync(file, JSON.stringify({ roots: [server.url] }));
    expect((await run(["log", "--config", file])).err).toContain("names no workspace in it");
  });

  it("doctor knows the server, what a commit is worth, the clock, the role, and the tables", async () => {
    const about = async (root: string) => {
      const { code, json } = await run(["doctor", "--root", root, "--json"]);
      const findings: { about: string; state: string; what: string }[] = json().findings;
      const states = findings.map(({ about, state, what }) => [about, [state, what]] as const);
      return { code, of: Object.fromEntries(states) };
    };
    const whole = await about(web);
    expect(whole).toMatchObject({
      code: 0,
      of: {
        database: ["ok", web],
        server: ["ok", expect.stringMatching(/^PostgreSQL \d+/)],
        durability: ["warn", "fsync is off"],
        standby: ["ok", "none"],
        clock: ["ok", expect.stringContaining("agree")],
        privileges: ["warn", expect.stringContaining("superuser")],
        tables: ["ok", expect.stringMatching(/^version \d+$/)],
        journal: ["ok", expect.stringContaining("entries chain")],
      },
    });
    expect((await about(`${server.url}/acme/none`)).of.journal).toEqual([
      "warn",
      expect.stringContaining("no workspace"),
    ]);
    const away = await about(web.replace(/:\d+\//, ":1/"));
    expect([away.code, away.of.database]).toEqual([1, ["fail", expect.stringContaining("cannot be reached")]]);

    const pool = await openPool(server.url);
    await pool.query("create role reader login");
    await pool.query("grant select on workspace, node, entry, stet_schema to reader");
    const asReader = web.replace("stet@", "reader@");
    expect((await about(asReader)).of.privileges).toEqual(["fail", expect.stringContaining("reader lacks insert on")]);
    await pool.query("update stet_schema set version = version + 90");
    expect((await about(web)).of.tables).toEqual(["fail", expect.stringContaining("of a newer stet")]);
    await pool.query("update stet_schema set version = version - 90");
    await pool.query("drop owned by reader; drop role reader");
    await pool.end();
  });

  it("tokens are made, listed and revoked; the database has their sha256 only", async () => {
    const fleet = join(cwd, "fleet.json");
    writeFileSync(fleet, JSON.stringify({ database: { url: server.url.replace("stet@", "stet:sesame@") } }));
    const made = await run([
      ..."token create ada --tenant acme --workspaces".split(" "),
      "web, api-*",
      "--config",
      fleet,
    ]);
    expect(made.out).toMatch(/^stet_[\w-]{43}\n$/);
    expect(made.err).toMatch(/Token [0-9a-f]{12}: ada may read and change web, api-\* of acme \(write\)\./);
    const reads = await run([..."token create bot --role read --expires 1h --json --database".split(" "), server.url]);
    expect(reads.json()).toMatchObject({
      principal: "bot",
      tenant: "",
      role: "read",
      workspaces: ["*"],
      revokedAt: null,
    });
    const list = async (...more: string[]) => (await run(["token", "list", "--config", fleet, ...more])).out;
    expect(await list()).toMatch(/ada.*web,api-\*[\s\S]*|bot.*read/);
    expect(await list("--tenant", "acme")).not.toContain("bot");
    expect(await list()).toMatch(/^(?![\s\S]*revoked)[\s\S]*ada.*no end/);
    expect((await run(["token", "revoke", reads.json().id, "--config", fleet])).out).toContain(
      "opens nothing any more",
    );
    expect(await list()).not.toContain("bot");
    expect(await list("--all")).toMatch(/bot.*revoked 2/);
    const pool = await openPool(server.url);
    const { rows } = await pool.query<{ hash: Buffer }>("select * from token where principal = 'ada'");
    await pool.end();
    const [secret] = made.out.split("\n");
    expect(rows[0]!.hash).toEqual(createHash("sha256").update(secret!).digest());
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it("what cannot be a token is refused in words", async () => {
    const at = ["--database", server.url];
    for (const [args, words] of [
      [["token"], "needs create, list or revoke"],
      [["token", "creat"], "Did you mean stet token create?"],
      [["token", "create", ...at], "needs PRINCIPAL"],
      [["token", "create", "a b", ...at], "cannot be a principal"],
      [["token", "create", "a", "--role", "root", ...at], "There is no role"],
      [["token", "create", "a", "--workspaces", "x,,y", ...at], "cannot be the name of a workspace"],
      [["token", "create", "a", "--tenant", "x\u0007y", ...at], "cannot be the name of a workspace or a tenant"],
      [["token", "create", "a", "--workspaces", "w,".repeat(100).concat("w"), ...at], "Name 1 to 100 of them"],
      [["token", "create", "a", "--expires", "0d", ...at], "A token must hold for a while"],
      [["token", "revoke", "none", ...at], "There is no token none"],
      [["token", "list"], "No database was named"],
      [["token", "list", "--database", web], "is a whole database"],
      [["history", "link", "x", "--root", web], "has its history there"],
    ] as const) {
      const { code, err } = await run(args);
      expect([code > 0, err]).toEqual([true, expect.stringContaining(words)]);
    }
  });

  it("with a database in the configuration, --root names a workspace in it", async () => {
    const fleet = join(cwd, "fleet.json");
    expect((await run(["log", "--root", "acme/web", "--config", fleet])).out).toContain("create_file");
    for (const command of [["log"], ["tools"], ["policy", "explain", "a"], ["ui"]])
      expect((await run([...command, "--config", fleet])).err).toContain("--root TENANT/NAME");
    expect((await run(["doctor", "--config", fleet])).out).toContain("PostgreSQL");
    writeFileSync(join(cwd, "stet.config.json"), JSON.stringify({ database: server.url }));
    expect((await run(["log"])).err).toContain("may stand only in a file that you name");
    rmSync(join(cwd, "stet.config.json"));
    const both = join(cwd, "both.json");
    for (const [config, words] of [
      [{ database: server.url, roots: ["."] }, "roots or a database, not both"],
      [{ database: web }, "and nothing behind it"],
      [{ database: { url: server.url, policy: {} } }, "policy"],
    ] as const) {
      writeFileSync(both, JSON.stringify(config));
      expect((await run(["log", "--config", both])).err).toContain(words);
    }
  });

  it("the commands of docs/fleet.md do what they say", async () => {
    const page = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
    const [, config = ""] = /^```json fleet.json\n([\s\S]*?)^```$/m.exec(page)!;
    const here = (text: string) =>
      text
        .replaceAll("postgres://stet@localhost/stet", server.url)
        .replaceAll("/var/cache/stet", join(cwd, "mirror"))
        .replaceAll("fleet.json", join(cwd, "documented.json"));
    writeFileSync(join(cwd, "documented.json"), here(config));
    const pool = await openPool(server.url);
    await pool.query("delete from token");
    const blocks = [...page.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)];
    const lines = blocks.flatMap(([, kind, text]) =>
      text!
        .trim()
        .split("\n")
        .map((line) => ({ kind, line })),
    );
    expect(lines.length).toBeGreaterThan(12);
    const [, compose = ""] = /^```yaml compose.yaml\n([\s\S]*?)^```$/m.exec(page)!;
    const { services } = parseYaml(compose) as { services: { stet: { command: string; ports: string[] } } };
    const [, unit = ""] = /^ExecStart=\/usr\/bin\/(stet .*)$/m.exec(page)!;
    for (const command of [services.stet.command, unit]) {
      const [program, name = "", ...args] = command.split(" ");
      expect(program).toBe("stet");
      await expectKnown(name, args);
    }
    const [, served = ""] = /^```json compose-fleet.json\n([\s\S]*?)^```$/m.exec(page)!;
    writeFileSync(join(cwd, "composed.json"), here(served.replace("@database/", "@localhost/")));
    expect((await run(["doctor", "--config", join(cwd, "composed.json")])).out).toContain("PostgreSQL");
    expect(JSON.parse(served).http.drainMs + 10_000).toBeLessThan(30_000);
    expect(services.stet).toMatchObject({ stop_grace_period: "30s" });
    // three of them cannot share one port of the machine
    expect(services.stet).toMatchObject({ deploy: { replicas: 3 }, ports: ["4100-4102:4100"] });
    for (const { kind, line } of lines) {
      const words = [...here(line).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);
      const serves = kind === "serve" || words[0] === "mcp";
      if (serves) await expectKnown(words[0]!, words.slice(1));
      else expect([line, await run(words)]).toEqual([line, expect.objectContaining({ code: 0 })]);
      await pool.query("update token set id = '1f0c22a4be90' where principal = 'ada'");
    }
    await pool.end();
  });

  async function expectKnown(name: string, args: readonly string[]): Promise<void> {
    const { options } = (await run(["help", name, "--json"])).json() as { options: { name: string }[] };
    const known = new Set(options.map((option) => option.name));
    expect(args.filter((arg) => arg.startsWith("--") && !known.has(arg.split("=")[0]!))).toEqual([]);
  }

  const program = fileURLToPath(new URL("../../dist/bin", import.meta.url));
  const start = (bin: string, args: readonly string[], input = "") =>
    spawnSync(process.execPath, [join(bin, "stet.cjs"), ...args], { cwd, input, encoding: "utf8" });

  it("stet mcp serves it", () => {
    const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "probe", version: "1" } };
    const params = { name: "create_file", arguments: { path: "from-mcp", content: "x" } };
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params },
    ].map((message) => `${JSON.stringify(message)}\n`);
    const { status, stdout, stderr } = start(program, ["mcp", web], lines.join(""));
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Created from-mcp");
  });

  it("a driver that is not there is told with the command to install it", () => {
    const bin = join(cwd, "bin");
    cpSync(program, bin, { recursive: true });
    const { status, stderr } = start(bin, ["log", "--root", web]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("npm install pg")]);
  });
});
