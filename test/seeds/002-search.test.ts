// Seed 002, Glob and Grep: what they find, in which order, how much of it, and how it is shown.
import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { callsOf, opened } from "./002-calling.ts";

const TREE = {
  "README.md": "# Title\nhello world\n",
  "docs/guide.md": "Hello again\n",
  "src/app.ts": "const hello = 1;\nconst other = 2;\nexport { hello };\n",
  "src/deep/er.ts": "export const deeper = 1;\n",
  "src/tool.py": "hello = 1\n",
  ".hidden/secret.ts": "const hello = 3;\n",
};

describe.each(BACKENDS)("seed 002: Glob on %s", (_name, make) => {
  it.each([
    ["**/*.ts", ["src/app.ts", "src/deep/er.ts"]],
    ["src/**/*.ts", ["src/app.ts", "src/deep/er.ts"]],
    ["*.md", ["README.md"]],
    ["**/*.{md,py}", ["README.md", "docs/guide.md", "src/tool.py"]],
    ["./src/*", ["src/app.ts", "src/tool.py"]],
  ])("finds %s as absolute paths, with the relative ones in the metadata", async (pattern, paths) => {
    const { ok, absolute } = opened(make, TREE);
    const { data, text } = await ok("Glob", { pattern });
    expect([...data.metadata.relative_paths].sort()).toEqual(paths);
    expect(data.files).toEqual(data.metadata.relative_paths.map(absolute));
    expect(data.metadata).toMatchObject({ count: paths.length, truncated: false });
    expect(text).toBe(data.files.join("\n"));
  });

  it("path is the directory to search; absolute paths and patterns work too", async () => {
    const { ok, absolute } = opened(make, TREE);
    for (const input of [
      { pattern: "*.ts", path: "src" },
      { pattern: "*.ts", path: absolute("src") },
      { pattern: absolute("src/*.ts") },
    ]) {
      expect((await ok("Glob", input)).data.metadata.relative_paths).toEqual(["src/app.ts"]);
    }
  });

  it("type: dir finds directories", async () => {
    const { ok } = opened(make, TREE);
    const { data } = await ok("Glob", { pattern: "**", type: "dir" });
    expect([...data.metadata.relative_paths].filter((path) => path !== "").sort()).toEqual(["docs", "src", "src/deep"]);
  });

  it("include_hidden finds names that start with a dot", async () => {
    const { ok } = opened(make, TREE);
    const { data } = await ok("Glob", { pattern: "**/secret.ts", include_hidden: true });
    expect(data.metadata.relative_paths).toEqual([".hidden/secret.ts"]);
  });

  it("returns 200 paths by default, max_results otherwise, and says that there are more", async () => {
    const files = Object.fromEntries(Array.from({ length: 205 }, (_, index) => [`many/${index}`, ""]));
    const { ok } = opened(make, files);
    const { data, text } = await ok("Glob", { pattern: "many/*" });
    expect(data.files).toHaveLength(200);
    expect(data.metadata.truncated).toBe(true);
    expect(text).toContain("(the newest 200");
    expect((await ok("Glob", { pattern: "many/*", max_results: 300 })).data.files).toHaveLength(205);
  });

  it("no hit is an answer, with suggestions", async () => {
    const { ok } = opened(make, TREE);
    const { data, text } = await ok("Glob", { pattern: "*.ts" });
    expect(data.files).toEqual([]);
    expect(data.suggestions[0]).toBe('Try "**/*.ts" to look in all directories below.');
    expect(text).toMatch(/^Nothing matches "\*\.ts"\.\nTry /);
  });

  it.each([
    [{ pattern: "*", path: "nowhere" }, "not_found"],
    [{ pattern: "*", path: "../.." }, "outside_workspace"],
    [{ pattern: "../**" }, "outside_workspace"],
  ])("%j is refused", async (input, kind) => {
    const { refused } = opened(make, TREE);
    const failure = await refused("Glob", input);
    expect(failure.kind).toBe(kind);
    expect(failure.text).toMatch(/^Nothing was searched\. /);
  });
});

describe.each(BACKENDS)("seed 002: hidden and ignored files on %s", (_name, make) => {
  const files = { ".gitignore": "out/\n", "out/a.js": "hit\n", ".dot/b.js": "hit\n", "c.js": "hit\n" };

  it.each([
    [{}, ["c.js"]],
    [{ include_hidden: true }, [".dot/b.js", "c.js"]],
    [{ include_ignored: true }, ["c.js", "out/a.js"]],
  ])("%j finds %j", async (options, paths) => {
    const { ok } = opened(make, files);
    const globbed = await ok("Glob", { pattern: "**/*.js", ...options });
    expect([...globbed.data.metadata.relative_paths].sort()).toEqual(paths);
    const grepped = await ok("Grep", { pattern: "hit", output_mode: "files_with_matches", ...options });
    expect(grepped.data.content.split("\n").sort()).toEqual(paths);
  });
});

