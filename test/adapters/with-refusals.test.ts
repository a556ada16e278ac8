// Refusals of a storage in the journal: under the framework's tool, with what was asked for.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Workspace } from "stet";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { openaiEditor } from "stet/adapters/openai";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import * as deep from "./models/deepagents.ts";
import { open } from "./support/cases.ts";

const LATIN = Buffer.from("caf\xe9 x\n", "latin1");
const FILES = { "a.txt": "one\ntwo\nthree\nthree\n", ".env": "K=1\n" };

async function refusals(workspace: Workspace) {
  const found: { tool: string; actions: unknown }[] = [];
  for await (const { tool, outcome, details } of workspace.log())
    if (outcome === "refused") found.push({ tool, actions: details?.actions });
  return found;
}

async function attempts(workspace: Workspace) {
  const found: Record<"tool" | "paths" | "actions", unknown>[] = [];
  for await (const { tool, outcome, details: { paths, actions } = {} } of workspace.log())
    if (outcome === "refused") found.push({ tool, paths, actions });
  return found;
}

function scene() {
  const { root, workspace } = open(FILES);
  writeFileSync(join(root, "lat.txt"), LATIN);
  symlinkSync(directoryWith({ "o.txt": "outside\n" }), join(root, "out"));
  const change = () => writeFileSync(join(root, "a.txt"), "zero\none\ntwo\n");
  return { root, workspace, session: workspace.session(), change };
}

it("deepagents: a refusal is recorded under its tool and with what was asked for", async () => {
  const { root, workspace, session, change } = scene();
  const answers = await deep.work(session, [
    deep.edit("/a.txt", "one", "1"),
    deep.read("/a.txt"),
    deep.edit("/a.txt", "three", "1"),
    change,
    deep.edit("/a.txt", "one", "1"),
    deep.write("/a.txt", "1\n"),
    deep.write("/.env", "x"),
    deep.read("/.env"),
    deep.edit("/.env", "K", "x"),
    ["delete", { file_path: "/.env" }],
    ["delete", { file_path: "/none" }],
    ["ls", { path: "/out" }],
    ["glob", { pattern: "*", path: "/../.." }],
    ["grep", { pattern: "x", path: "/../.." }],
    deep.read("/lat.txt"),
    deep.edit("/lat.txt", "café x", "y"),
    deep.write("/out/n.txt", "x"),
  ]);
  const refused = answers.filter((answer) => /Nothing was|rejected/.test(answer));
  const kept = await refusals(workspace);
  expect(kept.map(({ tool, actions }) => `${tool} ${actions}`)).toEqual([
    "edit_file edit",
    "edit_file edit",
    "edit_file edit",
    "write_file write",
    "write_file write",
    "read_file read",
    "edit_file edit",
    "delete delete",
    "delete delete",
    "ls list",
    "glob search",
    "grep search",
    "edit_file edit",
    "write_file write",
  ]);
  expect(refused[2]).toMatch(/\+zero/);
  expect(refused[4]).toContain('denies "write" on .env');
  expect(refused[12]).toContain("caf\\xE9 x");
  expect(JSON.stringify(kept)).not.toMatch(/sha256|\\\\ud/i);
  expect(readFileSync(join(root, ".env"), "utf8")).toBe("K=1\n");
  await workspace.close();
});

describe("the paths of a refusal are known", () => {
  it("with deepagents", async () => {
    const { workspace, session, change } = scene();
    const backend = deepagentsBackend(session);
    await backend.write("/a.txt", "x");
    await backend.write("/a.txt", 1 as never);
    await backend.edit("/a.txt", "one", "1");
    await backend.edit("//a.txt", "one", 1 as never);
    await backend.edit("/./a.txt", "", "1");
    await backend.read("/a.txt");
    change();
    await backend.edit("/a.txt", "one", "1");
    await backend.delete("/none.txt");
    expect((await attempts(workspace)).map(({ tool, paths }) => `${tool} ${paths}`)).toEqual([
      "write_file a.txt",
      "write_file a.txt",
      "edit_file a.txt",
      "edit_file a.txt",
      "edit_file ./a.txt",
      "edit_file a.txt",
      "delete none.txt",
    ]);
    await workspace.close();
  });
});

describe("openaiEditor", () => {
  it("records its own refusals", async () => {
    const { workspace } = open(FILES);
    const editor = openaiEditor(workspace.session());
    const answers = [
      await editor.createFile({ path: "n.txt", diff: "x\n" }),
      await editor.updateFile({ path: "a.txt", diff: "*** Add File: x\n+1\n" }),
      await editor.updateFile({ path: " a.txt", diff: "@@\n-1\n+2\n" }),
      await editor.updateFile({ path: "a.txt" } as never),
      await editor.deleteFile({ path: ".env" }),
    ].map(({ output }) => output);
    expect(await refusals(workspace)).toHaveLength(answers.length);
    await workspace.close();
  });

  it("names the rule and the next action where the policy leaves nothing of it", async () => {
    const workspace = openWorkspace({ root: directoryWith(FILES), policy: { allowedActions: ["read"] } });
    const editor = openaiEditor(workspace.session());
    const answers = [
      await editor.createFile({ path: "n.txt", diff: "+x\n" }),
      await editor.updateFile({ path: "a.txt", diff: "@@\n-one\n+1\n" }),
      await editor.deleteFile({ path: "a.txt" }),
    ].map(({ output }) => output);
    for (const answer of answers)
      expect(answer).toMatch(/^Nothing was changed\. The policy denies .*\(rule: allowedActions\)\. .*ask the owner/);
    expect(await refusals(workspace)).toEqual(
      ["create", "edit", "delete"].map((action) => ({
        tool: "apply_patch",
        actions: [action],
      })),
    );
    await workspace.close();
  });
});

it("a policy that allows changes and no reads lets through what needs no read", async () => {
  const policy = { allowedActions: ["create", "write", "edit", "delete"] } as const;
  const root = directoryWith(FILES);
  const workspace = openWorkspace({ root, policy: { allowedActions: [...policy.allowedActions] } });
  const session = workspace.session();
  expect(await deepagentsBackend(session).write("/n.txt", "one\n")).toMatchObject({ path: "/n.txt" });
  expect(await deepagentsBackend(session).edit("/n.txt", "one", "two")).toMatchObject({ occurrences: 1 });
  expect(await deepagentsBackend(session).write("/a.txt", "x")).toMatchObject({
    error: expect.stringMatching(/Read it/),
  });
  expect(["n.txt", "a.txt"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["two\n", FILES["a.txt"]]);
  await workspace.close();
});
