// Seed 000: paths of every tool, links that lead to no file, and what a file has besides its bytes.

import { chmodSync, existsSync, linkSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceOptions } from "stet";
import { inputSchema, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentWith, patchOf } from "../support/agent.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

describe("seed 000: tools at a glance", () => {
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
});

describe("seed 000: paths", () => {
  const calls = (path: string): readonly (readonly [string, object])[] => [
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
    ["apply_patch", { patch: patchOf(`*** Add File: ${path}`, "+x") }],
    ["audit_log", { path }],
    ["list_trash", { path }],
  ];

  it.each(["/etc/hostname", "../outside", "a/../../outside"])(
    "%s is outside the workspace for every tool",
    async (path) => {
      const agent = agentWith(workspace, { "a/x": "1\n" });
      for (const [name, input] of calls(path)) {
        const refused = await agent.refused(name, input);
        expect([name, refused.kind, refused.recoverable]).toEqual([name, "outside_workspace", false]);
      }
    },
  );

  it("a path that the policy denies is denied for every tool that would touch it", async () => {
    const agent = agentWith(workspace, { a: "1\n", "secrets/key": "SECRET\n" });
    for (const [name, input] of calls("secrets/key").filter(
      ([name]) => !["restore_file", "audit_log", "list_trash"].includes(name),
    )) {
      const refused = await agent.refused(name, input);
      expect([name, refused.kind, refused.recoverable]).toEqual([name, "permission_denied", false]);
      expect(refused.text).not.toContain("SECRET");
    }
  });
});

const SHA = "0".repeat(64);

describe("seed 000: suggestions", () => {
  it.each([
    ["a\nb", "text", "Search for one line, without its end."],
    ["b\r", "text", "Search for one line, without its end."],
    ["a\\nb", "regex", "Search for one line, without its end."],
    ["a\0", "text", "Correct the query."],
    ["(", "regex", 'Correct the query, or use mode "text".'],
  ])("what cannot be searched, %j with mode %s, is not sent to the mode it came with", async (query, mode, next) => {
    const agent = agentWith(workspace, { a: "x\n" });
    expect((await agent.refused("search_files", { query, mode })).suggestedAction).toBe(next);
  });

  it("nothing that cannot be done is suggested for what is too large", async () => {
    const large = "line\n".repeat(100);
    const limits = { maxFileBytes: 64 };
    const agent = agentWith(workspace, { large, bin: Uint8Array.of(1, 0, ...new Uint8Array(100)) }, { limits });
    const bySha = "It is too large to be shown; pass this as expectedSha256 to delete_file or move_file.";
    const advice = async (tool: string, input: object) => (await agent.refused(tool, input)).suggestedAction;
    expect(await advice("read_file", { path: "bin" })).toBe(bySha);
    expect(await advice("read_file", { path: "bin", allowBinary: true })).toBe(bySha);
    await agent.done("read_file", { path: "large", startLine: 1, endLine: 50 });
    const write = { path: "new", content: large };
    expect(await advice("create_file", write)).toBe("Write less, or several files in place of one.");
    const edit = { path: "large", expectedSha256: SHA, edits: [{ oldText: "x", newText: "y" }] };
    expect(await advice("edit_file", edit)).toContain(
      "It is too large to be changed by these tools: leave it as it is",
    );
  });
});

describe("seed 000: a link that leads to no file", () => {
  const calls: readonly (readonly [string, (name: string, sha?: string) => object])[] = [
    ["delete_file", (path, sha) => ({ path, ...(sha !== undefined && { expectedSha256: sha }) })],
    ["move_file", (fromPath, sha = SHA) => ({ fromPath, toPath: "elsewhere", expectedSha256: sha })],
    [
      "apply_patch",
      (path, sha) => ({
        patch: patchOf(`*** Delete File: ${path}`),
        ...(sha !== undefined && { expectedSha256ByPath: { [path]: sha } }),
      }),
    ],
  ];
  const LINKS = [
    ["alias", "d"],
    ["dangling", "nowhere"],
    ["secret", ".env"],
    ["out", "/"],
  ] as const;
  const modes: readonly (readonly [string, WorkspaceOptions, string | undefined])[] = [
    ["that is named by another version", {}, SHA],
    ["that is named by another version, with rebasing", { onStale: "rebase" }, SHA],
    ["that nothing proves, in a strict workspace", { strict: true }, undefined],
  ];

  it.each(calls.flatMap(([tool, input], n) => modes.slice(n).map((mode) => [tool, ...mode, input] as const)))(
    "%s of one %s: it cannot be read, so the refusal gives the sha256 that does",
    async (tool, _how, options, named, input) => {
      for (const [name, to] of Object.keys(options).length > 0 ? LINKS.slice(0, 1) : LINKS) {
        // A link to what may not be touched is never moved.
        if ((name === "out" || name === "secret") && tool === "move_file") continue;
        const root = directoryWith({ "d/c": "3\n", ".env": "KEY=1\n" });
        symlinkSync(to, join(root, name));
        const agent = agentIn(workspaceIn(root, options), workspace);
        const refused = await agent.refused(tool, input(name, named));
        expect(refused.message).toContain(`${name} is a symbolic link that leads to no file that can be read here`);
        const sha = /\b[0-9a-f]{64}\b/.exec(refused.suggestedAction ?? "")?.[0];
        await agent.done(tool, input(name, sha));
        expect(lstatSync(join(root, name), { throwIfNoEntry: false })).toBeUndefined();
      }
    },
  );
});

