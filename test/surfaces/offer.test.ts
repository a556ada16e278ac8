// Which tools are offered under which policy, which surfaces can be joined, and what descriptions say of both.
import type { OwnerAction } from "stet";
import {
  type AnyTool,
  anchors,
  files,
  inputSchema,
  joinable,
  joinSurfaces,
  offeredTools,
  outputSchema,
  surfaceNamed,
  surfaceNames,
  tracked,
  workspace,
} from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith, surfaceOnFiles } from "../support/agent.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const offered = (surface: string, policy: object) =>
  offeredTools(surfaceNamed(surface), memoryWorkspace({}, { policy }).policy).map(({ name }) => name);

describe("offering tools", () => {
  const FIVE = { read: ["Read"], write: ["Write"], edit: ["Edit"], glob: ["Glob"], grep: ["Grep"] };
  const EXPECTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
    workspace: {
      read: ["read_file", "audit_log", "list_trash"],
      list: ["list_directory"],
      search: ["search_files", "glob"],
      glob: ["glob"],
      grep: ["search_files"],
      create: ["create_file", "apply_patch"],
      write: ["create_file", "write_file", "apply_patch"],
      edit: ["edit_file", "apply_patch"],
      delete: ["delete_file", "apply_patch"],
      move: ["move_file", "apply_patch"],
      restore: ["restore_file"],
    },
    tracked: { ...FIVE, search: ["Glob", "Grep"] },
    compact: { ...FIVE, search: ["Glob", "Grep"] },
    files: { list: ["files"], read: ["files"], write: ["files"], edit: ["files"], delete: ["files"] },
    filesystem: {
      read: ["read_file", "read_text_file", "read_media_file", "read_multiple_files"],
      list: ["list_directory", "list_directory_with_sizes", "get_file_info", "list_allowed_directories"],
      search: ["directory_tree", "search_files"],
      glob: ["directory_tree", "search_files"],
      create: ["create_directory"],
      write: ["write_file", "create_directory"],
      edit: ["edit_file"],
      move: ["move_file"],
    },
    anchors: { read: ["read_file"], write: ["write_file"], create: ["write_file"], edit: ["edit"] },
  };
  const ACTIONS = "read list search create write edit delete move restore undo purge glob grep".split(" ");

  it.each(surfaceNames)("%s: each allowed action brings just the tools that need it", (surface) => {
    for (const action of ACTIONS)
      expect([action, offered(surface, { allowed_actions: [action] })]).toEqual([
        action,
        EXPECTED[surface]?.[action] ?? [],
      ]);
    expect(offered(surface, { allowed_actions: [] })).toEqual([]);
  });

  it.each(["tracked", "compact"])(
    "%s: glob without grep is glob without grep, also when it is called",
    async (name) => {
      const surface = surfaceNamed(name);
      const agent = agentWith(surface, { a: "needle\n" }, { policy: { allowedActions: ["read", "glob"] } });
      expect(offeredTools(surface, agent.workspace.policy).map((tool) => tool.name)).toEqual(["Read", "Glob"]);
      expect((await agent.call("Grep", { pattern: "needle" })).text).toBe(
        "Nothing was searched. Grep is not offered here: the policy allows nothing that it does. Use only Read, Glob, or ask the owner of the workspace to change that.",
      );
      await agent.done("Glob", { pattern: "*" });
      const all = { allowed_actions: ["read", "write", "edit", "glob", "grep"] };
      expect(offered(name, all)).toEqual(["Read", "Write", "Edit", "Glob", "Grep"]);
    },
  );

  it("search_files is gone with grep, glob with glob", async () => {
    const agent = agentWith(workspace, { a: "x" }, { policy: { allowedActions: ["glob"] } });
    const refused = await agent.call("search_files", { query: "x", mode: "text" });
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: "permission_denied", details: { rule: "allowedActions" } },
    });
    expect(refused.text).toContain("Use only glob,");
  });

  it("read-only takes away what changes", async () => {
    expect(offered("workspace", { readOnly: true })).toEqual([
      "read_file",
      "list_directory",
      "search_files",
      "glob",
      "audit_log",
      "list_trash",
    ]);
    expect(offered("tracked", { readOnly: true })).toEqual(["Read", "Glob", "Grep"]);
    expect(offered("anchors", { readOnly: true })).toEqual(["read_file"]);
    expect(offered("anchors", { readOnly: true, allowedActions: ["edit"] })).toEqual([]);
    const readOnly = agentWith(workspace, {}, { policy: { readOnly: true } });
    expect((await readOnly.call("edit_file", {})).ok).toBe(false);
  });

  it("a tool that reads and writes stays while it may read; what it may not do is refused and said", async () => {
    for (const policy of [{ readOnly: true }, { allowedActions: ["read", "list"] as const }]) {
      const surface = surfaceOnFiles("files");
      const agent = agentOnDisk(surface, { a: "1\n" }, { policy });
      expect(offeredTools(surface, agent.workspace.policy).map(({ name }) => name)).toEqual(["files"]);
      await agent.done("files", { params: { command: "read", file_path: "a" } });
      const refused = await agent.call("files", { params: { command: "write", file_path: "a", content: "2\n" } });
      expect(refused).toMatchObject({ ok: false, error: { kind: "permission_denied" } });
      expect(await agent.content("a")).toBe("1\n");
    }
  });
});

