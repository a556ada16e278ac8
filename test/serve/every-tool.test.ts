// Every tool of every surface: as text alone, in which each call finds what it needs of those before, and for programs
// as data, which these clients hold against the tool's own output schema.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { type ServeOptions, serveOverHttp } from "stet/serve";
import { surfaceNamed, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import { type AnyClient, type CallResult, connect, INFO, modernClient, textOf } from "./clients.ts";
import { closing } from "./http-support.ts";

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
    ["restore_file", (r) => ({ trashedPath: trashId(r[10]), targetPath: "d.md" })],
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
  ["v2 client, 2026-07-28, over HTTP", (options) => overHttp(modernClient(), options)],
];

/** `filesystem` answers as the server that it stands in for, always: test/surfaces/filesystem.test.ts. */
const OWN = surfaceNames.filter((name) => name !== "filesystem");

describe.each(CLIENTS)("%s", (_name, start) => {
  it.each(OWN)("%s: text, and nothing else", async (surface) => {
    for (const several of [false, true]) {
      const client = await start(serving(surface, several));
      const { tools } = await client.listTools();
      for (const tool of tools) expect(tool).not.toHaveProperty("outputSchema");
      for (const result of await callAll(surface, client, several)) {
        expect(result).not.toHaveProperty("structuredContent");
        expect(result.content).toHaveLength(1);
      }
      const refused = await client.callTool(missing(tools, several));
      expect(refused.isError).toBe(true);
      expect(refused).not.toHaveProperty("structuredContent");
      expect(refused._meta ?? {}).not.toHaveProperty("stet/failure");
    }
  });
});

describe.each(CLIENTS.slice(0, 1))("%s", (_name, start) => {
  it.each(OWN)("%s: data for programs, with the words and warnings", async (surface) => {
    for (const several of [false, true]) {
      const client = await start({ ...serving(surface, several), results: "structured" });
      const { tools } = await client.listTools();
      for (const { outputSchema } of tools) {
        expect(outputSchema?.required).toEqual(expect.arrayContaining(["warnings", "text"]));
        expect(outputSchema?.properties).toMatchObject({ warnings: { type: "array" }, text: { type: "string" } });
      }
      expect(new Set(CALLS[surface]!.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)));
      for (const { content, structuredContent } of await callAll(surface, client, several)) {
        expect(structuredContent).toMatchObject({ text: content[0]!.text, warnings: expect.any(Array) });
        expect(structuredContent?.workspace).toBe(several ? "w1" : undefined);
      }
      const refused = await client.callTool(missing(tools, several));
      expect([refused.isError, refused.structuredContent]).toEqual([true, undefined]);
      expect(refused._meta?.["stet/failure"]).toMatchObject({
        kind: expect.any(String),
        message: expect.any(String),
        ...(several && { workspace: "w1" }),
      });
    }
  });
});

it("warnings are in the text and in the data", async () => {
  for (const results of ["text", "structured"] as const) {
    const root = directoryWith({ "a.txt": "one\ntwo\n" });
    const workspace = workspaceIn(root);
    const options = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" } as const;
    const client = await connect(new ClientV1(INFO), { ...options, results });
    await client.callTool({ name: "Read", arguments: { file_path: "a.txt" } });
    writeFileSync(join(root, "a.txt"), "zero\none\ntwo\n");
    const edit = { file_path: "a.txt", old_string: "two", new_string: "2" };
    const result = (await client.callTool({ name: "Edit", arguments: edit })) as CallResult;
    const told = /^Warning: (.*changed.*)$/m.exec(textOf(result))?.[1];
    expect(told, textOf(result)).toBeDefined();
    expect(result.structuredContent?.warnings).toEqual(results === "text" ? undefined : [told]);
  }
});

async function callAll(surface: string, client: AnyClient, several: boolean): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (const [name, given] of CALLS[surface]!) {
    const args = typeof given === "function" ? given(results) : given;
    const common = several ? { workspace: "w1" } : {};
    const result = await client.callTool({ name, arguments: { ...common, ...args } });
    expect(result.isError, `${name} ${JSON.stringify(args)}: ${textOf(result)}`).toBeUndefined();
    expect(textOf(result)).not.toBe("");
    results.push(result);
  }
  return results;
}

/** A call that is refused: without any of its arguments. */
function missing(tools: readonly { readonly name: string }[], several: boolean) {
  return { name: tools[0]!.name, arguments: several ? { workspace: "w1" } : {} };
}

async function overHttp(client: ClientV2, options: ServeOptions): Promise<AnyClient> {
  const { url, token } = closing(await serveOverHttp(options));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return closing(client) as unknown as AnyClient;
}

function serving(surface: string, several: boolean): ServeOptions {
  const files = { "a.ts": "const a = 1;\nconst b = 2;\n", "x.bin": Buffer.from([0, 1, 2]) };
  const [first, second] = ["w0", "w1"].map((name) => ({ name, workspace: memoryWorkspace(files) }));
  return { surface: surfaceNamed(surface), served: several ? [first!, second!] : [first!], version: "1" };
}

function sha(result: CallResult | undefined): string | undefined {
  return /sha256=([0-9a-f]{64})/.exec(textOf(result!))?.[1];
}

function trashId(result: CallResult | undefined): string | undefined {
  return /trashedPath "([^"]+)"/.exec(textOf(result!))?.[1];
}

function hashIn(result: CallResult | undefined): string | undefined {
  return /^\d+#\w+/m.exec(textOf(result!))?.[0];
}

function lastHashIn(result: CallResult | undefined): string | undefined {
  return [...textOf(result!).matchAll(/^\d+#\w+/gm)].at(-1)?.[0];
}
