// Tools over MCP, with every client: what is listed, what a call returns, and what a refusal or a defect looks like.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServeOptions } from "stet/serve";
import { call, defineTool, inputSchema, type Surface, surfaceNamed, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import { CLIENTS, textOf } from "./clients.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** In MCP's words: read-only, not destructive because they only add, and destructive. */
const ANNOTATED: Readonly<Record<string, object>> = {
  workspace: {
    read: ["read_file", "list_directory", "search_files", "glob", "audit_log", "list_trash"],
    add: ["create_file", "restore_file"],
    destroy: ["write_file", "edit_file", "delete_file", "move_file", "apply_patch"],
  },
  tracked: { read: ["Read", "Glob", "Grep"], add: [], destroy: ["Write", "Edit"] },
  compact: { read: ["Read", "Glob", "Grep"], add: [], destroy: ["Write", "Edit"] },
  files: { read: [], add: [], destroy: ["files"] },
  anchors: { read: ["read_file"], add: [], destroy: ["edit", "write_file"] },
  filesystem: {
    read: [
      ...["read_file", "read_text_file", "read_media_file", "read_multiple_files", "list_directory"],
      ...["list_directory_with_sizes", "directory_tree", "search_files", "get_file_info", "list_allowed_directories"],
    ],
    add: ["create_directory"],
    destroy: ["write_file", "edit_file", "move_file"],
  },
};

describe.each(CLIENTS)("%s", (_name, connect) => {
  it.each(surfaceNames)("lists the tools of the surface %s", async (surface) => {
    const client = await connect(serving({}, surface));
    const { tools } = await client.listTools();
    const expected = surfaceNamed(surface).tools;
    expect(tools.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
    for (const [index, tool] of tools.entries()) {
      expect(tool.title).toBe(expected[index]!.title);
      expect(tool.inputSchema).toEqual(JSON.parse(JSON.stringify(inputSchema(expected[index]!))));
      expect("outputSchema" in tool).toBe(expected[index]!.result !== undefined);
      expect(tool.annotations?.openWorldHint).toBe(false);
      expect(tool.annotations?.idempotentHint).toBe(tool.annotations?.readOnlyHint === true ? true : undefined);
    }
    const withHints = (readOnlyHint: boolean, destructiveHint: boolean) =>
      tools
        .filter(({ annotations }) => annotations?.readOnlyHint === readOnlyHint)
        .filter(({ annotations }) => annotations?.destructiveHint === destructiveHint)
        .map(({ name }) => name);
    expect({ read: withHints(true, false), add: withHints(false, false), destroy: withHints(false, true) }).toEqual(
      ANNOTATED[surface],
    );
  });

  it("reads, edits, and refuses to edit what changed meanwhile", async () => {
    const root = directoryWith({ "a.txt": "one\ntwo\n" });
    const workspace = workspaceIn(root);
    const client = await connect({
      surface: surfaceNamed("workspace"),
      served: [{ name: "w", workspace }],
      version: "1",
    });
    await client.listTools();
    const read = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
    expect(textOf(read)).toContain("one");
    const [, sha256 = ""] = /sha256=(\w+)/.exec(textOf(read))!;
    const edit = (expectedSha256: string, newText: string) =>
      client.callTool({
        name: "edit_file",
        arguments: { path: "a.txt", expectedSha256, edits: [{ oldText: "two", newText }] },
      });
    const edited = await edit(sha256, "2");
    expect(edited).not.toHaveProperty("structuredContent");
    expect(textOf(edited)).toMatch(/^Edited a\.txt — 1 replacement, 6 bytes, sha256=\w{64}\n/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n2\n");

    const refused = await edit(sha256, "zwei");
    expect(refused.isError).toBe(true);
    expect(refused).not.toHaveProperty("structuredContent");
    expect(textOf(refused)).toContain("Re-apply your edit with the sha256 below");
    expect(refused._meta ?? {}).not.toHaveProperty("stet/failure");

    const entries = [];
    for await (const entry of workspace.log()) entries.push(entry);
    expect(entries.map(({ outcome, agent }) => [outcome, agent])).toEqual([
      ["applied", "a-client"],
      ["refused", "a-client"],
    ]);
    expect(new Set(entries.map(({ session }) => session)).size).toBe(1);
    expect(entries.every(({ call }) => /^\d+$/.test(call ?? ""))).toBe(true);
  });

  it("remembers reads for the connection", async () => {
    const options = serving({ "a.txt": "one\n" }, "tracked");
    const client = await connect(options);
    await client.listTools();
    const edit = { name: "Edit", arguments: { file_path: "a.txt", old_string: "one", new_string: "1" } };
    expect(client.getInstructions()).toContain("counts for this connection");
    expect((await client.callTool(edit)).isError).toBe(true);
    await client.callTool({ name: "Read", arguments: { file_path: "a.txt" } });
    expect((await client.callTool(edit)).isError).toBeUndefined();
  });

  it("forgives slips in arguments, and names what is wrong with others", async () => {
    const client = await connect(serving({ "a.txt": "1\n2\n3\n" }));
    const lenient = { path: "a.txt", startLine: "2", endLine: null };
    const read = await client.callTool({ name: "read_file", arguments: lenient });
    expect(textOf(read)).toMatch(/^Read a\.txt — lines 2-3 of 3,.*\n2\n3\n$/s);
    const wrong = await client.callTool({ name: "read_file", arguments: { file: 1 } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain("There is no parameter `file`");
    await expect(client.callTool({ name: "rm", arguments: {} })).rejects.toThrow(/no tool "rm".*read_file/);
  });

  it("names the switch of the older tools of files, in programs and over MCP", async () => {
    const options = serving({ "a.txt": "1\n" }, "files");
    const words = /no tool "read_file"\. Use files\. The owner can have it offered with STET_FS_LEGACY=true\./;
    const client = await connect(options);
    await expect(client.callTool({ name: "read_file", arguments: {} })).rejects.toThrow(words);
    const session = memoryWorkspace({}).session();
    const { text } = await call(session, surfaceNamed("files"), "read_file", {});
    expect(text).toMatch(words);
    expect((await call(session, surfaceNamed("files"), "rm", {})).text).not.toContain("STET_FS_LEGACY");
  });

  it("offers no writers in a read-only workspace", async () => {
    const workspace = memoryWorkspace({ "a.txt": "1\n" }, { policy: { readOnly: true } });
    const surface = surfaceNamed("workspace");
    const client = await connect({ surface, served: [{ name: "w", workspace }], version: "1" });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(3);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    const denied = await client.callTool({ name: "write_file", arguments: { path: "a.txt", content: "2" } });
    expect(denied).toMatchObject({ isError: true });
    expect(textOf(denied)).toContain("the workspace is read-only");
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow(/no tool/);
  });

  it("sends pictures as pictures, once", async () => {
    const client = await connect(serving({ "p.png": Buffer.from(PIXEL, "base64") }, "compact"));
    await client.listTools();
    const result = await client.callTool({ name: "Read", arguments: { file_path: "p.png" } });
    expect(result.content[1]).toEqual({ type: "image", mimeType: "image/png", data: PIXEL });
    expect(textOf(result)).toContain("image/png, 1 × 1 pixels");
    expect(JSON.stringify(result).split(PIXEL)).toHaveLength(2);
  });

  it("reports a defect as a defect, and goes on", async () => {
    const log: string[] = [];
    const options = { ...serving({}), surface: BROKEN };
    const client = await connect(options, { log: (line) => log.push(line) });
    const broken = client.callTool({ name: "broken", arguments: {} });
    await expect(broken).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("stet failed in broken"),
    });
    await expect(broken).rejects.not.toThrow("secret");
    expect(log.join()).toContain("secret detail");
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

const BROKEN: Surface = {
  name: "broken",
  title: "Broken",
  guidance: "",
  tools: [
    defineTool({
      name: "broken",
      title: "Broken",
      description: "Fails",
      effect: "read",
      actions: ["read"],
      input: z.object({}),
      output: z.object({}),
      refused: "Nothing.",
      run: () => Promise.reject(new TypeError("secret detail")),
      text: () => "",
    }),
  ],
};

function serving(files: Record<string, string | Uint8Array>, surface = "workspace"): ServeOptions {
  return {
    surface: surfaceNamed(surface),
    served: [{ name: "w", workspace: memoryWorkspace(files) }],
    version: "1",
  };
}
