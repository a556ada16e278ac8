import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { tracked } from "../../src/surfaces/tracked/index.ts";
import { BACKENDS } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { beside, caller } from "./001-support.ts";

const FILES = {
  "src/a.ts": "const Alpha = 1;\nconst beta = 2;\n",
  "src/deep/b.ts": "alpha();\n",
  "c.md": "# alpha\n",
  ".gitignore": "ignored/\n",
  "ignored/x.ts": "alpha\n",
};

describe.each(BACKENDS)("seed 001, Glob and Grep, on %s", (_name, make) => {
  const open = (files: Record<string, string> = FILES) => caller(make(files));
  const sorted = (text: string) => text.split("\n").sort();

  it.each([
    ["a pattern without / at any depth", { pattern: "*.ts" }, ["src/a.ts", "src/deep/b.ts"]],
    ["**", { pattern: "src/**/*.ts" }, ["src/a.ts", "src/deep/b.ts"]],
    ["one level", { pattern: "src/*.ts" }, ["src/a.ts"]],
    ["? and []", { pattern: "src/?.[tj]s" }, ["src/a.ts"]],
    ["in a directory", { pattern: "*.ts", path: "src/deep" }, ["src/deep/b.ts"]],
    ["no match", { pattern: "*.zig" }, ["No matches."]],
    ["what .gitignore names is left out", { pattern: "x.ts" }, ["No matches."]],
  ])("Glob: %s", async (_what, input, expected) => {
    expect(sorted(await open().text("Glob", input))).toEqual(expected);
  });

  it("Glob lists 100 files by default, and says that there are more", async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}.txt`, ""]));
    const { use } = open(many);
    const result = await use("Glob", { pattern: "*.txt" });
    expect(result).toMatchObject({
      ok: true,
      data: { truncated: true, total: 120 },
      warnings: ["Only the newest 100 of 120 files are listed; raise limit or narrow pattern."],
    });
    expect(result.ok && (result.data as { files: string[] }).files).toHaveLength(100);
    expect(await use("Glob", { pattern: "*.txt", limit: 7 })).toMatchObject({ data: { files: { length: 7 } } });
  });

  it.each([
    ["content by default: path:line:text", { pattern: "beta" }, "src/a.ts:2:const beta = 2;"],
    ["a regular expression", { pattern: "al[a-z]+\\(" }, "src/deep/b.ts:1:alpha();"],
    ["case counts", { pattern: "Alpha" }, "src/a.ts:1:const Alpha = 1;"],
    ["glob", { pattern: "alpha", glob: "*.md" }, "c.md:1:# alpha"],
    ["path: a directory", { pattern: "alpha", path: "src/deep" }, "src/deep/b.ts:1:alpha();"],
    ["path: a file", { pattern: "alpha", path: "c.md" }, "c.md:1:# alpha"],
    ["files_with_matches", { pattern: "const", output_mode: "files_with_matches" }, "src/a.ts"],
    ["count", { pattern: "const", output_mode: "count" }, "src/a.ts:2"],
    ["no match", { pattern: "gamma" }, "No matches."],
  ])("Grep: %s", async (_what, input, expected) => {
    expect(await open().text("Grep", input)).toBe(expected);
  });

  it("Grep shows of a long line what is around the hit", async () => {
    const long = open({ "min.js": `${"x".repeat(9000)}needle${"y".repeat(9000)}\n` });
    expect(await long.text("Grep", { pattern: "needle" })).toBe(
      `min.js:1:…${"x".repeat(500)}needle${"y".repeat(1494)}…`,
    );
  });

  it("Grep: case_insensitive", async () => {
    expect(
      sorted(
        await open().text("Grep", { pattern: "ALPHA", case_insensitive: true, output_mode: "files_with_matches" }),
      ),
    ).toEqual(["c.md", "src/a.ts", "src/deep/b.ts"]);
  });

  it("Grep: head_limit, 250 by default, where 0 means all", async () => {
    const { use } = open({ f: "x\n".repeat(300) });
    expect(await use("Grep", { pattern: "x", head_limit: 0 })).toMatchObject({
      data: { results: { length: 300 }, truncated: false },
    });
    expect(await use("Grep", { pattern: "x" })).toMatchObject({ data: { results: { length: 250 }, truncated: true } });
    expect(await use("Grep", { pattern: "x", head_limit: 5 })).toMatchObject({
      data: { results: { length: 5 }, truncated: true },
      warnings: [
        expect.stringMatching(/^Results 1-5 of (at least 6|300) are shown; go on with offset 5 or raise head_limit\.$/),
      ],
    });
  });

  it("Glob and Grep do not mark", async () => {
    const { text, refused } = open();
    await text("Grep", { pattern: "alpha" });
    await text("Glob", { pattern: "*" });
    expect(await refused("Edit", { file_path: "c.md", old_string: "alpha", new_string: "x" })).toBe(
      "refusing to edit c.md: Read it first",
    );
  });

  it("a place that is not there is refused", async () => {
    for (const tool of ["Grep", "Glob"])
      expect(firstLine(await open().refused(tool, { pattern: "x", path: "no" }))).toBe(
        "stat: no: no such file or directory",
      );
  });

  it("a bad expression is refused with the engine's words", async () => {
    expect(await open().use("Grep", { pattern: "a(" })).toMatchObject({ ok: false, error: { kind: "command_failed" } });
  });
});

describe("seed 001, Glob on disk", () => {
  it("lists the newest first, then by name", async () => {
    const { root, text } = beside({ "old.txt": "", "b.txt": "", "a.txt": "" });
    utimesSync(join(root, "old.txt"), 1000, 1000);
    for (const name of ["a.txt", "b.txt"]) utimesSync(join(root, name), 2000, 2000);
    expect(await text("Glob", { pattern: "*.txt" })).toBe("a.txt\nb.txt\nold.txt");
  });
});

describe("seed 001, the surface", () => {
  it("has five tools, in this order, with plain schemas of less than 8 KB", () => {
    expect(tracked.tools.map((tool) => tool.name)).toEqual(["Read", "Write", "Edit", "Glob", "Grep"]);
    const list = tracked.tools.map(({ name, description, ...tool }) => ({
      name,
      description,
      inputSchema: inputSchema({ name, description, ...tool }),
    }));
    expect(JSON.stringify(list)).not.toMatch(/oneOf|anyOf|allOf/);
    expect(JSON.stringify(list).length).toBeLessThan(8192);
  });

  it("says in its guidance what the gate wants", () => {
    expect(tracked.guidance).toContain("Read a file before you change it");
  });
});