describe("a tool of several commands", () => {
  const shown = (policy: object, options = {}) => {
    const [tool] = offeredTools(files({ env: {}, ...options }), memoryWorkspace({}, { policy }).policy);
    type Shown = { properties: Record<string, { enum?: string[] }> };
    const { params } = inputSchema(tool!).properties as { params: { anyOf: Shown[] } };
    const commands = params.anyOf.flatMap(({ properties }) => properties.command!.enum);
    return { tool: tool!, commands, fields: params.anyOf.flatMap(({ properties }) => Object.keys(properties)) };
  };

  it.each([
    [
      "everything",
      {},
      {},
      ["ls", "read", "write", "edit", "delete"],
      "destroy",
      /^Lists, reads, writes, edits and deletes files/,
    ],
    ["read-only", { readOnly: true }, {}, ["ls", "read"], "read", /^Lists and reads files/],
    ["a sandbox", {}, { mode: "sandbox" }, ["ls", "read", "write", "edit"], "write", /^Lists, reads, writes and edits/],
    ["a read-only sandbox", {}, { mode: "sandbox", readOnly: true }, ["ls", "read"], "read", /^Lists and reads/],
    [
      "a read-only policy in a sandbox",
      { readOnly: true },
      { mode: "sandbox" },
      ["ls", "read"],
      "read",
      /^Lists and reads/,
    ],
    ["only edit", { allowedActions: ["edit"] }, {}, ["edit"], "write", /^Edits files/],
  ])(
    "%s: shows the commands that are allowed, and says no more than these",
    (_what, policy, options, commands, effect, words) => {
      const { tool, ...rest } = shown(policy, options);
      expect([rest.commands, tool.effect]).toEqual([commands, effect]);
      expect(tool.description).toMatch(words);
      expect(rest.fields.includes("content")).toBe(commands.includes("write"));
      expect(rest.fields.includes("old_string")).toBe(commands.includes("edit"));
    },
  );

  it("is that of the surface where all is allowed", () => {
    const surface = files({ env: {} });
    const offer = (policy: object) => offeredTools(surface, memoryWorkspace({}, { policy }).policy)[0];
    expect(offer({})).toBe(surface.tools[0]);
  });

  it("a read-only sandbox has no older tools that write", () => {
    const names = (readOnly: boolean) =>
      files({ env: {}, mode: "sandbox", legacy: true, readOnly }).tools.map(({ name }) => name);
    expect(names(true)).toEqual(["files", "read_file", "ls"]);
    expect(names(false)).toContain("write_file");
  });
});

describe("joining surfaces", () => {
  it("works where names do not clash", () => {
    const names = surfaceNamed("tracked, files").tools.map(({ name }) => name);
    expect(names).toEqual(["Read", "Write", "Edit", "Glob", "Grep", "files"]);
    expect(joinSurfaces([tracked, tracked]).tools).toHaveLength(5);
    expect(() => surfaceNamed("nope")).toThrow(/There is no surface named "nope"/);
  });

  it("every pair joins, or is refused by the name of the tool that differs", () => {
    const CLASHES: Readonly<Record<string, string>> = {
      "workspace,anchors": "read_file",
      "workspace,filesystem": "read_file",
      "anchors,filesystem": "read_file",
      "tracked,compact": "Read",
    };
    for (const [n, one] of surfaceNames.entries()) {
      for (const other of surfaceNames.slice(n + 1)) {
        const pair = `${one},${other}`;
        const tool = CLASHES[pair];
        expect([pair, joinable(one).includes(other), joinable(other).includes(one)]).toEqual([pair, !tool, !tool]);
        if (tool === undefined) expect(surfaceNamed(pair).name).toBe(pair);
        else expect(() => surfaceNamed(pair)).toThrow(`${one} and ${other} both have a tool named ${tool}`);
      }
    }
  });

  it("the refusal says what can be joined instead", () => {
    expect(() => surfaceNamed("workspace,anchors")).toThrow(
      "The surfaces workspace and anchors both have a tool named read_file, and they differ. Choose one of them. " +
        "These can be joined: workspace with tracked, compact, files; anchors with tracked, compact, files.",
    );
    expect(() => surfaceNamed("files,workspace,anchors")).toThrow(/files with workspace, tracked, compact, anchors/);
  });
});

const READING: ReadonlySet<string> = new Set(["read", "list", "glob", "grep", "search"]);
/** The word, and not the tool; and a seed has the words that `edit` of anchors tells of `read_file`. */
const FIXED = ["path: glob or part of a path; text: literal, case-sensitive", anchors.tools[1].description];

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
      expect(words.filter((each) => named.test(each) && !FIXED.includes(each))).toEqual([]);
    }
  });
});
