// Refused calls in the journal: each once, with nothing of the content of files.

import { type Entry, Refusal } from "stet";
import { defineTool, type Surface, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Agent, agentOf, patchOf, surfaceOnFiles } from "../support/agent.ts";
import { all, refuses } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

const SHA = "0".repeat(64);
const edits = [{ oldText: "x", newText: "y" }];
const params = (command: string, file_path: string, rest: object = {}) => ({ params: { command, file_path, ...rest } });

type Row = readonly [name: string, input: unknown, kind: string, paths?: readonly string[]];
const ATTEMPTS: Readonly<Record<string, readonly Row[]>> = {
  workspace: [
    ["create_file", { path: "/etc/x", content: "" }, "outside_workspace", ["/etc/x"]],
    ["create_file", { path: "a", content: "" }, "already_exists", ["a"]],
    ["create_file", { path: "b", content: 1 }, "invalid_input", ["b"]],
    ["write_file", { path: "a", content: "" }, "invalid_input", ["a"]],
    ["write_file", '{"path":"a', "invalid_input", []],
    ["write_file", { path: "a", content: "", expectedSha256: SHA }, "stale_file", ["a"]],
    ["edit_file", { file_path: "../a", edits, expectedSha256: SHA }, "outside_workspace", ["../a"]],
    ["edit_file", { path: "no", edits, expectedSha256: SHA }, "not_found", ["no"]],
    ["delete_file", { path: ".env" }, "permission_denied", [".env"]],
    ["delete_file", { path: "no" }, "not_found", ["no"]],
    ["delete_file", { path: "a", permanent: true }, "unread_file", ["a"]],
    ["restore_file", { trashedPath: "never" }, "not_found", ["never"]],
    ["restore_file", { trashedPath: "/abs" }, "outside_workspace", ["/abs"]],
    ["move_file", { fromPath: "a", toPath: "/abs", expectedSha256: SHA }, "outside_workspace", ["a", "/abs"]],
    ["move_file", { fromPath: "a", toPath: "./a", expectedSha256: SHA }, "command_failed", ["a", "./a"]],
    ["move_file", { fromPath: "a", toPath: ".env", expectedSha256: SHA }, "permission_denied", ["a", ".env"]],
    ["apply_patch", { patch: "rubbish" }, "patch_parse_error", []],
    ["apply_patch", { patch: patchOf("*** Delete File: /abs") }, "outside_workspace", ["/abs"]],
    ["apply_patch", { patch: patchOf("*** Delete File: a", "*** Delete File: ./a") }, "not_found", ["a"]],
    ["apply_patch", { patch: patchOf("*** Update File: a", "@@", "-no", "+x") }, "patch_apply_error", ["a"]],
    ["apply_patch", { patch: patchOf("*** Delete File: no"), atomic: false }, "not_found", ["no"]],
    ["read_file", { path: ".env" }, "permission_denied", [".env"]],
    ["read_file", { path: "/etc/passwd" }, "outside_workspace", ["/etc/passwd"]],
    ["glob", { pattern: "../*" }, "outside_workspace"],
  ],
  tracked: [
    ["Write", { file_path: "a", content: "" }, "unread_file", ["a"]],
    ["Write", {}, "invalid_input", []],
    ["Edit", { file_path: "a", old_string: "", new_string: "y" }, "empty_old_text", ["a"]],
    ["Edit", { file_path: "../a", old_string: "x", new_string: "y" }, "outside_workspace", ["../a"]],
    ["Edit", { file_path: "no", old_string: "x", new_string: "y" }, "not_found", ["no"]],
    ["Glob", { pattern: "../*" }, "outside_workspace"],
  ],
  compact: [
    ["Glob", { pattern: "../*" }, "outside_workspace"],
    ["Write", { file_path: "b" }, "invalid_input", ["b"]],
    ["Edit", { file_path: "no", old_string: "x", new_string: "y" }, "not_found", ["no"]],
    ["Edit", { file_path: "a", old_string: "zzz", new_string: "y" }, "old_text_not_found", ["a"]],
    ["Edit", { file_path: "../a", old_string: "x", new_string: "y" }, "outside_workspace", ["../a"]],
  ],
  anchors: [
    ["edit", { path: "no", operations: [{ op: "delete_line", hash: "abcdef" }] }, "not_found", ["no"]],
    ["edit", { path: "a" }, "invalid_input", ["a"]],
    ["write_file", { path: "../a", content: "" }, "outside_workspace", ["../a"]],
  ],
  files: [
    ["files", params("write", "../a", { content: "" }), "outside_workspace", ["../a"]],
    ["files", params("edit", "no", { old_string: "x", new_string: "y" }), "not_found", ["no"]],
    ["files", params("delete", "a"), "unsupported", ["a"]],
    ["files", params("write", "a"), "invalid_input"],
  ],
};
const READS: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  workspace: [
    ["read_file", { path: "no" }],
    ["read_file", {}],
    ["glob", {}],
    ["list_directory", { path: "no" }],
    ["search_files", { query: "(", mode: "regex" }],
  ],
  files: [["files", params("read", "no")]],
};

