// A stale file: which refusals hand out its sha256, and what is said of one that is gone or too large.

import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { versionOf, type WorkspaceOptions } from "stet";
import { tracked, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith, patchOf } from "../support/agent.ts";

const numbered = (word: string) => `first\n${Array.from({ length: 2000 }, (_, n) => `${word} ${n}\n`).join("")}`;
const shaOf = (text: string) => versionOf([Buffer.from(text)]).sha;

const CALLS: readonly (readonly [string, (sha: string) => Record<string, unknown>, again: string])[] = [
  ["write_file", (expectedSha256) => ({ path: "f", content: "x\n", expectedSha256 }), "and write that"],
  [
    "edit_file",
    (expectedSha256) => ({ path: "f", edits: [{ oldText: "first", newText: "1st" }], expectedSha256 }),
    "Re-apply your edit",
  ],
  [
    "apply_patch",
    (sha) => ({
      patch: patchOf("*** Update File: f", "@@", "-first", "+1st"),
      expectedSha256ByPath: { f: sha },
    }),
    "Send the patch again",
  ],
  ["move_file", (expectedSha256) => ({ fromPath: "f", toPath: "g", expectedSha256 }), "Move it"],
  ["delete_file", (expectedSha256) => ({ path: "f", expectedSha256 }), "Delete it"],
];

async function agentAndTheirs(before: string, after: string, options: WorkspaceOptions = {}) {
  const agent = agentWith(workspace, { f: before }, options);
  const seen = await agent.sha("f");
  if (after !== before) await agent.theyWrite("f", after);
  return { agent, seen };
}

describe.each(CALLS)("a stale %s", (tool, input, again) => {
  it("is told the sha256 with a whole diff, and goes through with it", async () => {
    const { agent, seen } = await agentAndTheirs("first\nsecond\n", "first\nzweite\n");
    const { text, suggestedAction } = await agent.refused(tool, input(seen));
    expect(text).toContain(`${again} with the sha256 below if that is still right.`);
    expect(text).not.toContain("Re-read");
    expect(suggestedAction).toContain("Re-read the file to obtain the current sha256");
    const [, sha = ""] = /\nThe sha256 is (\w+) now\.$/.exec(text) ?? [];
    await agent.done(tool, input(sha));
  });

  it("is told none with a diff that was cut, of many lines or of a long one", async () => {
    for (const [before, after] of [
      [numbered("line"), numbered("LINE")],
      ["first\n", `first\n${"x".repeat(3000)}\n`],
    ] as const) {
      const { agent, seen } = await agentAndTheirs(before, after);
      const refused = await agent.refused(tool, input(seen));
      expect(refused.kind).toBe("stale_file");
      expect(JSON.stringify(refused)).not.toContain(shaOf(after));
      expect(refused.text).toContain("Re-read the file to obtain the current sha256");
    }
  });

  it("is told none where the version it names is not known", async () => {
    const { agent } = await agentAndTheirs("first\n", "first\n");
    const refused = await agent.refused(tool, input("0".repeat(64)));
    expect(JSON.stringify(refused)).not.toContain(shaOf("first\n"));
    expect(refused.text).toContain("Re-read the file to obtain the current sha256");
  });

  it("is told none in a strict workspace, where the file must be read", async () => {
    const { agent, seen } = await agentAndTheirs("first\n", "first\nsecond\n", { strict: true });
    const refused = await agent.refused(tool, input(seen));
    expect(refused.text).toContain("+second");
    expect(JSON.stringify(refused)).not.toContain(shaOf("first\nsecond\n"));
  });
});

it("a file that is in the way of a new one is told without its sha256", async () => {
  const { agent } = await agentAndTheirs("first\n", "first\n");
  for (const [tool, input] of [
    ["create_file", { path: "f", content: "x" }],
    ["apply_patch", { patch: patchOf("*** Add File: f", "+x") }],
    ["apply_patch", { patch: patchOf("*** Add File: f", "+x"), expectedSha256ByPath: { f: "" } }],
    ["apply_patch", { patch: patchOf("*** Add File: f", "+x"), expectedSha256ByPath: { f: "0".repeat(64) } }],
  ] as const)
    expect(JSON.stringify(await agent.refused(tool, input))).not.toContain(shaOf("first\n"));
});

const LIMIT = 4096;
const lines = Array.from({ length: 2000 }, (_, n) => `line ${n + 1}`).join("\n");
const FILES = {
  "lines.txt": `${lines}\n`,
  "one-line.json": "x".repeat(3 * LIMIT),
  "program.bin": Buffer.concat([Buffer.from([0, 1, 2]), Buffer.alloc(3 * LIMIT, 7)]),
};
const SHA = /sha256(?:=| is )([0-9a-f]{64})/;

