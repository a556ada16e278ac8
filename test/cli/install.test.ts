// stet install: what each client is told, and that nothing else in its configuration changes.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { CLIENT_NAMES, CLIENTS } from "./install-support.ts";

const NAMES = CLIENT_NAMES;

function machine(files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(tempDir());
  const cwd = join(home, "project");
  mkdirSync(cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const unchecked = (args: readonly string[]) => (args.includes("--write") ? [...args, "--no-check"] : args);
  const run = (...args: readonly string[]) => stet(["install", ...unchecked(args)], { cwd, env: { HOME: home } });
  /** With the one root that clients need which open no projects. */
  const runFor = (client: string, ...args: readonly string[]) =>
    run("--client", client, ...(CLIENTS[client]!.opensProjects ? [] : ["--root", "."]), ...args);
  const read = (path: string): string => readFileSync(join(home, path), "utf8");
  return { home, cwd, run, runFor, read };
}

function serversIn(name: string, text: string): Record<string, Record<string, unknown>> {
  const value = name === "codex" ? parseToml(text) : parseJson(text);
  return value[CLIENTS[name]!.key];
}

describe.skipIf(process.platform !== "linux")("every client", () => {
  it("is in the table of this test", async () => {
    const { err } = await stet(["install"], { cwd: tempDir() });
    expect(err).toContain(`One of ${NAMES.join(", ")}.`);
  });

  it.each(NAMES)("%s: shown, then written, then already there", async (name) => {
    const { home, cwd, runFor, read } = machine();
    const shown = await runFor(name);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain(join(home, CLIENTS[name]!.file));
    expect(shown.err).toBe("\nAdd --write to have it done.\n");
    expect(readdirSync(home)).toEqual(["project"]);

    const written = await runFor(name, "--write");
    expect(written.err).toMatch(/^Left to do: \S/m);
    const { stet: server } = serversIn(name, read(CLIENTS[name]!.file));
    const root = CLIENTS[name]!.opensProjects ? [] : [cwd];
    const args = [expect.stringMatching(/stet|main/), "mcp", ...root];
    expect(server).toMatchObject(
      name === "opencode"
        ? { type: "local", command: [process.execPath, ...args], enabled: true }
        : { command: process.execPath, args },
    );
    expect(shown.out).toContain(read(CLIENTS[name]!.file).trim());
    expect((await runFor(name)).err).toBe("\nIt is there already.\n");

    const before = lstatSync(join(home, CLIENTS[name]!.file));
    const again = await runFor(name, "--write", "--json");
    expect(again.json()).toEqual({ file: join(home, CLIENTS[name]!.file), name: "stet", state: "same", backup: null });
    expect(lstatSync(join(home, CLIENTS[name]!.file)).mtimeMs).toBe(before.mtimeMs);
    expect(
      readdirSync(dirname(join(home, CLIENTS[name]!.file))).filter((file) => /before-stet|tmp/.test(file)),
    ).toEqual([]);
  });

  it.each(NAMES.filter((name) => name !== "codex"))(
    "%s: keeps comments, other servers, order and indentation",
    async (name) => {
      const { key } = CLIENTS[name]!;
      const text = `// mine\n{\n    "first": 1, // one\n    "${key}": {\n        /* keep */\n        "other": { "command": "x" }\n    },\n    "last": [1,2,  3],\n}\n`;
      const { home, runFor, read } = machine({ [CLIENTS[name]!.file]: text });
      const { code, json } = await runFor(name, "--write", "--json");
      expect(code).toBe(0);
      const after = read(CLIENTS[name]!.file);
      expect(serversIn(name, after)).toMatchObject({ other: { command: "x" }, stet: { command: expect.anything() } });
      for (const kept of [
        "// mine\n{",
        '    "first": 1, // one\n',
        "        /* keep */\n",
        '    "last": [1,2,  3],\n}\n',
      ]) {
        expect(after).toContain(kept);
      }
      expect(after).toContain('\n        "stet": {\n            ');
      const backup = json().backup as string;
      expect(backup).toBe(join(home, `${CLIENTS[name]!.file}.before-stet`));
      expect(readFileSync(backup, "utf8")).toBe(text);
    },
  );

  it("codex: keeps comments and other tables", async () => {
    const text =
      '# mine\nmodel = "m" # why\n\n[mcp_servers.other]\ncommand = "x"\n\n# about the profile\n[profiles.p]\nmodel = "n"\n';
    const { run, read } = machine({ ".codex/config.toml": text });
    expect((await run("--client", "codex", "--write")).code).toBe(0);
    const after = read(".codex/config.toml");
    expect(after.startsWith(text)).toBe(true);
    expect(serversIn("codex", after)).toMatchObject({ other: { command: "x" }, stet: { command: process.execPath } });
    expect((await run("--client", "codex", "--write", "--surface", "anchors", "--force")).code).toBe(0);
    const forced = read(".codex/config.toml");
    expect(forced.startsWith(text)).toBe(true);
    expect(serversIn("codex", forced).stet!.args).toContain("anchors");
    expect(forced.match(/\[mcp_servers\.stet\]/g)).toHaveLength(1);
  });

  it("codex: replaces a table between others, with its sub-tables, and nothing else", async () => {
    const text =
      '[mcp_servers.stet]\ncommand = "old"\n\n[mcp_servers.stet.env]\nA = "1"\n\n# of b\n[mcp_servers.b]\ncommand = "b"\n';
    const { run, read } = machine({ ".codex/config.toml": text });
    expect((await run("--client", "codex", "--write")).code).toBe(1);
    expect(read(".codex/config.toml")).toBe(text);
    expect((await run("--client", "codex", "--write", "--force")).code).toBe(0);
    const after = read(".codex/config.toml");
    expect(after.endsWith('\n\n# of b\n[mcp_servers.b]\ncommand = "b"\n')).toBe(true);
    expect(serversIn("codex", after)).toEqual({
      b: { command: "b" },
      stet: { command: process.execPath, args: expect.anything() },
    });
    const tricky = machine({
      ".codex/config.toml": `[mcp_servers.stet]\nnote = """\n[not.a.table]\n"""\n[z]\na = 1\n`,
    });
    const doubtful = await tricky.run("--client", "codex", "--write", "--force");
    expect(doubtful.code).toBe(1);
    expect(tricky.read(".codex/config.toml")).toContain("[not.a.table]");
    const inline = machine({ ".codex/config.toml": 'mcp_servers = { stet = { command = "old" } }\n' });
    const refused = await inline.run("--client", "codex", "--write", "--force");
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain("cannot be changed safely");
  });
});

describe.skipIf(process.platform !== "linux")("it never clobbers", () => {
  it("an entry that differs, unless forced; then the old file is kept", async () => {
    const text = '{"mcpServers":{"stet":{"command":"mine"}}}';
    const { home, run, read } = machine({ ".cursor/mcp.json": text });
    const refused = await run("--client", "cursor", "--write", "--json");
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.json()).toMatchObject({
      ok: false,
      error: { kind: "already_exists", details: { existing: { command: "mine" } } },
    });
    expect(read(".cursor/mcp.json")).toBe(text);
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
    expect((await run("--client", "cursor", "--write", "--name", "stet2")).code).toBe(0);
    expect((await run("--client", "cursor", "--write", "--force")).code).toBe(0);
    expect(serversIn("cursor", read(".cursor/mcp.json"))).toMatchObject({
      stet: { args: expect.anything() },
      stet2: {},
    });
    expect(read(".cursor/mcp.json.before-stet")).toBe(text);
    expect(existsSync(join(home, ".cursor/mcp.json.before-stet-2"))).toBe(true);
  });

  const MALFORMED: readonly (readonly [client: string, text: string, words: string])[] = [
    ["cursor", '{"mcpServers": {', "CloseBraceExpected in line 1"],
    ["cursor", '{\n  "a": 1\n  "b": 2\n}', "CommaExpected in line 3"],
    ["cursor", "[]", "it is not an object"],
    ["cursor", '{"mcpServers": null}', "mcpServers is not an object"],
    ["cursor", '{"mcpServers": []}', "mcpServers is not an object"],
    ["vscode", '{"servers": "x"}', "servers is not an object"],
    ["codex", "[mcp_servers\n", "Invalid TOML"],
    ["codex", 'mcp_servers = "x"\n', "cannot be changed safely"],
    ["codex", 'mcp_servers = { a = {command="y"} }\n', "has mcp_servers in a form that cannot be changed safely"],
  ];
  it.each(MALFORMED)("%s: %j", async (client, text, words) => {
    const { home, run, read } = machine({ [CLIENTS[client]!.file]: text });
    const { code, err } = await run("--client", client, "--write", "--force");
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(words));
    expect(read(CLIENTS[client]!.file)).toBe(text);
    expect(readdirSync(dirname(join(home, CLIENTS[client]!.file)))).toHaveLength(1);
  });

  it("a file behind a link, its mode, or its line ends", async () => {
    const { home, run, read } = machine({ "dotfiles/mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n' });
    mkdirSync(join(home, ".cursor"));
    symlinkSync("../dotfiles/mcp.json", join(home, ".cursor/mcp.json"));
    const { mode } = statSync(join(home, "dotfiles/mcp.json"));
    expect((await run("--client", "cursor", "--write")).code).toBe(0);
    expect(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink()).toBe(true);
    expect(statSync(join(home, "dotfiles/mcp.json")).mode).toBe(mode);
    expect(read("dotfiles/mcp.json")).toMatch(/^\{\r\n\t"mcpServers": \{\r\n\t\t"stet": \{\r\n/);
    expect(read("dotfiles/mcp.json").replaceAll("\r\n", "")).not.toContain("\n");
    expect(serversIn("cursor", read("dotfiles/mcp.json")).stet!.args).toContain("mcp");
  });

  it("TOML with whole numbers that JavaScript cannot count", async () => {
    const before = "big = 9223372036854775807\n\n[mcp_servers.a]\ncommand = 'x'\n";
    const { run, read } = machine({ [CLIENTS.codex!.file]: before });
    expect((await run("--client", "codex", "--write")).code).toBe(0);
    expect(read(CLIENTS.codex!.file).startsWith(`${before}\n[mcp_servers.stet]\n`)).toBe(true);
  });

  it("a byte order mark", async () => {
    const { run, read } = machine({ ".cursor/mcp.json": '\uFEFF{ "mcpServers": { "a": {} } }' });
    expect((await run("--client", "cursor", "--write")).code).toBe(0);
    expect(read(".cursor/mcp.json").startsWith('\uFEFF{ "mcpServers": { "a": {}, "stet": {')).toBe(true);
    expect(Object.keys(serversIn("cursor", read(".cursor/mcp.json").slice(1)))).toEqual(["a", "stet"]);
  });

  it("an empty file is one without servers", async () => {
    const { run, read } = machine({ ".cursor/mcp.json": "" });
    expect((await run("--client", "cursor", "--write")).code).toBe(0);
    expect(serversIn("cursor", read(".cursor/mcp.json"))).toHaveProperty("stet");
  });
});

describe("what is installed", () => {
  it("in a project, with its own variable where the client has one", async () => {
    const { cwd, run } = machine();
    const entry = async (...args: string[]) => (await run("--scope", "project", "--json", ...args)).json();
    expect(await entry("--client", "vscode")).toMatchObject({
      file: join(cwd, ".vscode/mcp.json"),
      entry: { type: "stdio", command: "npx", args: ["-y", expect.anything(), "mcp", "$" + "{workspaceFolder}"] },
    });
    expect(await entry("--client", "claude-code")).toMatchObject({
      file: join(cwd, ".mcp.json"),
      entry: { type: "stdio", command: "npx", args: ["-y", expect.anything(), "mcp"] },
    });
    expect(await entry("--client", "opencode")).toMatchObject({
      file: join(cwd, "opencode.json"),
      entry: { type: "local", command: ["npx", "-y", expect.anything(), "mcp"], enabled: true },
    });
  });

  it("in a project: where, and what is left to do there", async () => {
    const { cwd, run } = machine();
    for (const name of NAMES.filter((each) => CLIENTS[each]!.projectFile !== undefined)) {
      const { err } = await run("--client", name, "--scope", "project", "--write");
      expect(err).toMatch(/^Left to do: \S.*\n$/);
      expect(readFileSync(join(cwd, CLIENTS[name]!.projectFile!), "utf8")).toContain("npx");
    }
  });

  it("has the flags, made absolute", async () => {
    const { cwd, run } = machine();
    for (const name of ["a", "b"]) mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, "c.json"), "{}");
    const { json } = await run(
      "--root",
      "a",
      "-r",
      "b",
      "--client",
      "kiro",
      "--surface",
      "anchors",
      "--read-only",
      "-c",
      "c.json",
      "--json",
    );
    const tail = [
      "mcp",
      join(cwd, "a"),
      join(cwd, "b"),
      "--surface",
      "anchors",
      "--read-only",
      "--config",
      join(cwd, "c.json"),
    ];
    expect(json().entry.args.slice(1)).toEqual(tail);
    expect((await run("--root", "missing", "--client", "kiro")).err).toContain("does not exist");
  });

  it("a running server, its token never in the file", async () => {
    const url = "http://127.0.0.1:4100/mcp";
    const { run } = machine();
    for (const name of NAMES) {
      const { code, out, err } = await run("--client", name, "--http", url);
      if (name === "claude-desktop" || name === "zed") {
        expect(code).toBe(1);
        expect(err).toContain("takes no URL with a token");
        continue;
      }
      expect([name, code]).toEqual([name, 0]);
      expect(out).toContain(url);
      expect(out).toContain("STET_TOKEN");
      expect(err).toContain("The client needs STET_TOKEN in its environment.");
    }
  });

  it("in the place that the environment names", async () => {
    const { home, cwd } = machine();
    const fileOf = async (client: string, env: Record<string, string>) => {
      const args = ["install", "--client", client, "--root", ".", "--json"];
      return (await stet(args, { cwd, env: { HOME: home, ...env } })).json().file;
    };
    if (process.platform === "linux")
      expect(await fileOf("claude-desktop", { XDG_CONFIG_HOME: join(home, "x") })).toBe(
        join(home, "x/Claude/claude_desktop_config.json"),
      );
    expect(await fileOf("codex", { CODEX_HOME: join(home, "c") })).toBe(join(home, "c/config.toml"));
  });
});