describe.each(Object.keys(ATTEMPTS))("refused changes of %s", (name) => {
  const workspace = workspaceIn(directoryWith({ a: "x\n", ".env": "K=1\n" }));
  const ann = agentOf(workspace.session({ id: "s", agent: "ann" }), surfaceOnFiles(name));

  const rows = ATTEMPTS[name]!.map(([tool, input, kind, paths]) => ({ tool, input, kind, paths }));

  it.each(rows)("$tool $input is journalled once as $kind", async ({ tool, input, kind, paths }) => {
    const before = await all(workspace.log());
    const result = await ann.call(tool, input, { call: "c7" });
    expect(result.ok).toBe(false);
    const entries = (await all(workspace.log())).slice(before.length);
    expect(entries).toMatchObject([{ outcome: "refused", tool, error: kind, session: "s", agent: "ann", call: "c7" }]);
    if (paths !== undefined) expect(entries[0]?.details?.paths).toEqual(paths);
  });

  it("refused reads are not journalled", async () => {
    const before = (await all(workspace.log())).length;
    for (const [tool, input] of READS[name] ?? []) expect((await ann.call(tool, input)).ok).toBe(false);
    expect((await all(workspace.log())).length).toBe(before);
  });
});

const FILES = { a: "alpha\nbeta one\ngamma\nbeta one\n", b: "x\n" };
const OTHER = "0".repeat(64);
const PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-no such line\n+x\n*** End Patch";

const codex = () => agentOf(memoryWorkspace(FILES).session({ agent: "codex" }), surfaceNamed("workspace"));
const refusalsOf = ({ workspace }: Agent) => all(workspace.log({ outcomes: ["refused"] }));

describe("what a refused call quotes", () => {
  const rows: readonly (readonly [surface: string, tool: string, input: object])[] = [
    ["workspace", "edit_file", { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" }],
    ["workspace", "apply_patch", { patch: PATCH }],
    ["workspace", "create_file", { path: "a", content: "" }],
    ["tracked", "Edit", { file_path: "a", old_string: "beta two", new_string: "x" }],
    ["compact", "Edit", { file_path: "a", old_string: "beta one", new_string: "x" }],
    ["anchors", "edit", { path: "a", operations: [{ op: "delete_line", hash: "ffffff" }] }],
    ["workspace", "edit_file", { path: "a" }],
    ["workspace", "read_file", { path: "../out" }],
  ];
  it.each(rows)("is not in the journal: %s %s", async (surface, tool, input) => {
    const agent = codex();
    const { call } = agent.as(surface);
    const read = surface === "anchors" ? "read_file" : "Read";
    await call(read, { path: "a", file_path: "a", hashes: true }, { call: "c1" });
    expect((await call(tool, input, { call: "c1" })).ok).toBe(false);
    const entries = await refusalsOf(agent);
    expect(entries).toMatchObject([{ agent: "codex", tool, call: "c1" }]);
    expect(JSON.stringify(entries)).not.toMatch(/beta (?:one|two)|no such line/);
  });
});

it("a method of the library tells what its refusal says, and what to do next", async () => {
  const agent = codex();
  await agent.session.read("a");
  const no = await refuses("stale_file", () => agent.session.write("a", "x", { expectedSha256: OTHER }));
  expect(no.message).toContain(no.failure.suggestedAction);
  const { message, suggestedAction: next } = no.failure;
  expect(await refusalsOf(agent)).toMatchObject([{ message, details: { next } }]);
});

it("a call that was given up is in the journal as cancelled", async () => {
  const agent = codex();
  const edit = { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" };
  await agent.call("edit_file", edit, { signal: AbortSignal.abort() });
  expect(await refusalsOf(agent)).toMatchObject([{ error: "cancelled", details: { paths: ["a"] } }]);
});

it.each([
  ["goes on", async () => ({})],
  [
    "ends with a defect",
    async () => {
      throw new Error("a defect");
    },
  ],
])("a refusal that a call got over is kept as it was, when the call %s", async (_how, end) => {
  const tool = defineTool({
    name: "look",
    title: "Look",
    description: "Looks at a file that it may not see.",
    effect: "read",
    actions: ["read"],
    input: z.object({}),
    output: z.object({}),
    refused: "Nothing was read.",
    async run({ session, call: made }) {
      await refuses("permission_denied", () => session.read(".env", undefined, made));
      return end();
    },
    text: () => "Other files.",
  });
  const agent = codex();
  const surface: Surface = { name: "s", title: "S", guidance: "", tools: [tool] };
  await agent
    .as(surface)
    .call("look", {})
    .catch(() => undefined);
  const [entry] = await refusalsOf(agent);
  expect(entry).toMatchObject({ tool: "look", error: "permission_denied", details: { paths: [".env"] } });
});

it("messages are kept up to a thousand characters, whatever a caller wrote", async () => {
  const agent = codex();
  const long = new Refusal("permission_denied", "x".repeat(1001), { next: "y".repeat(301) });
  await agent.session.recordRefusal(long, [{ path: "a" }]);
  expect(await refusalsOf(agent)).toMatchObject([{ message: "x".repeat(1000), details: { next: "y".repeat(300) } }]);
});

it("neither the message nor the next action of a refusal that quotes is kept", async () => {
  const agent = codex();
  const quoting = new Refusal("old_text_not_found", "The nearest line: beta one", { next: "Use: beta one" });
  await agent.session.recordRefusal(quoting, [{ path: "a" }]);
  const [{ message, details }] = (await refusalsOf(agent)) as [Entry];
  expect([message, details]).toEqual([undefined, { paths: ["a"] }]);
});

it("agents see in the audit log what was asked for", async () => {
  const agent = codex();
  await agent.call("edit_file", { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" });
  const log = await agent.call("audit_log", { success: false, includeDiff: true });
  expect(log.ok && log.data).toMatchObject({ entries: [{ path: "a", success: false, details: { paths: ["a"] } }] });
});
