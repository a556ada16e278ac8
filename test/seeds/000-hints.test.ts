// Seed 000: what a refusal suggests can be done with the tools there are, and then works.
import { lstatSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import type { WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { type Desk, deskOn, strangeNames, type ToolName } from "./000-calls.ts";

const SHA = "0".repeat(64);

describe("seed 000: names in suggestions", () => {
  it("a name that the tool does not have would be noticed by every test that meets a refusal", () => {
    expect(strangeNames("search_files", "Correct the pattern, or set head_limit.")).toEqual(["pattern", "head_limit"]);
    expect(strangeNames("write_file", "Set createParentDirectories to true.")).toEqual(["createParentDirectories"]);
    expect(strangeNames("write_file", "Use create_file with createParentDirectories.")).toEqual([]);
    expect(strangeNames("edit_file", "Set expectedOccurrences.")).toEqual([]);
  });
});

describe.each(BACKENDS)("seed 000: suggestions on %s", (_name, make) => {
  const FILES = { a: "x\nx\n", b: "2\n", "d/c": "3\n", bin: Uint8Array.of(1, 0, 2) };

  const rows: readonly (readonly [string, ToolName, (sha: string) => object, string, (sha: string) => object])[] = [
    [
      "a new file in a missing directory",
      "create_file",
      () => ({ path: "n/e/w", content: "" }),
      "Set createParentDirectories to true",
      () => ({ path: "n/e/w", content: "", createParentDirectories: true }),
    ],
    [
      "a move into a missing directory",
      "move_file",
      (expectedSha256) => ({ fromPath: "a", toPath: "n/e/w", expectedSha256 }),
      "Set createParentDirectories to true",
      (expectedSha256) => ({ fromPath: "a", toPath: "n/e/w", expectedSha256, createParents: true }),
    ],
    [
      "a move over a file",
      "move_file",
      (expectedSha256) => ({ fromPath: "a", toPath: "b", expectedSha256 }),
      "set overwrite to true",
      (expectedSha256) => ({ fromPath: "a", toPath: "b", expectedSha256, overwrite: true }),
    ],
    [
      "text in two places",
      "edit_file",
      (expectedSha256) => ({ path: "a", expectedSha256, edits: [{ oldText: "x", newText: "y" }] }),
      "set expectedOccurrences",
      (expectedSha256) => ({
        path: "a",
        expectedSha256,
        edits: [{ oldText: "x", newText: "y", expectedOccurrences: 2 }],
      }),
    ],
    [
      "a regex that is none",
      "search_files",
      () => ({ query: "(", mode: "regex" }),
      'use mode "text"',
      () => ({ query: "(", mode: "text" }),
    ],
    [
      "a binary file",
      "read_file",
      () => ({ path: "bin" }),
      "Set allowBinary to true",
      () => ({ path: "bin", allowBinary: true }),
    ],
  ];

  it.each(rows)("%s", async (_what, tool, input, advice, followed) => {
    const desk = deskOn(make(FILES));
    const sha = await desk.sha("a");
    expect((await desk.no(tool, input(sha))).suggestedAction).toContain(advice);
    await desk.ok(tool, followed(sha));
  });

  it("a place that is taken: restore_file to another", async () => {
    const desk = deskOn(make(FILES));
    await desk.ok("delete_file", { path: "a" });
    await desk.ok("create_file", { path: "a", content: "" });
    const refused = await desk.no("restore_file", { trashedPath: "a" });
    expect(refused.suggestedAction).toBe("Give another place as targetPath.");
    await desk.ok("restore_file", { trashedPath: "a", targetPath: "again" });
  });

  it("a directory is no file that overwrite could put away", async () => {
    const desk = deskOn(make(FILES));
    const move = { fromPath: "a", toPath: "d", expectedSha256: await desk.sha("a") };
    expect((await desk.no("move_file", move)).suggestedAction).toBe("Name the file it shall have there.");
  });

  it("a text that the encoding of a file does not have: no parameter that is not there is named", async () => {
    const desk = deskOn(make({ latin: Buffer.from("caf\u00e9 au lait\nd\u00e9j\u00e0 vu\n", "latin1") }));
    const expectedSha256 = await desk.sha("latin");
    const written = await desk.no("write_file", { path: "latin", content: "\u{1f600}\n", expectedSha256 });
    const edits = [{ oldText: "lait", newText: "\u{1f600}" }];
    const edited = await desk.no("edit_file", { path: "latin", edits, expectedSha256 });
    for (const { kind, suggestedAction } of [written, edited]) {
      expect(kind).toBe("command_failed");
      expect(suggestedAction).not.toMatch(/encoding/);
    }
  });

  it.each([
    ["a\nb", "text", "Search for one line, without its end."],
    ["b\r", "text", "Search for one line, without its end."],
    ["a\\nb", "regex", "Search for one line, without its end."],
    ["a\0", "text", "Correct the query."],
    ["(", "regex", 'Correct the query, or use mode "text".'],
  ])("what cannot be searched, %j with mode %s, is not sent to the mode it came with", async (query, mode, next) => {
    const desk = deskOn(make(FILES));
    expect((await desk.no("search_files", { query, mode })).suggestedAction).toBe(next);
  });

  it("nothing that cannot be done is suggested for what is too large", async () => {
    const large = "line\n".repeat(100);
    const limits = { maxFileBytes: 64 };
    const desk = deskOn(make({ large, bin: Uint8Array.of(1, 0, ...new Uint8Array(100)) }), { limits });
    const bySha = "It is too large to be shown; pass this as expectedSha256 to delete_file or move_file.";
    const advice = async (at: Desk, tool: ToolName, input: object) => (await at.no(tool, input)).suggestedAction;
    expect(await advice(desk, "read_file", { path: "bin" })).toBe(bySha);
    expect(await advice(desk, "read_file", { path: "bin", allowBinary: true })).toBe(bySha);
    await desk.ok("read_file", { path: "large", startLine: 1, endLine: 50 });
    const write = { path: "new", content: large };
    expect(await advice(desk, "create_file", write)).toBe("Write less, or several files in place of one.");
    const edit = { path: "large", expectedSha256: SHA, edits: [{ oldText: "x", newText: "y" }] };
    expect(await advice(desk, "edit_file", edit)).toContain(
      "It is too large to be changed by these tools: leave it as it is",
    );
  });
});

describe("seed 000: a link that leads to no file", () => {
  const patch = (line: string) => ({ patch: `*** Begin Patch\n${line}\n*** End Patch` });
  const calls: readonly (readonly [ToolName, (name: string, sha?: string) => object])[] = [
    ["delete_file", (path, sha) => ({ path, ...(sha !== undefined && { expectedSha256: sha }) })],
    ["move_file", (fromPath, sha = SHA) => ({ fromPath, toPath: "elsewhere", expectedSha256: sha })],
    [
      "apply_patch",
      (path, sha) => ({
        ...patch(`*** Delete File: ${path}`),
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

  it.each(calls.flatMap(([tool, input]) => modes.map((mode) => [tool, ...mode, input] as const)))(
    "%s of one %s: it cannot be read, so the refusal gives the sha256 that does",
    async (tool, _how, options, named, input) => {
      for (const [name, to] of Object.keys(options).length > 0 ? LINKS.slice(0, 1) : LINKS) {
        // A link to what may not be touched is never moved.
        if ((name === "out" || name === "secret") && tool === "move_file") continue;
        const root = directoryWith({ "d/c": "3\n", ".env": "KEY=1\n" });
        symlinkSync(to, join(root, name));
        const desk = deskOn(disk({ root, durability: "fast" }), options);
        const refused = await desk.no(tool, input(name, named));
        expect(refused.message).toContain(`${name} is a symbolic link that leads to no file that can be read here`);
        const sha = /\b[0-9a-f]{64}\b/.exec(refused.suggestedAction ?? "")?.[0];
        await desk.ok(tool, input(name, sha));
        expect(lstatSync(join(root, name), { throwIfNoEntry: false })).toBeUndefined();
      }
    },
  );
});
