// The words of a description hold for those who read them: no tool is named that is not offered, no path that is refused.
import { describe, expect, it } from "vitest";
import { disk as diskBackend } from "../../src/backends/disk/index.ts";
import type { OwnerAction } from "../../src/kernel/policy/policy.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { describeTools } from "../../src/serve/calls/described.ts";
import { call } from "../../src/surfaces/call.ts";
import { inputSchema, offeredTools, outputSchema, surfaceNamed, surfaceNames } from "../../src/surfaces/index.ts";
import type { AnyTool } from "../../src/surfaces/tool.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const READING: ReadonlySet<string> = new Set(["read", "list", "glob", "grep", "search"]);
/** The word, and not the tool. */
const ENGLISH = ["path: glob or part of a path; text: literal, case-sensitive"];

/** Of a tool and of all its parameters and results. */
function wordsOf(tool: AnyTool): string[] {
  const below = (schema: unknown): string[] =>
    typeof schema !== "object" || schema === null
      ? []
      : Object.entries(schema).flatMap(([key, each]) =>
          key === "description" && typeof each === "string" ? [each] : below(each),
        );
  return [tool.description, ...below(inputSchema(tool)), ...below(outputSchema(tool))];
}

function policiesFor(tools: readonly AnyTool[]): ((action: OwnerAction) => boolean)[] {
  const actions = [...new Set(tools.flatMap((tool) => tool.actions))];
  const without = actions.map((gone) => (action: OwnerAction) => action !== gone);
  return [...without, (action: OwnerAction) => READING.has(action), (action: OwnerAction) => !READING.has(action)];
}

describe.each([...surfaceNames, "workspace,tracked"])("descriptions of %s", (name) => {
  const surface = surfaceNamed(name);

  it("name only tools that are offered, and are never empty", () => {
    for (const permits of policiesFor(surface.tools)) {
      const offered = offeredTools(surface, { permits });
      const gone = surface.tools.filter((tool) => !offered.some((each) => each.name === tool.name));
      const named = new RegExp(`\\b(?:${gone.map((tool) => tool.name).join("|") || "(?!)"})\\b`);
      const words = offered.flatMap(wordsOf);
      expect(words).not.toContain("");
      expect(words.filter((each) => named.test(each) && !ENGLISH.includes(each))).toEqual([]);
    }
  });

  it("say all that they say where all is offered", () => {
    const offered = offeredTools(surface, { permits: () => true });
    expect(offered.map(wordsOf)).toEqual(surface.tools.map((tool) => wordsOf(tool)));
  });
});

describe("descriptions where something is not offered", () => {
  const offered = (gone: string, surface = "workspace") =>
    new Map(
      offeredTools(surfaceNamed(surface), { permits: (action) => action !== gone }).map((tool) => [tool.name, tool]),
    );
  const field = (tool: AnyTool | undefined, name: string): unknown =>
    (inputSchema(tool!).properties as Record<string, { description?: string }>)[name]!.description;

  it.each([
    ["restore", "workspace", "delete_file", "Delete a file. Not for directories."],
    ["restore", "workspace", "list_trash", "List deleted files, newest first."],
    ["edit", "anchors", "write_file", "Create a file or replace all of its text. Invalidates every anchor of it."],
  ])("keep the rest: without %s, %s %s", (gone, surface, tool, words) => {
    expect(offered(gone, surface).get(tool)!.description).toBe(words);
  });

  it("keep the rest of what they say of a parameter", () => {
    expect(field(offered("delete").get("restore_file"), "trashedPath")).toBe("An id of list_trash, or the old path.");
    expect(field(offered("read").get("restore_file"), "trashedPath")).toBe(
      "trashedTo of delete_file, or the old path.",
    );
    expect(field(offered("read").get("write_file"), "expectedSha256")).toBeUndefined();
    expect(field(offered("read", "compact").get("Edit"), "file_path")).toBe("File to edit.");
  });

  it("a missing parameter is told of without them, too", async () => {
    const session = memoryWorkspace({ a: "1\n" }, { policy: { allowedActions: ["write"] } }).session();
    const { text } = await call(session, surfaceNamed("workspace"), "write_file", { path: "a", content: "" });
    expect(text).toContain("The required parameter `expectedSha256` is missing (text)");
    expect(text).not.toContain("read_file");
  });
});

describe("paths in descriptions", () => {
  const surface = surfaceNamed("workspace");
  const memory = memoryWorkspace({ a: "1\n" });
  const disk = new Workspace(diskBackend({ root: directoryWith({ a: "1\n" }), durability: "fast" }));
  const saying = (tools: readonly unknown[]) => JSON.stringify(tools).match(/or absolute/g)?.length ?? 0;

  it("are said to be absolute only where there is a directory that they can lie in", async () => {
    const inMemory = offeredTools(surface, memory.policy, memory.backend);
    const onDisk = offeredTools(surface, disk.policy, disk.backend);
    expect([saying(inMemory.map(inputSchema)), saying(onDisk.map(inputSchema))]).toEqual([0, 8]);
    expect(JSON.stringify(inMemory.map(inputSchema))).toContain('"description":"Relative to the workspace root"');
    for (const [workspace, ok] of [
      [memory, false],
      [disk, true],
    ] as const) {
      const path = `${workspace.backend.directory ?? ""}/a`;
      const answer = await call(workspace.session(), surface, "read_file", { path });
      expect(answer.ok).toBe(ok);
      const { text } = await call(workspace.session(), surface, "read_file", {});
      expect(text.includes("or absolute")).toBe(ok);
    }
  });

  it("are said so over MCP if any of the workspaces is one", () => {
    const listed = (...all: (typeof memory)[]) => {
      const served = all.map((workspace, n) => ({ name: `w${n}`, workspace }));
      return saying(describeTools({ surface, served: served as never, version: "1" }).listed(false));
    };
    expect([listed(memory), listed(disk), listed(memory, disk)]).toEqual([0, 8, 8]);
  });
});
