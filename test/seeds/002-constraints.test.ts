// Seed 002, configuration and paths: the constraints block as policy, and where relative and Git Bash paths lead.
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { PolicyInput } from "../../src/kernel/policy/policy.ts";
import { compactSurface } from "../../src/surfaces/compact/index.ts";
import { nativePath } from "../../src/surfaces/compact/paths.ts";
import { offeredTools } from "../../src/surfaces/offer.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

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

const GIVEN_TO = BACKENDS.flatMap(([name, make]) => [
  [name, "the workspace and the surface", make] as const,
  [name, "the surface alone", make] as const,
]);

describe.each(GIVEN_TO)("seed 002: the constraints block on %s, given to %s", (_name, given, make) => {
  const open = (changes: object = {}) => {
    const policy = constraints(changes);
    const surface = compactSurface({ constraints: policy });
    const calls = opened(make, FILES, given === "the surface alone" ? {} : { policy }, surface);
    const offered = offeredTools(surface, calls.workspace.policy).map((tool) => tool.name);
    return { ...calls, offered };
  };

  it("as it stands in the seed: everything in the workspace works", async () => {
    const { ok, offered } = open();
    expect(offered).toEqual(["Read", "Write", "Edit", "Glob", "Grep"]);
    await ok("Read", { file_path: "src/a.ts" });
    await ok("Write", { file_path: "src/new.ts", content: "1\n" });
    await ok("Edit", { file_path: "src/a.ts", old_string: "one", new_string: "two" });
  });

  it.each([
    [["read"], ["Read"]],
    [
      ["read", "glob"],
      ["Read", "Glob"],
    ],
    [["grep"], ["Grep"]],
    [["write"], ["Write"]],
    [
      ["edit", "read"],
      ["Read", "Edit"],
    ],
    [["search"], ["Glob", "Grep"]],
  ])("allowed_actions %j offers %j, and nothing else can be called", async (allowed_actions, tools) => {
    const { offered, refused } = open({ allowed_actions });
    expect(offered).toEqual(tools);
    for (const name of ["Read", "Write", "Edit", "Glob", "Grep"].filter((each) => !tools.includes(each))) {
      expect((await refused(name, {})).message).toBe(`There is no tool "${name}".`);
    }
  });

  it("allowed_paths: {{workdir}} is the workspace", async () => {
    const { ok, refused } = open({ allowed_paths: ["{{workdir}}/src/**"] });
    await ok("Read", { file_path: "src/a.ts" });
    expect((await refused("Read", { file_path: "docs/b.md" })).kind).toBe("permission_denied");
    expect((await refused("Write", { file_path: "b.ts", content: "" })).kind).toBe("permission_denied");
    const found = await ok("Glob", { pattern: "**/*" });
    expect(found.data.metadata.relative_paths).toEqual(["src/a.ts"]);
  });

  it.skipIf(given === "the surface alone")(
    "allowed_paths: what lies outside the workspace stays out of reach, and the owner is told",
    () => {
      const { workspace } = open({ allowed_paths: ["{{workdir}}/**", "/somewhere/else/**"] });
      expect(workspace.policy.notes.join()).toContain('"/somewhere/else/**" lies outside the workspace');
    },
  );

  it("denied_paths win over allowed_paths, in every tool", async () => {
    const { ok, refused } = open();
    for (const file_path of [".env.local", "node_modules/x/index.js"]) {
      expect((await refused("Read", { file_path })).kind).toBe("permission_denied");
      expect((await refused("Write", { file_path, content: "" })).kind).toBe("permission_denied");
      expect((await refused("Edit", { file_path, old_string: "one", new_string: "x" })).kind).toBe("permission_denied");
    }
    const globbed = await ok("Glob", { pattern: "**/*", include_hidden: true, include_ignored: true });
    expect([...globbed.data.metadata.relative_paths].sort()).toEqual(["docs/b.md", "src/a.ts"]);
    const grepped = await ok("Grep", { pattern: "one|KEY", output_mode: "files_with_matches" });
    expect(grepped.data.content.split("\n").sort()).toEqual(["docs/b.md", "src/a.ts"]);
  });

  it("max_file_size limits what is read and written", async () => {
    const { ok, refused } = open({ max_file_size: 3 });
    const failure = await refused("Read", { file_path: "src/a.ts" });
    expect(failure).toMatchObject({ kind: "file_too_large", details: { size: 4, maxBytes: 3 } });
    expect(failure.suggestedAction).toBe("Read a range of lines, or search in it.");
    expect((await ok("Read", { file_path: "src/a.ts", limit: 1 })).data.content).toBe("1\tone");
    expect((await refused("Write", { file_path: "n", content: "four" })).kind).toBe("file_too_large");
    expect((await refused("Edit", { file_path: "src/a.ts", old_string: "one", new_string: "x" })).kind).toBe(
      "file_too_large",
    );
  });

  it("readonly: true takes Write and Edit away", async () => {
    const { offered, ok, workspace } = open({ readonly: true });
    expect(offered).toEqual(["Read", "Glob", "Grep"]);
    await ok("Read", { file_path: "src/a.ts" });
    expect(await textAt(workspace.backend, "src/a.ts")).toBe("one\n");
  });

  it("what was read may be edited, and other surfaces of the workspace are not held by the block", async () => {
    const { ok, workspace } = open({ denied_paths: [] });
    await ok("Write", { file_path: "long.txt", content: "line\n".repeat(200) });
    await ok("Read", { file_path: "long.txt" });
    await ok("Edit", { file_path: "long.txt", old_string: "line\n".repeat(200), new_string: "short\n" });
    if (given === "the surface alone") expect(workspace.policy.allows("docs/b.md", "write")).toBe(true);
    expect(await textAt(workspace.backend, "long.txt")).toBe("short\n");
  });

  it("a key that does not exist closes the door instead of opening it", () => {
    expect(() => open({ read_only: true })).toThrow(/policy\.read_only/);
  });
});

describe.each(BACKENDS)("seed 002: paths on %s", (_name, make) => {
  const home = process.cwd();
  afterEach(() => process.chdir(home));

  it("relative paths are resolved from the workspace, not from the process", async () => {
    const { ok, absolute } = opened(make, FILES);
    process.chdir(tmpdir());
    expect((await ok("Read", { file_path: "src/a.ts" })).data.metadata.path).toBe(absolute("src/a.ts"));
    expect((await ok("Write", { file_path: "w", content: "" })).data.metadata.path).toBe(absolute("w"));
    expect((await ok("Glob", { pattern: "src/*" })).data.files).toEqual([absolute("src/a.ts")]);
  });

  it("the workspace is the default of Glob and Grep", async () => {
    const { ok } = opened(make, FILES);
    process.chdir(tmpdir());
    expect((await ok("Grep", { pattern: "one", glob: "*.md" })).data.content).toBe("docs/b.md:1:one");
  });
});

describe("seed 002: Git Bash paths", () => {
  it.each([
    ["/c/Users/me/a.ts", "C:/Users/me/a.ts"],
    ["/D/x", "D:/x"],
    ["/c", "C:/"],
    ["/c/", "C:/"],
    ["/cc/x", "/cc/x"],
    ["c/x", "c/x"],
    ["C:/Users/me", "C:/Users/me"],
    ["src/a.ts", "src/a.ts"],
  ])("%s is %s on Windows and stays as it is elsewhere", (raw, native) => {
    expect(nativePath(raw, "win32")).toBe(native);
    for (const platform of ["linux", "darwin"] as const) expect(nativePath(raw, platform)).toBe(raw);
  });
});
