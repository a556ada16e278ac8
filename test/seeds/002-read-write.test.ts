// Seed 002: defaults, Read by a pattern, Write as one step, and what a linter says.

import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyTool, compact, compactSurface, type Linter } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";
import { all } from "../support/assertions.ts";

const tools: readonly AnyTool[] = compact.tools;
const named = (name: string): AnyTool => tools.find((tool) => tool.name === name)!;

describe("seed 002: the five actions", () => {
  it.each([
    ["Read", { file_path: "a" }, { pattern: "", max_binary_size: 1024 * 1024 }],
    ["Write", { file_path: "a", content: "" }, { create_dirs: true, atomic: true }],
    [
      "Edit",
      { file_path: "a", old_string: "a", new_string: "b" },
      { replace_all: false, fuzzy_threshold: 0.85, max_suggestions: 3 },
    ],
    ["Glob", { pattern: "*" }, { type: "file", max_results: 200, include_hidden: false, follow_symlinks: false }],
    [
      "Grep",
      { pattern: "a" },
      {
        context: 0,
        recursive: true,
        max_results: 250,
        case_sensitive: true,
        output_mode: "content",
        multiline: false,
        offset: 0,
      },
    ],
  ])("defaults of %s", (name, input, defaults) => {
    expect(named(name).input.parse(input)).toMatchObject(defaults);
  });
});

const numberedLines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join("");

describe("seed 002: Read", () => {
  it("reads the first 2000 lines of a file of more than 10 MiB, too", async () => {
    const LONG = numberedLines(900_000);
    const { done, refused } = agentWith(compact, { a: LONG, pdf: `%PDF-1.4\n${LONG}` });
    const { text } = await done("Read", { file_path: "a" });
    expect(text.split("\n").slice(-2)).toEqual([
      "2000\tline 2000",
      "(lines 1-2000 of 900000; continue with offset 2000)",
    ]);
    expect((await refused("Read", { file_path: "pdf" })).kind).toBe("binary_file");
  });

  it("pattern: searches UTF-8 only", async () => {
    const { refused } = agentWith(compact, { latin: Buffer.from("caf\u00e9\n", "latin1") });
    const failure = await refused("Read", { file_path: "latin", encoding: "latin1", pattern: "caf" });
    expect(failure.kind).toBe("unsupported");
  });

  it("pattern: the numbers are those of Read and Edit, also where lines have a lone CR", async () => {
    const log = "start\nprogress 1%\rprogress 50%\rprogress 100%\ndone\nlast\n";
    const { done, refused } = agentWith(compact, { "log.txt": log });
    expect((await done("Read", { file_path: "log.txt", pattern: "^last" })).data.content).toBe("4\tlast");
    expect((await done("Read", { file_path: "log.txt" })).data).toMatchObject({
      content: "1\tstart\n2\tprogress 1%\rprogress 50%\rprogress 100%\n3\tdone\n4\tlast",
      metadata: { lines: 4 },
    });
    const old_string = "progress 1%\nprogress 50%\nprogress 100%\ndone";
    expect((await refused("Edit", { file_path: "log.txt", old_string, new_string: "X\ndone" })).kind).toBe(
      "old_text_not_found",
    );
    await done("Edit", { file_path: "log.txt", new_string: "INSERTED", insert_at_line: 4 });
    expect((await done("Read", { file_path: "log.txt", pattern: "INS|last" })).data.content).toBe(
      "4\tINSERTED\n5\tlast",
    );
  });

  it("what a pattern showed counts as read, but not as the whole file", async () => {
    const { done } = agentWith(compact, { a: numberedLines(200) });
    await done("Read", { file_path: "a", pattern: "line 7$" });
    await done("Edit", { file_path: "a", old_string: "line 7\n", new_string: "seven\n" });
    const { warnings } = await done("Write", { file_path: "a", content: "all new\n" });
    expect(warnings.join()).toContain("never shown to this session");
  });

  it("a notebook is read as its text", async () => {
    const { done } = agentWith(compact, { "a.ipynb": '{\n "cells": []\n}\n' });
    expect((await done("Read", { file_path: "a.ipynb" })).data.content).toBe('1\t{\n2\t "cells": []\n3\t}');
  });
});

