// Calls that end early or late: deadlines, callers who go away, closed workspaces, functions that are handed over.

import { Refusal } from "stet";
import { defineTool, type Surface, surfaceNamed, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentIn, agentWith, patchOf } from "../support/agent.ts";
import { all } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

const SHA = "0".repeat(64);
const path = "a";
const CALLS: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  workspace: [
    ["read_file", { path }],
    ["list_directory", {}],
    ["search_files", { query: "x", mode: "text" }],
    ["search_files", { query: "x", mode: "path" }],
    ["glob", { pattern: "*" }],
    ["create_file", { path: "new", content: "" }],
    ["write_file", { path, content: "", expectedSha256: SHA }],
    ["edit_file", { path, edits: [{ oldText: "x", newText: "y" }], expectedSha256: SHA }],
    ["delete_file", { path }],
    ["restore_file", { trashedPath: path }],
    ["move_file", { fromPath: path, toPath: "b", expectedSha256: SHA }],
    ["apply_patch", { patch: patchOf("*** Delete File: a") }],
    ["audit_log", {}],
    ["list_trash", {}],
  ],
  tracked: [
    ["Read", { file_path: path }],
    ["Write", { file_path: "new", content: "" }],
    ["Edit", { file_path: path, old_string: "x", new_string: "y" }],
    ["Glob", { pattern: "*" }],
    ["Grep", { pattern: "x" }],
  ],
  files: ["ls", "read", "write"].map((command) => [
    "files",
    { params: { command, ...(command !== "ls" && { file_path: path }), ...(command === "write" && { content: "" }) } },
  ]),
  anchors: [["read_file", { path }]],
};

const everyCall = Object.entries({ ...CALLS, compact: CALLS.tracked! }).flatMap(([surface, calls]) =>
  calls.map(([name, input]) => [surface, name, input] as const),
);

describe("every tool", () => {
  it.each(everyCall)("%s %s stops when the caller has gone away or the time is up", async (surface, name, input) => {
    const agent = agentWith(surfaceNamed(surface), { a: "x\n" });
    const gone = await agent.call(name, input, { signal: AbortSignal.abort() });
    expect(gone).toMatchObject({ ok: false });
    expect(gone.text).toContain("The call was cancelled.");
    const late = await agent.call(name, input, { deadlineMs: 1e-9 });
    expect(late.text).toContain("and was stopped.");
    expect([await agent.content("a"), await agent.content("new")]).toEqual(["x\n", null]);
  });

  it("also one that never asks", async () => {
    const stuck = defineTool({
      name: "stuck",
      title: "Stuck",
      description: "Never comes back.",
      effect: "write",
      actions: ["write"],
      input: z.object({}),
      output: z.object({}),
      refused: "Nothing happened.",
      run: () => new Promise<never>(() => undefined),
      text: () => "",
      deadlineMs: 1e9,
    });
    const surface: Surface = { name: "s", title: "S", guidance: "", tools: [stuck] };
    const agent = agentWith(surface, {});
    const late = await agent.call("stuck", {}, { deadlineMs: 1 });
    expect(late).toMatchObject({ ok: false, error: { kind: "timeout", recoverable: true } });
    const controller = new AbortController();
    const pending = agent.call("stuck", {}, { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, error: { kind: "cancelled" } });
    const entries = await all(agent.workspace.log({ outcomes: ["refused"] }));
    expect(entries.map(({ error }) => error)).toEqual(["timeout", "cancelled"]);
  });
});

describe("what counts is not cut", () => {
  it("a commit that has begun", async () => {
    const agent = agentWith(workspace, { a: "1\n" });
    const { backend } = agent.workspace;
    const expectedSha256 = await agent.sha("a");
    const controller = new AbortController();
    const commit = backend.commit.bind(backend);
    backend.commit = async (changes, author, note, how) => {
      const begin = (): void => {
        how?.begin?.();
        controller.abort();
      };
      return commit(changes, author, note, { ...how, begin });
    };
    const written = { path: "a", content: "2\n", expectedSha256 };
    const result = await agent.call("write_file", written, { signal: controller.signal });
    expect(result).toMatchObject({ ok: true });
    expect(await agent.content("a")).toBe("2\n");
  });
});

describe("a closed workspace", () => {
  it.each([
    ["in memory", memoryWorkspace],
    ["on disk", (files: Record<string, string>) => workspaceIn(directoryWith(files))],
  ])("says so to every tool, %s", async (_where, open) => {
    const agent = agentIn(open({ a: "x\n" }), workspace);
    await agent.session.read("a");
    await agent.workspace.close();
    for (const [surface, tool, input] of everyCall.filter(
      ([surface]) => surface === "workspace" || surface === "tracked",
    )) {
      const { ok, text } = await agent.as(surface).call(tool, input);
      expect([tool, ok, text]).toEqual([tool, false, expect.stringContaining("The workspace was closed.")]);
    }
  });
});

const later = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error("too late");
};

const agentWithOne = () => agentWith(workspace, { "a.txt": "one\n" });

describe("editFile", () => {
  it("waits for an edit that takes its time", async () => {
    const { session, content } = agentWithOne();
    await session.read("a.txt");
    await session.edit("a.txt", async ({ body }) => {
      await Promise.resolve();
      return [{ start: 0, end: body.length, text: "two\n" }];
    });
    expect(await content("a.txt")).toBe("two\n");
  });

  it("fails as the edit does, and changes nothing", async () => {
    const { session, content } = agentWithOne();
    await session.read("a.txt");
    await expect(session.edit("a.txt", later)).rejects.toThrow("too late");
    const refused = session.edit("a.txt", async () => {
      throw new Refusal("no_change", "Nothing to do.");
    });
    await expect(refused).rejects.toMatchObject({ kind: "no_change" });
    expect(await content("a.txt")).toBe("one\n");
  });

  it.each([[undefined], ["text"], [[null]], [[{ start: 0, end: 1 }]]])(
    "fails with %j, and changes nothing",
    async (given) => {
      const { session, content } = agentWithOne();
      await session.read("a.txt");
      for (const edit of [() => given, async () => given])
        await expect(session.edit("a.txt", edit as never)).rejects.toThrow();
      expect(await content("a.txt")).toBe("one\n");
    },
  );
});

describe("other functions that are handed over", () => {
  it("an edit or an inspection of session.change that rejects is the rejection of the call", async () => {
    const { session } = agentWithOne();
    const targets = [{ path: "a.txt", action: "edit", proof: { by: "waived" } }] as const;
    await expect(session.change(targets, later)).rejects.toThrow("too late");
    await expect(session.change(targets, () => [{ body: "two\n" }], { inspect: later })).rejects.toThrow("too late");
  });

  it("a tool whose run or text rejects fails the call", async () => {
    const agent = agentWithOne();
    const tool = (parts: object) =>
      defineTool({
        name: "own",
        title: "Own",
        description: "An own tool.",
        effect: "read",
        actions: ["read"],
        input: z.object({}),
        output: z.object({}),
        refused: "Nothing was done.",
        run: async () => ({}),
        text: () => "text",
        ...parts,
      });
    for (const parts of [{ run: later }, { text: later }]) {
      const surface = { name: "own", title: "Own", guidance: "", tools: [tool(parts)] };
      await expect(agent.as(surface).call("own", {})).rejects.toThrow("too late");
    }
  });
});
