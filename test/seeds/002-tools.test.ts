// Seed 002, the tool list: names, visible and hidden parameters, defaults, size, and what is not there any more.
import { describe, expect, expectTypeOf, it } from "vitest";
import { bind } from "../../src/surfaces/bind.ts";
import { compact, compactSurface } from "../../src/surfaces/compact/index.ts";
import { parseInput } from "../../src/surfaces/input/input.ts";
import { inputSchema, outputSchema } from "../../src/surfaces/schema.ts";
import type { AnyTool } from "../../src/surfaces/tool.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { callsOf } from "./002-calling.ts";

const tools: readonly AnyTool[] = compact.tools;
const named = (name: string): AnyTool => tools.find((tool) => tool.name === name)!;

describe("seed 002: the five actions", () => {
  it("are Read, Write, Edit, Glob and Grep", () => {
    expect(tools.map((tool) => tool.name)).toEqual(["Read", "Write", "Edit", "Glob", "Grep"]);
  });

  it.each(["ls", "mv", "cp", "rm", "mkdir", "insert", "find", "file_stat", "undo"])("%s was removed", async (name) => {
    const { refused } = callsOf(memoryWorkspace({}));
    const failure = await refused(name, {});
    expect(failure.kind).toBe("invalid_input");
    expect(failure.text).toContain("Use one of Read, Write, Edit, Glob, Grep.");
  });

  it.each([
    ["Read", ["file_path", "offset", "limit"], ["file_path"], ["encoding", "pages", "pattern", "max_binary_size"]],
    ["Write", ["file_path", "content"], ["file_path", "content"], ["create_dirs", "encoding", "atomic"]],
    [
      "Edit",
      ["file_path", "old_string", "new_string"],
      ["file_path", "old_string", "new_string"],
      ["replace_all", "insert_at_line", "fuzzy_threshold", "max_suggestions", "encoding"],
    ],
    ["Glob", ["pattern", "path"], ["pattern"], ["type", "max_results", "include_hidden", "follow_symlinks"]],
    [
      "Grep",
      ["pattern", "path"],
      ["pattern"],
      ["glob", "context", "type", "recursive", "max_results", "case_sensitive", "output_mode", "multiline", "offset"],
    ],
  ])("%s shows only its visible parameters", (name, visible, required, hidden) => {
    const schema = inputSchema(named(name)) as { type: string; properties: object; required: string[] };
    expect(schema.type).toBe("object");
    expect(Object.keys(schema.properties)).toEqual(visible);
    expect(schema.required).toEqual(required);
    for (const each of hidden) {
      expect(named(name).input.shape).toHaveProperty(each);
      expect(schema.properties).not.toHaveProperty(each);
    }
  });

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
    expect(parseInput(named(name), input)).toMatchObject(defaults);
  });

  it.each([
    ["Read", { path: "a" }, { file_path: "a" }],
    ["Write", { path: "a", content: "x" }, { file_path: "a" }],
    ["Edit", { path: "a", old_string: "x", new_string: "y" }, { file_path: "a" }],
    ["Grep", { pattern: "x", include: "*.ts" }, { glob: "*.ts" }],
    ["Read", { file_path: "a", offset: "3", limit: null }, { offset: 3 }],
  ])("%s takes %j", (name, input, parsed) => {
    expect(parseInput(named(name), input)).toMatchObject(parsed);
  });

  it.each([
    ["Read", { file_path: "a", offset: -1 }],
    ["Read", { file_path: "a", limit: 0 }],
    ["Edit", { file_path: "a", new_string: "x", insert_at_line: 0 }],
    ["Grep", { pattern: "x", context: 21 }],
    ["Grep", { pattern: "x", output_mode: "lines" }],
    ["Glob", { pattern: "x", type: "link" }],
  ])("%s does not take %j", (name, input) => {
    expect(() => parseInput(named(name), input)).toThrow(/Call \w+ again/);
  });

  it("a missing argument is answered in words", async () => {
    const { refused } = callsOf(memoryWorkspace({}));
    expect((await refused("Write", { file_path: "a" })).text).toBe(
      "Write rejected, nothing was written. The required parameter `content` is missing (Full file content). Call Write again with the arguments put right.",
    );
    expect((await refused("Edit", { file_path: "a", new_string: "x" })).text).toMatch(
      /^Edit rejected, file unchanged\. The required parameter `old_string` is missing/,
    );
  });

  it("the tool list is at most 4 KB of JSON", () => {
    const list = tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: inputSchema(tool),
    }));
    const bytes = Buffer.byteLength(JSON.stringify(list));
    console.log(`compact: ${bytes} bytes for ${list.length} tools`);
    expect(bytes).toBeLessThanOrEqual(4096);
  });

  it("every output has a JSON Schema with an object at the root", () => {
    for (const tool of tools) expect(outputSchema(tool)).toMatchObject({ type: "object" });
  });

  it("can be bound as typed functions", async () => {
    const tool = bind(compactSurface(), memoryWorkspace({ a: "1\n" }).session());
    const read = await tool.Read({ file_path: "a" });
    if (!read.ok) throw new Error(read.text);
    expectTypeOf(read.data.metadata.size).toEqualTypeOf<number>();
    expect(read.data.metadata.size).toBe(2);
    expect((await tool.Edit({ file_path: "a", old_string: "1", new_string: "2" })).ok).toBe(true);
  });
});