describe("seed 002: Write", () => {
  it("writing the same content again changes nothing", async () => {
    const { done, workspace } = agentWith(compact, { a: "1\n" });
    expect((await done("Write", { file_path: "a", content: "1\n" })).data.metadata.operation).toBe("update");
    expect(await all(workspace.log())).toEqual([]);
  });
});

describe("seed 002: lint", () => {
  const silent: Linter = async () => null;
  const withLinter = (linter: Linter) => agentWith(compactSurface({ linter }), {});

  it("vanilla does not lint", async () => {
    const { done } = agentWith(compact, {});
    expect((await done("Write", { file_path: "a.json", content: "{" })).data).not.toHaveProperty("lint");
    const edited = await done("Edit", { file_path: "a.json", old_string: "{", new_string: "[" });
    expect(edited.data).not.toHaveProperty("lint");
  });

  it("a linter that is plugged in is asked first, with the path and the text", async () => {
    const asked: string[][] = [];
    const item = { line: 1, column: 2, severity: "warning" as const, message: "unused", code: "F401", source: "ruff" };
    const { done } = withLinter(async (...given) => {
      asked.push(given);
      return [item];
    });
    const { data, text } = await done("Write", { file_path: "a.py", content: "import os\n" });
    expect(asked).toEqual([["/a.py", "import os\n"]]);
    expect(data.lint).toEqual({ errors: 0, warnings: 1, items: [item] });
    expect(text).toMatch(/\nLint: 0 errors, 1 warning\n {2}1:2 warning: unused \(ruff\)$/);
  });

  it.each([
    ["a.json", "{ // no comment\n}", "json"],
    ["a.jsonc", "{ // comment\n", "jsonc"],
    ["a.yaml", "a: [1\n", "yaml"],
    ["a.yml", "a: 1\na: 2\n", "yaml"],
    ["a.toml", "a = \n", "toml"],
    ["a.ts", "let a: = 1;\n", "typescript"],
  ])("the built-in validator of %s is the fallback", async (file_path, content, source) => {
    const { done } = withLinter(silent);
    const { data } = await done("Write", { file_path, content });
    expect(data.lint?.errors).toBeGreaterThan(0);
    expect(data.lint?.items[0]).toMatchObject({ severity: "error", source });
  });

  it("Edit has the field, too", async () => {
    const { done } = withLinter(silent);
    const written = await done("Write", { file_path: "a.json", content: "{}" });
    expect(written.data.lint).toEqual({ errors: 0, warnings: 0, items: [] });
    const { data } = await done("Edit", { file_path: "a.json", old_string: "{}", new_string: "{" });
    expect(data.lint?.errors).toBe(1);
  });

  it("a linter that fails does not turn a write that happened into a failure", async () => {
    const { done } = withLinter(() => Promise.reject(new Error("no server")));
    const { data, warnings } = await done("Write", { file_path: "a.json", content: "{" });
    expect(data.lint?.errors).toBe(1);
    expect(warnings).toEqual(["The linter gave up (no server)."]);
  });

  it.each([[{}], [[7]], ["broken"]])(
    "a linter that says %j is told of, and the built-in validator stands in",
    async (said) => {
      const { done } = withLinter(async () => said as never);
      const { data, warnings } = await done("Write", { file_path: "a.json", content: "{" });
      expect(data.lint?.errors).toBe(1);
      expect(warnings).toEqual(["The linter said something that is not a list of findings."]);
    },
  );

  it("no verdict, no field", async () => {
    const { done } = withLinter(silent);
    expect((await done("Write", { file_path: "a.txt", content: "x" })).data).not.toHaveProperty("lint");
  });
});

describe("seed 002: Write is temp + rename", () => {
  it("Write puts a whole new file in place: who has the old one open still sees all of it", async () => {
    const { root, done } = agentOnDisk(compact, { a: "old and whole\n" });
    const fd = openSync(join(root, "a"), "r");
    try {
      const { ino } = fstatSync(fd);
      await done("Write", { file_path: "a", content: "new\n" });
      expect(readFileSync(fd, "utf8")).toBe("old and whole\n");
      expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
      const now = openSync(join(root, "a"), "r");
      expect(fstatSync(now).ino).not.toBe(ino);
      closeSync(now);
    } finally {
      closeSync(fd);
    }
  });
});