describe("a file too large to be read whole", () => {
  const strictAgent = () => agentWith(workspace, FILES, { strict: true, policy: { maxFileBytes: LIMIT } });

  it.each(Object.keys(FILES))("%s is deleted with the sha256 that read_file tells", async (path) => {
    const agent = strictAgent();
    const refused = await agent.refused("delete_file", { path });
    expect(refused.text).toMatch(/^Delete rejected, file unchanged\. .*not been read/);
    expect(refused.suggestedAction).toMatch(/read the file|read_file/i);
    const told = await agent.workspace.backend.read((await agent.session.resolve(path, "read")).path);
    const answer = path.endsWith(".bin")
      ? await agent.refused("read_file", { path })
      : await agent.done("read_file", { path, maxBytes: 100 });
    const [, expectedSha256] = SHA.exec(answer.text) ?? [];
    expect(expectedSha256).toBe(
      createHash("sha256")
        .update(FILES[path as keyof typeof FILES])
        .digest("hex"),
    );
    expect(expectedSha256).toBe(told!.sha);
    await agent.done("move_file", { fromPath: path, toPath: `moved-${path}`, expectedSha256 });
    const stale = { path: `moved-${path}`, expectedSha256: "0".repeat(64) };
    expect((await agent.refused("delete_file", stale)).kind).toBe("stale_file");
    const { data } = await agent.done("delete_file", { path: `moved-${path}`, expectedSha256 });
    expect(data).toMatchObject({ deleted: true, sizeBytes: told!.size, beforeSha256: expectedSha256 });
  });

  it("a page of it is a proof as well; one that was refused is none", async () => {
    const agent = strictAgent();
    await agent.done("read_file", { path: "one-line.json", startLine: 1, maxBytes: 10 });
    await agent.done("delete_file", { path: "one-line.json" });
    await agent.refused("read_file", { path: "program.bin" });
    expect((await agent.refused("delete_file", { path: "program.bin" })).kind).toBe("stale_file");
  });
});

const TEXT = `one\n${"more\n".repeat(200)}`;

const agentInDirectory = () => agentOnDisk(workspace, { "dir/f": TEXT });

const READ = {
  workspace: ["read_file", { path: "dir/f" }],
  tracked: ["Read", { file_path: "dir/f" }],
  compact: ["Read", { file_path: "dir/f" }],
  anchors: ["read_file", { path: "dir/f", hashes: true }],
} as const;

const EDIT = { file_path: "dir/f", old_string: "one", new_string: "two" };
const AGAIN = "Create it again if it is still needed.";
const WITHOUT = "Go on without it.";

describe.each([
  ["workspace", "edit_file", { path: "dir/f", edits: [{ oldText: "one", newText: "two" }] }, AGAIN],
  ["workspace", "write_file", { path: "dir/f", content: "two\n" }, AGAIN],
  ["workspace", "move_file", { fromPath: "dir/f", toPath: "g" }, WITHOUT],
  ["workspace", "delete_file", { path: "dir/f" }, WITHOUT],
  ["tracked", "Edit", EDIT, AGAIN],
  ["compact", "Edit", EDIT, AGAIN],
  ["anchors", "edit", { path: "dir/f", operations: [{ op: "replace_line", hash: "f97c5d", content: "two" }] }, AGAIN],
] as const)("%s %s of a file that was read and then", (surface, tool, input, next) => {
  async function refusedAfter(remove: (root: string) => void) {
    const agent = agentInDirectory();
    const [reader, asked] = READ[surface];
    const { data } = await agent.as(surface).done(reader, asked);
    remove(agent.root);
    const proof = surface === "workspace" ? { expectedSha256: data.sha256 } : {};
    return agent.as(surface).call(tool, { ...input, ...proof });
  }

  it("deleted, moved away or deleted with its directory is told that it is gone", async () => {
    for (const remove of [
      (root: string) => rmSync(join(root, "dir/f")),
      (root: string) => renameSync(join(root, "dir/f"), join(root, "dir/other")),
      (root: string) => rmSync(join(root, "dir"), { recursive: true }),
    ]) {
      const refused = await refusedAfter(remove);
      expect(refused).toMatchObject({ ok: false, error: { kind: "stale_file", details: { cause: "not_found" } } });
      expect(refused.text).toContain("dir/f is gone since you read it.");
      expect(refused.text).toContain(next);
      expect(refused.text).not.toMatch(/check the path/i);
    }
  });
});

const PATCH = patchOf("*** Update File: dir/f", "@@", "-one", "+two");

it.each([
  ["workspace", "edit_file", { path: "dir/f", edits: [{ oldText: "one", newText: "two" }] }],
  ["workspace", "apply_patch", { patch: PATCH }],
  ["tracked", "Edit", EDIT],
  ["compact", "Edit", EDIT],
] as const)("%s %s of a file that another session moved is told where to", async (surface, tool, input) => {
  const agent = agentInDirectory();
  const [reader, asked] = READ[surface];
  const { data } = await agent.as(surface).done(reader, asked);
  await agent.another("bob").session.move("dir/f", "dir/g", { proof: { by: "waived" } });
  const refused = await agent.as(surface).call(tool, {
    ...input,
    ...(tool === "edit_file" && { expectedSha256: data.sha256 }),
  });
  expect(refused.text).toContain("dir/f is gone since you read it. It was moved to dir/g by bob (session ");
  expect(refused.text).toContain("Read dir/g and go on there.");
});

it("a file that the session never read, or deleted itself, is not found", async () => {
  const agent = agentInDirectory();
  const edit = { path: "dir/f", edits: [{ oldText: "one", newText: "two" }], expectedSha256: "0".repeat(64) };
  await agent.call("read_file", { path: "dir/f" });
  await agent.call("delete_file", { path: "dir/f" });
  for (const path of ["dir/f", "dir/never"])
    expect(await agent.call("edit_file", { ...edit, path })).toMatchObject({ error: { kind: "not_found" } });
});

it("a whole new text in its place is written, where a surface takes it for a new file", async () => {
  const agent = agentInDirectory();
  await agent.as(tracked).done("Read", { file_path: "dir/f" });
  rmSync(join(agent.root, "dir/f"));
  await agent.as(tracked).done("Write", { file_path: "dir/f", content: "anew\n" });
});
