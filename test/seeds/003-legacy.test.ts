// Seed 003: "wrapper tools remain for backward compatibility", in every way to use the surface; and what its page says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/cli/config/settings.ts";
import { surfaceOf } from "../../src/cli/open/workspaces.ts";
import { openWorkspace } from "../../src/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { files } from "../../src/surfaces/files/index.ts";
import { loadSurface } from "../../src/surfaces/load.ts";
import { connect, modernClient } from "../serve/clients.ts";
import { stet } from "../support/cli.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const WRAPPERS = ["read_file", "write_file", "edit_file", "ls", "delete_file"];
const LEGACY = { "stet.config.json": JSON.stringify({ surface: "files", files: { legacy: true } }) };

describe("wrapper tools remain for backward compatibility", () => {
  it.each([
    ["the configuration", LEGACY, {}],
    ["the environment", {}, { STET_FS_LEGACY: "true", STET_SURFACE: "files" }],
  ])("over the command line, by %s", async (_by, given, env) => {
    const cwd = directoryWith(given);
    const before = process.env.STET_FS_LEGACY;
    Object.assign(process.env, env);
    try {
      const { json } = await stet(["tools", "--json"], { cwd, env });
      expect(json().tools.map(({ name }: { name: string }) => name)).toEqual(["files", ...WRAPPERS]);
      const calls = [
        ...["write_file", '{"file_path":"a","content":"one"}'],
        ...["edit_file", '{"file_path":"a","old_string":"one","new_string":"two"}'],
        ...["read_file", '{"file_path":"a"}', "ls", "{}", "delete_file", '{"file_path":"a"}', "ls", "{}"],
      ];
      const { out, code } = await stet(["call", "--text", ...calls], { cwd, env });
      expect([out.trimEnd().split("\n"), code]).toEqual([
        ["Updated file a", "Updated file a", "     1\ttwo", "a", "Deleted file a"],
        0,
      ]);
    } finally {
      delete process.env.STET_SURFACE;
      if (before === undefined) delete process.env.STET_FS_LEGACY;
    }
  });

  it.each(WRAPPERS)("without the switch, stet call %s names it", async (name) => {
    const { err, code } = await stet(["call", "--surface", "files", name, "{}"], { cwd: directoryWith({}) });
    expect([err, code]).toEqual([expect.stringContaining(`no tool "${name}"`), 2]);
    expect(err).toContain("Use files. The owner can have it offered with STET_FS_LEGACY=true.");
  });

  it("over MCP, by the configuration, as a server opens it", async () => {
    const cwd = directoryWith(LEGACY);
    const settings = await settingsOf({ cwd, env: { HOME: "/nonexistent/home" } }, {});
    const surface = await surfaceOf(settings);
    const served = [{ name: "main", workspace: memoryWorkspace({}) }] as const;
    const client = await connect(modernClient(), { surface, served, version: "0" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["files", ...WRAPPERS]);
    await client.callTool({ name: "write_file", arguments: { file_path: "a", content: "one" } });
    const { content } = await client.callTool({ name: "files", arguments: { command: "read", file_path: "a" } });
    expect(content).toMatchObject([{ text: "     1\tone" }]);
  });

  it("only when they are asked for, and never beside others of their names", async () => {
    expect((await loadSurface("files")).tools.map(({ name }) => name)).toEqual(["files"]);
    const joined = await loadSurface("files,tracked", { legacy: true });
    expect(joined.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["files", "ls", "Read"]));
    await expect(loadSurface("files,workspace", { legacy: true })).rejects.toThrow(/both have a tool named/);
  });
});

describe("docs/surfaces/files.md says what happens", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/surfaces/files.md"), "utf8").replaceAll("\n", " ");
  const lines = Array.from({ length: 2500 }, (_, n) => `line ${n}\n`).join("");

  it.each([0, -3])("with limit %d: the default", async (limit) => {
    expect(page).toContain("number of lines; 0 or less means the default | 2000 |");
    const session = memoryWorkspace({}).session();
    await call(session, files(), "files", { command: "write", file_path: "a", content: lines });
    const { text } = await call(session, files(), "files", { command: "read", file_path: "a", limit });
    expect(text).toContain("  2000\tline 1999\n");
    expect(text).not.toContain("line 2000");
  });

  it("with old_string in several places: the first in a store, nothing in a sandbox", async () => {
    expect(page).toContain("in a store the first one is replaced, and a warning tells how many there are");
    expect(page).toContain("in a sandbox nothing is changed, and the refusal names the lines");
    const edit = { command: "edit", file_path: "a", old_string: "x", new_string: "y" };
    const session = openWorkspace({ root: directoryWith({ a: "x 1\nx 2\n" }) }).session();
    await call(session, files(), "files", { command: "write", file_path: "a", content: "x 1\nx 2\n" });
    expect((await call(session, files(), "files", edit)).text).toContain("old_string is in a 2 times; only the first");
    expect((await call(session, files(), "files", { command: "read", file_path: "a" })).text).toBe(
      "     1\ty 1\n     2\tx 2",
    );
    const sandbox = files({ mode: "sandbox" });
    const refused = await call(session, sandbox, "files", edit);
    expect([refused.ok, refused.text]).toEqual([false, expect.stringContaining("lines 1 and 2")]);
    expect((await call(session, sandbox, "files", { command: "read", file_path: "a" })).text).toBe(
      "     1\tx 1\n     2\tx 2",
    );
  });
});