describe("seed 000: what a disk has besides bytes", () => {
  it("a restored file has its mode back, and a move keeps it", async () => {
    const root = directoryWith({ a: "#!/bin/sh\n" });
    chmodSync(join(root, "a"), 0o755);
    const agent = agentIn(workspaceIn(root), workspace);
    await agent.done("delete_file", { path: "a" });
    expect(existsSync(join(root, "a"))).toBe(false);
    const { data } = await agent.done("restore_file", { trashedPath: "a" });
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
    await agent.done("move_file", { fromPath: "a", toPath: "b", expectedSha256: data.sha256 });
    expect(statSync(join(root, "b")).mode & 0o777).toBe(0o755);
  });

  it("other names of a file by hard link are told by delete, move and apply_patch", async () => {
    const root = directoryWith({ a: "1\n", b: "2\n", c: "3\n" });
    for (const name of ["a", "b", "c"]) linkSync(join(root, name), join(root, `${name}2`));
    const agent = agentIn(workspaceIn(root), workspace);
    const patch = patchOf("*** Delete File: c");
    for (const [name, { warnings }] of [
      ["a", await agent.done("delete_file", { path: "a" })],
      ["b", await agent.done("move_file", { fromPath: "b", toPath: "d", expectedSha256: await agent.sha("b") })],
      ["c", await agent.done("apply_patch", { patch })],
    ] as const) {
      expect(warnings).toEqual([`${name}: it had 1 other name(s) by hard link, which keep the old content.`]);
      expect(readFileSync(join(root, `${name}2`), "utf8")).not.toBe("");
    }
  });
});

describe("seed 000: write_file", () => {
  it("what read_file showed can be written back without a change of bytes", async () => {
    const bytes = Buffer.from("\ufeffeins\r\nzwei\r\n", "utf16le");
    const agent = agentWith(workspace, { a: bytes });
    const { data } = await agent.done("read_file", { path: "a" });
    await agent.done("write_file", { path: "a", content: data.content, expectedSha256: data.sha256 });
    expect(await agent.bytes("a")).toBe(bytes.toString("latin1"));
  });
});

describe("seed 000: edit_file", () => {
  const TEXT = "alpha\nbeta\ngamma\nbeta gamma\n";
  const editing = async (text: string, edits: unknown) => {
    const agent = agentWith(workspace, { a: text });
    const input = { path: "a", edits, expectedSha256: await agent.sha("a") };
    return { agent, ok: () => agent.done("edit_file", input), no: () => agent.refused("edit_file", input) };
  };

  it.each([
    ["expectedOccurrences", { expectedOccurrences: 2 }],
    ["replaceAll", { replaceAll: true }],
  ])("several places with %s", async (_what, how) => {
    const { agent, ok } = await editing(TEXT, [{ oldText: "beta", newText: "B", ...how }]);
    expect((await ok()).data.appliedEdits).toEqual([{ editIndex: 0, occurrences: 2 }]);
    expect(await agent.content("a")).toBe(TEXT.replaceAll("beta", "B"));
  });

  it.each([
    ["more were expected", 5, false],
    ["fewer were expected", 1, false],
    ["just so many were expected", 2, true],
  ])("replaceAll with expectedOccurrences holds both: %s", async (_what, expectedOccurrences, goesAhead) => {
    const edits = [{ oldText: "beta", newText: "B", replaceAll: true, expectedOccurrences }];
    const { agent, ok, no } = await editing(TEXT, edits);
    if (goesAhead) {
      await ok();
      expect(await agent.content("a")).toBe(TEXT.replaceAll("beta", "B"));
      return;
    }
    const refused = await no();
    expect(refused).toMatchObject({ kind: "multiple_matches", details: { matchCount: 2, expectedOccurrences } });
    expect(refused.message).toContain("is in 2 places, lines 2 and 4");
    expect(await agent.content("a")).toBe(TEXT);
  });
});
