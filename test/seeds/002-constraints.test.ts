// Seed 002, the constraints block as the policy of the workspace, and where relative paths lead.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PolicyInput } from "stet";
import { compact, offeredTools } from "stet/surfaces";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { agentOnDisk, agentWith } from "../support/agent.ts";

const BLOCK = `
tools:
  modules:
    filesystem:
      constraints:
        allowed_actions: [read, write, edit, glob, grep] # restrict subset
        allowed_paths:
          - "{{workdir}}/**"
          - "/tmp/**"
        denied_paths:
          - "**/.env*"
          - "**/node_modules/**"
        max_file_size: 10485760 # 10 MB
        readonly: false # true → block write/edit
`;
const constraints = (changes: object = {}): PolicyInput => ({
  ...parse(BLOCK).tools.modules.filesystem.constraints,
  ...changes,
});
const FILES = {
  "src/a.ts": "one\n",
  ".env.local": "KEY=1\n",
  "node_modules/x/index.js": "one\n",
  "docs/b.md": "one\n",
};

describe("seed 002: the constraints block", () => {
  const open = (changes: object = {}) => {
    const agent = agentWith(compact, FILES, { policy: constraints(changes) });
    return { ...agent, offered: offeredTools(compact, agent.workspace.policy).map((tool) => tool.name) };
  };

  it.each([
    [["read"], ["Read"]],
    [["grep"], ["Grep"]],
    [
      ["edit", "read"],
      ["Read", "Edit"],
    ],
    [["search"], ["Glob", "Grep"]],
  ])("allowed_actions %j offers %j, and nothing else can be called", async (allowed_actions, tools) => {
    const { offered, refused } = open({ allowed_actions });
    expect(offered).toEqual(tools);
    for (const name of ["Read", "Write", "Edit", "Glob", "Grep"].filter((each) => !tools.includes(each))) {
      expect((await refused(name, {})).message).toContain(`${name} is not offered here`);
    }
  });

  it("allowed_paths: {{workdir}} is the workspace", async () => {
    const { done, refused } = open({ allowed_paths: ["{{workdir}}/src/**"] });
    await done("Read", { file_path: "src/a.ts" });
    expect((await refused("Read", { file_path: "docs/b.md" })).kind).toBe("permission_denied");
    expect((await refused("Write", { file_path: "b.ts", content: "" })).kind).toBe("permission_denied");
    const found = await done("Glob", { pattern: "**/*" });
    expect(found.data.metadata.relative_paths).toEqual(["src/a.ts"]);
  });

  it("denied_paths win over allowed_paths, in every tool", async () => {
    const { done, refused } = open();
    for (const file_path of [".env.local", "node_modules/x/index.js"]) {
      expect((await refused("Read", { file_path })).kind).toBe("permission_denied");
      expect((await refused("Write", { file_path, content: "" })).kind).toBe("permission_denied");
      expect((await refused("Edit", { file_path, old_string: "one", new_string: "x" })).kind).toBe("permission_denied");
    }
    const globbed = await done("Glob", { pattern: "**/*", include_hidden: true, include_ignored: true });
    expect([...globbed.data.metadata.relative_paths].sort()).toEqual(["docs/b.md", "src/a.ts"]);
    const grepped = await done("Grep", { pattern: "one|KEY", output_mode: "files_with_matches" });
    expect(grepped.data.content.split("\n").sort()).toEqual(["docs/b.md", "src/a.ts"]);
    // What was not counted is not told.
    expect(grepped.data.metadata.files.every((file: object) => !("count" in file))).toBe(true);
  });

  it("max_file_size limits what is read and written", async () => {
    const { done, refused } = open({ max_file_size: 3 });
    const failure = await refused("Read", { file_path: "src/a.ts" });
    expect(failure).toMatchObject({ kind: "file_too_large", details: { size: 4, maxBytes: 3 } });
    expect(failure.suggestedAction).toBe("Read a range of lines, or search in it.");
    expect((await done("Read", { file_path: "src/a.ts", limit: 1 })).data.content).toBe("1\tone");
    expect((await refused("Write", { file_path: "n", content: "four" })).kind).toBe("file_too_large");
    expect((await refused("Edit", { file_path: "src/a.ts", old_string: "one", new_string: "x" })).kind).toBe(
      "file_too_large",
    );
  });

  it("readonly: true takes Write and Edit away", async () => {
    const { offered, done, content } = open({ readonly: true });
    expect(offered).toEqual(["Read", "Glob", "Grep"]);
    await done("Read", { file_path: "src/a.ts" });
    expect(await content("src/a.ts")).toBe("one\n");
  });

  it("a key that does not exist closes the door instead of opening it", () => {
    expect(() => open({ read_only: true })).toThrow(/policy\.read_only/);
  });
});

describe("seed 002: paths", () => {
  const home = process.cwd();
  afterEach(() => process.chdir(home));

  it("relative paths are resolved from the workspace, not from the process", async () => {
    const { done, root } = agentOnDisk(compact, FILES);
    const absolute = (path: string) => join(root, path);
    process.chdir(tmpdir());
    expect((await done("Read", { file_path: "src/a.ts" })).data.metadata.path).toBe(absolute("src/a.ts"));
    expect((await done("Write", { file_path: "w", content: "" })).data.metadata.path).toBe(absolute("w"));
    expect((await done("Glob", { pattern: "src/*" })).data.files).toEqual([absolute("src/a.ts")]);
  });
});
