// Seed 000: globs that could only match nothing are refused in words, on every surface that takes globs; links are listed.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { surfaceNamed, surfaceNames } from "../../src/surfaces/index.ts";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const FILES = { "a.ts": "one\n", "d/b.ts": "one\n", "odd[1.ts": "one\n", "x..y": "one\n" };

/** Every way to hand a glob over. */
const WAYS: readonly (readonly [surface: string, tool: string, input: (glob: string) => Record<string, unknown>])[] = [
  ["workspace", "glob", (pattern) => ({ pattern })],
  ["workspace", "glob", (glob) => ({ pattern: "*", excludeGlobs: [glob] })],
  ["workspace", "search_files", (glob) => ({ query: "one", mode: "text", includeGlobs: ["*.ts", glob] })],
  ["workspace", "search_files", (glob) => ({ query: "one", mode: "regex", excludeGlobs: [glob] })],
  ["compact", "Glob", (pattern) => ({ pattern })],
  ["compact", "Grep", (glob) => ({ pattern: "one", glob })],
  ["tracked", "Glob", (pattern) => ({ pattern })],
  ["tracked", "Grep", (glob) => ({ pattern: "one", glob })],
];

const INVALID = ["[", "a[", "src/{a,b", "+(a", "[z-a].ts", "a\\", "!"];
const LEAVING = ["../*", "..", "d/../../x", "d/..", "{..,d}/*", "!../a", "/nowhere/*"];
const PROPER = ["[ab].ts", "*.{ts,js}", "@(a|b).ts", "odd\\[1.ts", "x..y", "...", "a]", "!a.ts", "(a).ts"];

async function ask(
  [surface, tool, input]: (typeof WAYS)[number],
  glob: string,
  backend = disk({ root: directoryWith(FILES) }),
) {
  return call(new Workspace(backend).session(), surfaceNamed(surface), tool, input(glob));
}

describe("seed 000: globs on every surface", () => {
  it("no tool that takes a glob is forgotten here", () => {
    const taking = surfaceNames
      .map((name) => surfaceNamed(name))
      .flatMap((surface) =>
        surface.tools
          .filter((tool) => /glob/i.test(JSON.stringify([tool.name, tool.input.shape, inputSchema(tool)])))
          .map((tool) => `${surface.name} ${tool.name}`),
      );
    expect(new Set(WAYS.map(([surface, tool]) => `${surface} ${tool}`))).toEqual(new Set(taking));
  });

  it.each(WAYS)("an invalid glob is refused in words, not 0 matches: %s %s", async (...way) => {
    for (const glob of INVALID) {
      const answer = await ask(way, glob);
      if (answer.ok) throw new Error(`${glob} was taken: ${answer.text}`);
      expect(["command_failed", "invalid_input"]).toContain(answer.error.kind);
      expect(answer.text).toContain("Nothing was searched. The glob");
      expect(answer.text).toContain("is not valid: ");
    }
  });

  it.each(WAYS)("one that leaves the root is refused in words: %s %s", async (...way) => {
    for (const glob of LEAVING) {
      const answer = await ask(way, glob);
      if (answer.ok) throw new Error(`${glob} was taken: ${answer.text}`);
      expect([glob, answer.error.kind]).toEqual([glob, "outside_workspace"]);
      expect(answer.text).toContain("Nothing was searched. The ");
    }
  });

  it.each(WAYS)("any other is taken: %s %s", async (...way) => {
    for (const glob of PROPER) {
      const answer = await ask(way, glob);
      if (!answer.ok) throw new Error(`${glob} was refused: ${answer.text}`);
    }
  });
});

describe.each(BACKENDS)("seed 000: paths by search_files on %s", (_name, make) => {
  it("what is no valid glob is still found as a part of a path, and refused where it is none", async () => {
    const desk = deskOn(make(FILES));
    const found = async (query: string) =>
      (await desk.ok("search_files", { query, mode: "path" })).data.matches.map(({ path }) => path);
    expect(await found("[1")).toEqual(["odd[1.ts"]);
    expect(await found("[")).toEqual(["odd[1.ts"]);
    expect(await found("..")).toEqual(["x..y"]);
    for (const query of ["[2", "{a,b", "[*", "*["]) {
      const refused = await desk.no("search_files", { query, mode: "path" });
      expect([query, refused.kind]).toEqual([query, "command_failed"]);
      expect(refused.text).toContain("is not valid");
    }
    for (const query of ["../*", "../a.ts", "d/../a.ts"])
      expect((await desk.no("search_files", { query, mode: "path" })).kind).toBe("outside_workspace");
  });
});

describe("seed 000: glob and links", () => {
  it("glob * lists links as list_directory does", async () => {
    const root = directoryWith({ "a.txt": "1\n", "d/x.txt": "2\n", ".hidden": "" });
    mkdirSync(join(root, "empty"));
    for (const [name, to] of Object.entries({ file: "a.txt", dir: "d", nowhere: "none", out: "/etc", ".h": "a.txt" }))
      symlinkSync(to, join(root, name));
    symlinkSync("../a.txt", join(root, "d/up"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    for (const at of [".", "d"]) {
      const globbed = await desk.ok("glob", { pattern: "*", root: at });
      const listed = await desk.ok("list_directory", { path: at, includeHidden: true });
      const names = listed.data.entries.map(({ relativePath, type, size }) => [relativePath, type, size]);
      expect(globbed.data.matches.map(({ path, type, size }) => [path, type, size]).toSorted()).toEqual(
        names.toSorted(),
      );
    }
    const { data, text } = await desk.ok("glob", { pattern: "**" });
    expect(data.matches.filter(({ type }) => type === "symlink").map(({ path }) => path)).toEqual([
      ".h",
      "d/up",
      "dir",
      "file",
      "nowhere",
      "out",
    ]);
    expect(text).toContain("\nd/up (symlink)\n");
  });
});
