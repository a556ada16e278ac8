// Seed 000: the tools at a glance, error kinds, paths, and what models are told.
import { describe, expect, it } from "vitest";
import type { FailureKind } from "../../src/core/failure.ts";
import type { Workspace } from "../../src/kernel/workspace.ts";
import { offeredTools } from "../../src/surfaces/offer.ts";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { workspace } from "../../src/surfaces/workspace/index.ts";
import { KINDS, kindOf } from "../../src/surfaces/workspace/words.ts";
import { BACKENDS, memoryWorkspace } from "../support/workspace.ts";
import { deskOn, type ToolName } from "./000-calls.ts";

const SHA = "0".repeat(64);
const GLANCE: readonly ToolName[] = [
  "read_file",
  "list_directory",
  "search_files",
  "glob",
  "create_file",
  "write_file",
  "edit_file",
  "delete_file",
  "restore_file",
  "move_file",
  "apply_patch",
];
const namesOf = (place: Workspace) => offeredTools(workspace, place.policy).map(({ name }) => name);

describe("seed 000: tools at a glance", () => {
  it("has the eleven tools, and two views to find what to restore", () => {
    expect(workspace.tools.map(({ name }) => name)).toEqual([...GLANCE, "audit_log", "list_trash"]);
  });

  it("the list that models see is small", () => {
    const list = workspace.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchema(tool),
    }));
    const bytes = Buffer.byteLength(JSON.stringify(list));
    console.log(`workspace: ${list.length} tools, ${bytes} bytes of JSON`);
    expect(bytes).toBeLessThanOrEqual(8192);
  });

  it("defaults are as documented", () => {
    const defaults = Object.fromEntries(
      workspace.tools.map((tool) => {
        const fields = inputSchema(tool).properties as Record<string, { default?: unknown }>;
        return [
          tool.name,
          Object.fromEntries(
            Object.entries(fields).flatMap(([name, field]) => ("default" in field ? [[name, field.default]] : [])),
          ),
        ];
      }),
    );
    expect(defaults).toMatchObject({
      read_file: { maxBytes: 262_144, allowBinary: false },
      list_directory: { recursive: false, includeHidden: false },
      search_files: { root: ".", maxResults: 100, contextLines: 0 },
      glob: { root: ".", maxResults: 1000 },
      create_file: { createParentDirectories: false },
      delete_file: { permanent: false },
      move_file: { overwrite: false },
      apply_patch: { atomic: true },
    });
  });

  it.each([
    ["write_file", ["path", "content", "expectedSha256"]],
    ["edit_file", ["path", "edits", "expectedSha256"]],
    ["move_file", ["fromPath", "toPath", "expectedSha256"]],
    ["delete_file", ["path"]],
    ["apply_patch", ["patch"]],
    ["restore_file", ["trashedPath"]],
  ] as const)("%s requires %j", (name, required) => {
    expect(inputSchema(workspace.tools.find((tool) => tool.name === name)!).required).toEqual(required);
  });

  it("a read-only workspace offers only what reads, and keeps no state", () => {
    const names = namesOf(memoryWorkspace({}, { policy: { readOnly: true } }));
    expect(names).toEqual(["read_file", "list_directory", "search_files", "glob", "audit_log", "list_trash"]);
  });

  it("actions that are not allowed take their tools away", () => {
    const names = namesOf(memoryWorkspace({}, { policy: { allowedActions: ["read", "edit"] } }));
    expect(names).toEqual(["read_file", "edit_file", "apply_patch", "audit_log", "list_trash"]);
  });
});

describe("seed 000: error kinds", () => {
  it("are a closed set: every kind of the kernel has a name in it", () => {
    const all: readonly FailureKind[] = [
      "unread_file",
      "unseen_content",
      "merge_conflict",
      "invalid_path",
      "not_a_file",
      "not_text",
      "cancelled",
      "disk_full",
      "io_error",
      "busy",
      "not_kept",
      "unsupported",
      "invalid_input",
      "too_many_files",
      "pattern_too_complex",
    ];
    expect(all.map(kindOf).every((kind) => KINDS.includes(kind))).toBe(true);
    expect(KINDS.map(kindOf)).toEqual([...KINDS]);
  });

  it("a call that takes too long is a timeout", async () => {
    const desk = deskOn(BACKENDS[0]![1]({ a: "1\n" }), { limits: { callMs: 1e-9 } });
    expect((await desk.no("read_file", { path: "a" })).kind).toBe("timeout");
    expect((await desk.no("list_directory", { path: "." })).kind).toBe("timeout");
  });
});

describe.each(BACKENDS)("seed 000: paths on %s", (_name, make) => {
  const calls = (path: string): readonly (readonly [ToolName, object])[] => [
    ["read_file", { path }],
    ["list_directory", { path }],
    ["search_files", { query: "x", mode: "text", root: path }],
    ["glob", { pattern: "*", root: path }],
    ["create_file", { path, content: "" }],
    ["write_file", { path, content: "", expectedSha256: SHA }],
    ["edit_file", { path, edits: [{ oldText: "x", newText: "y" }], expectedSha256: SHA }],
    ["delete_file", { path }],
    ["restore_file", { trashedPath: path }],
    ["move_file", { fromPath: path, toPath: "b", expectedSha256: SHA }],
    ["move_file", { fromPath: "a", toPath: path, expectedSha256: SHA }],
    ["apply_patch", { patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }],
    ["audit_log", { path }],
    ["list_trash", { path }],
  ];

  it.each(["/etc/hostname", "../outside", "a/../../outside"])(
    "%s is outside the workspace for every tool",
    async (path) => {
      const desk = deskOn(make({ "a/x": "1\n" }));
      for (const [name, input] of calls(path)) {
        const refused = await desk.no(name, input);
        expect([name, refused.kind, refused.recoverable]).toEqual([name, "outside_workspace", false]);
      }
    },
  );

  it("a path that the policy denies is denied for every tool that would touch it", async () => {
    const desk = deskOn(make({ a: "1\n", "secrets/key": "SECRET\n" }));
    for (const [name, input] of calls("secrets/key").filter(
      ([name]) => !["restore_file", "audit_log", "list_trash"].includes(name),
    )) {
      const refused = await desk.no(name, input);
      expect([name, refused.kind, refused.recoverable]).toEqual([name, "permission_denied", false]);
      expect(refused.text).not.toContain("SECRET");
    }
  });

  it("names cannot disturb the text they are printed in", async () => {
    const desk = deskOn(make({ "a\u202eb.txt": "1\n" }));
    const { text } = await desk.ok("list_directory", { path: "." });
    expect(text).toContain("a\\u{202e}b.txt");
    expect((await desk.ok("read_file", { path: "a\u202eb.txt" })).text).not.toContain("\u202e");
  });
});