describe("seed 002: Glob on disk", () => {
  function aged(count: number) {
    const names = Array.from({ length: count }, (_, index) => `f${String(index).padStart(3, "0")}`);
    const root = directoryWith(Object.fromEntries(names.map((name) => [name, ""])));
    // The names sort the other way round than the ages, and not by accident.
    for (const [index, name] of names.entries()) utimesSync(join(root, name), 1e9, 1e9 + ((index * 7) % count));
    return { root, ...callsOf(new Workspace(disk({ root }))) };
  }

  it("sorts by mtime, newest first, before it cuts", async () => {
    const { ok } = aged(20);
    const { data } = await ok("Glob", { pattern: "*", max_results: 3 });
    const ages = Array.from(
      { length: 20 },
      (_, index) => [(index * 7) % 20, `f${String(index).padStart(3, "0")}`] as const,
    );
    const newest = ages.sort(([a], [b]) => b - a).slice(0, 3);
    expect(data.metadata.relative_paths).toEqual(newest.map(([, name]) => name));
  });

  it("follow_symlinks looks into linked directories, never outside", async () => {
    const outside = directoryWith({ "secret.ts": "" });
    const root = directoryWith({ "real/a.ts": "" });
    mkdirSync(join(root, "links"));
    symlinkSync("../real", join(root, "links/inside"));
    symlinkSync(outside, join(root, "links/outside"));
    const { ok } = callsOf(new Workspace(disk({ root })));
    expect((await ok("Glob", { pattern: "links/**/*.ts" })).data.files).toEqual([]);
    const { data } = await ok("Glob", { pattern: "links/**/*.ts", follow_symlinks: true });
    expect(data.files.join()).not.toContain("secret");
  });
});

describe.each(BACKENDS)("seed 002: Grep on %s", (_name, make) => {
  const content = async (input: Record<string, unknown>): Promise<string[]> =>
    (await opened(make, TREE).ok("Grep", input)).data.content.split("\n").sort();

  it("finds a regular expression in the workspace", async () => {
    expect(await content({ pattern: "hello( =)? " })).toEqual([
      "README.md:2:hello world",
      "src/app.ts:1:const hello = 1;",
      "src/app.ts:3:export { hello };",
      "src/tool.py:1:hello = 1",
    ]);
  });

  it.each([
    ["path: a directory", { path: "docs", pattern: "Hello" }, ["docs/guide.md:1:Hello again"]],
    [
      "path: a file, hidden or not",
      { path: ".hidden/secret.ts", pattern: "hello" },
      [".hidden/secret.ts:1:const hello = 3;"],
    ],
    ["glob", { glob: "*.py", pattern: "hello" }, ["src/tool.py:1:hello = 1"]],
    ["include, its alias", { include: "*.py", pattern: "hello" }, ["src/tool.py:1:hello = 1"]],
    ["type", { type: "py", pattern: "hello" }, ["src/tool.py:1:hello = 1"]],
    ["case_sensitive is true by default", { pattern: "HELLO" }, [""]],
    ["case_sensitive: false", { pattern: "AGAIN", case_sensitive: false }, ["docs/guide.md:1:Hello again"]],
    ["recursive: false", { path: "src", pattern: "export", recursive: false }, ["src/app.ts:3:export { hello };"]],
    [
      "multiline",
      { pattern: "1;\\nconst other", multiline: true },
      ["src/app.ts:1:const hello = 1;", "src/app.ts:2:const other = 2;"],
    ],
    [
      "context: lines before and after",
      { path: "src/app.ts", pattern: "other", context: 1 },
      ["src/app.ts-1-const hello = 1;", "src/app.ts-3-export { hello };", "src/app.ts:2:const other = 2;"],
    ],
    [
      "output_mode: files_with_matches",
      { pattern: "hello", output_mode: "files_with_matches" },
      ["README.md", "src/app.ts", "src/tool.py"],
    ],
    [
      "output_mode: count",
      { pattern: "hello", output_mode: "count" },
      ["README.md:1", "src/app.ts:2", "src/tool.py:1"],
    ],
  ])("%s", async (_what, input, lines) => {
    expect(await content(input)).toEqual(lines);
  });

  it("context of two matches is shown once, with dashes between places", async () => {
    const { ok } = opened(make, { a: "hit\n2\nhit\n4\n5\n6\nhit\n" });
    const { data } = await ok("Grep", { pattern: "hit", context: 1 });
    expect(data.content).toBe("a:1:hit\na-2-2\na:3:hit\na-4-4\n--\na-6-6\na:7:hit");
  });

  it("returns 250 matches by default in all files together, and continues with offset", async () => {
    const many = "x\n".repeat(200);
    const { ok } = opened(make, { a: many, b: many });
    const first = await ok("Grep", { pattern: "x" });
    expect(first.data.metadata).toMatchObject({ matches: 250, truncated: true, next_offset: 250 });
    expect(first.text).toMatch(/\(250 results of (at least (251|400)|400); continue with offset 250\)$/);
    const rest = await ok("Grep", { pattern: "x", offset: 250 });
    expect(rest.data.metadata).toMatchObject({ matches: 150, truncated: false });
    const lines = new Set([...first.data.content.split("\n"), ...rest.data.content.split("\n")]);
    expect(lines.size).toBe(400);
    expect((await ok("Grep", { pattern: "x", max_results: 2 })).data.metadata.matches).toBe(2);
  });

  it("lines are shown without their line endings", async () => {
    const { ok } = opened(make, { a: "one\r\ntwo\r\n" });
    expect((await ok("Grep", { pattern: "t", context: 1 })).data.content).toBe("a-1-one\na:2:two");
    expect((await ok("Read", { file_path: "a", pattern: "t" })).data.content).toBe("2\ttwo");
  });

  it("no match is an answer", async () => {
    const { ok } = opened(make, TREE);
    const { data, text } = await ok("Grep", { pattern: "nowhere" });
    expect(data).toMatchObject({ content: "", metadata: { matches: 0, files: [], truncated: false } });
    expect(text).toBe('Nothing matches "nowhere".');
  });

  it("a bad regular expression and a path that is not there are refused", async () => {
    const { refused } = opened(make, TREE);
    expect((await refused("Grep", { pattern: "(" })).kind).toBe("command_failed");
    expect((await refused("Grep", { pattern: "x", path: "nowhere" })).kind).toBe("not_found");
  });
});
