// Every tool of every surface, called through clients that hold each result against the tool's own output schema.
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import type { ServeOptions } from "../../src/serve/served.ts";
import { surfaceNamed, surfaceNames } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { type AnyClient, type CallResult, connect, INFO, modernClient, textOf } from "./clients.ts";

type Data = Record<string, unknown>;
type Call = readonly [tool: string, args: Data | ((results: readonly CallResult[]) => Data)];

const A = { file_path: "a.ts" };

const CALLS: Readonly<Record<string, readonly Call[]>> = {
  workspace: [
    ["read_file", { path: "a.ts" }],
    ["read_file", { path: "a.ts", startLine: 1, endLine: 1 }],
    ["read_file", { path: "x.bin", allowBinary: true }],
    ["list_directory", { path: ".", recursive: true }],
    ["search_files", { query: "const", mode: "text", contextLines: 1 }],
    ["glob", { pattern: "**/*.ts" }],
    ["create_file", { path: "new/b.md", content: "b\n", createParentDirectories: true }],
    ["write_file", (r) => ({ path: "new/b.md", content: "w\n", expectedSha256: sha(r[6]) })],
    ["edit_file", (r) => ({ path: "a.ts", expectedSha256: sha(r[0]), edits: [{ oldText: "1", newText: "10" }] })],
    ["move_file", (r) => ({ fromPath: "new/b.md", toPath: "c.md", expectedSha256: sha(r[7]) })],
    ["delete_file", (r) => ({ path: "c.md", expectedSha256: sha(r[7]) })],
    ["list_trash", {}],
    ["restore_file", (r) => ({ trashedPath: dataOf(r[10]).trashedTo, targetPath: "d.md" })],
    ["apply_patch", { patch: "--- /dev/null\n+++ b/p.md\n@@ -0,0 +1 @@\n+patched\n" }],
    ["audit_log", { includeDiff: true }],
  ],
  tracked: [
    ["Read", A],
    ["Write", { file_path: "b.md", content: "b\n" }],
    ["Edit", { ...A, old_string: "1", new_string: "10" }],
    ["Glob", { pattern: "**/*" }],
    ["Grep", { pattern: "const", output_mode: "content" }],
    ["Grep", { pattern: "const", output_mode: "count" }],
  ],
  compact: [
    ["Read", A],
    ["Write", { file_path: "b.md", content: "b\n" }],
    ["Edit", { ...A, old_string: "1", new_string: "10" }],
    ["Glob", { pattern: "**/*" }],
    ["Grep", { pattern: "const" }],
  ],
  files: [
    ["files", { command: "write", file_path: "/a", content: "one\n" }],
    ["files", { command: "read", file_path: "/a" }],
    ["files", { command: "edit", file_path: "/a", old_string: "one", new_string: "two" }],
    ["files", { command: "ls" }],
    ["files", { command: "delete", file_path: "/a" }],
  ],
  anchors: [
    ["read_file", { path: "a.ts", hashes: true }],
    [
      "edit",
      (r) => ({ path: "a.ts", operations: [{ op: "replace_line", hash: hashIn(r[0]), content: "let a = 3;" }] }),
    ],
    ["edit", (r) => ({ path: "a.ts", dry_run: true, operations: [{ op: "delete_line", hash: lastHashIn(r[0]) }] })],
    ["write_file", { path: "b.md", content: "b\n" }],
  ],
};

const CLIENTS: readonly (readonly [string, (options: ServeOptions) => Promise<AnyClient>])[] = [
  ["v1 client", (options) => connect(new ClientV1(INFO), options)],
  ["v2 client, 2026-07-28", (options) => connect(modernClient(), options)],
];

describe.each(CLIENTS)("%s", (_name, start) => {
  it.each(surfaceNames)("%s", async (surface) => {
    const calls = CALLS[surface] ?? [];
    for (const several of [false, true]) {
      const client = await start(serving(surface, several));
      const { tools } = await client.listTools();
      expect(new Set(calls.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)));
      const results: CallResult[] = [];
      for (const [name, given] of calls) {
        const args = typeof given === "function" ? given(results) : given;
        const result = await client.callTool({ name, arguments: several ? { workspace: "w1", ...args } : args });
        expect(result.isError, `${name} ${JSON.stringify(args)}: ${textOf(result)}`).toBeUndefined();
        expect(textOf(result)).not.toBe("");
        results.push(result);
      }
    }
  });
});

function serving(surface: string, several: boolean): ServeOptions {
  const files = { "a.ts": "const a = 1;\nconst b = 2;\n", "x.bin": Buffer.from([0, 1, 2]) };
  const [first, second] = ["w0", "w1"].map((name) => ({ name, workspace: memoryWorkspace(files) }));
  return { surface: surfaceNamed(surface), served: several ? [first!, second!] : [first!], version: "1" };
}

function dataOf(result: CallResult | undefined): Data {
  return result?.structuredContent ?? {};
}

function sha(result: CallResult | undefined): unknown {
  return dataOf(result).sha256 ?? dataOf(result).afterSha256;
}

function hashIn(result: CallResult | undefined): string | undefined {
  return /^\d+#\w+/m.exec(String(dataOf(result).content))?.[0];
}

function lastHashIn(result: CallResult | undefined): string | undefined {
  return [...String(dataOf(result).content).matchAll(/^\d+#\w+/gm)].at(-1)?.[0];
}
