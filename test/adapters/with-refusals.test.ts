// Refusals of a storage in the journal: under the framework's tool, with what was asked for.
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Workspace } from "stet";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { mastraFilesystem } from "stet/adapters/mastra";
import { openaiEditor } from "stet/adapters/openai";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import * as deep from "./models/deepagents.ts";
import * as mastra from "./models/mastra.ts";
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

it("Mastra: a refusal is recorded under its tool and with what was asked for", async () => {
  const { root, workspace, session, change } = scene();
  writeFileSync(join(root, "nul.bin"), Buffer.from([0, 1, 2, 255]));
  await mastra.work(session, [
    mastra.edit("a.txt", "one", "1"),
    mastra.read("a.txt"),
    change,
    mastra.edit("a.txt", "one", "1"),
    mastra.write("a.txt", "x"),
    mastra.write(".env", "x"),
    mastra.edit(".env", "K", "x"),
    ["delete", { path: ".env" }],
    mastra.read(".env"),
    ["file_stat", { path: ".env" }],
    mastra.write("../x", "x"),
    ["delete", { path: "../x" }],
    mastra.write("out/n.txt", "x"),
    mastra.edit("out/o.txt", "outside", "x"),
    ["delete", { path: "out/o.txt" }],
    mastra.edit("nul.bin", "a", "b"),
    mastra.edit("none.txt", "a", "b"),
    ["delete", { path: "none.txt" }],
    mastra.write("a.txt/b.txt", "x"),
    ["mkdir", { path: ".stet/x" }],
  ]);
  const kept = await refusals(workspace);
  expect(kept.map(({ tool, actions }) => `${tool} ${actions}`)).toEqual([
    "edit_file edit",
    "edit_file edit",
    "write_file write",
    "write_file write",
    "edit_file edit",
    "delete delete",
    "read_file read",
    "file_stat read",
    "write_file write",
    "delete delete",
    "write_file write",
    "edit_file edit",
    "delete delete",
    "edit_file edit",
    "edit_file edit",
    "delete delete",
    "write_file write",
    "mkdir create",
  ]);
  await workspace.close();
});

describe("the paths of a refusal are known, whatever the framework's spelling of their paths", () => {
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
      "edit_file a.txt",
      "edit_file a.txt",
      "delete none.txt",
    ]);
    await workspace.close();
  });

  it("with Mastra, both files of a copy and of a move", async () => {
    const { root, workspace, session, change } = scene();
    mkdirSync(join(root, "d"));
    for (const name of ["b.txt", "d/c.txt", "h.txt"]) writeFileSync(join(root, name), "b\n");
    linkSync(join(root, "h.txt"), join(root, "i.txt"));
    const files = mastraFilesystem(session);
    const words: string[] = [];
    const refused = async (done: Promise<unknown>) => {
      const error: unknown = await done.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      words.push((error as Error).message);
    };
    const at = `${root}/b.txt`;
    await refused(files.writeFile("/a.txt", "x"));
    await refused(files.writeFile("//a.txt", "x", { overwrite: false }));
    await refused(files.writeFile(at, "x"));
    await refused(files.deleteFile("/d"));
    await refused(files.deleteFile("/none.txt"));
    await refused(files.rmdir("/d"));
    await refused(files.mkdir("/a.txt"));
    await refused(files.copyFile("/a.txt", "/b.txt"));
    await refused(files.copyFile("/a.txt", "/b.txt", { overwrite: false }));
    await refused(files.copyFile("/none.txt", "/n.txt"));
    await refused(files.copyFile("/d", "/n.txt"));
    await refused(files.copyFile("/.env", "/n.txt"));
    await refused(files.copyFile("/a.txt", "/.env"));
    await refused(files.copyFile("/a.txt", "/h.txt"));
    await refused(files.moveFile("/a.txt", "/b.txt"));
    await refused(files.moveFile("/a.txt", "/b.txt", { overwrite: false }));
    await refused(files.moveFile("/none.txt", "/n.txt"));
    await refused(files.moveFile("/.env", "/n.txt"));
    await refused(files.moveFile("/a.txt", "/.env"));
    await refused(files.moveFile("/a.txt", "/h.txt"));
    await refused(mastraFilesystem(session, { overwrite: true }).moveFile("/a.txt", "/d/c.txt"));
    await mastra.work(session, [mastra.read("/a.txt"), change, mastra.edit("/a.txt", "one", "1")]);
    const kept = await attempts(workspace);
    expect(kept.map(({ tool, paths }) => `${tool} ${paths}`)).toEqual([
      "write_file a.txt",
      "write_file a.txt",
      "write_file b.txt",
      "delete d",
      "delete none.txt",
      "delete d",
      "mkdir a.txt",
      "copy_file b.txt,a.txt",
      "copy_file b.txt,a.txt",
      "copy_file n.txt,none.txt",
      "copy_file n.txt,d",
      "copy_file n.txt,.env",
      "copy_file .env,a.txt",
      "copy_file h.txt,a.txt",
      "move_file a.txt,b.txt",
      "move_file a.txt,b.txt",
      "move_file none.txt,n.txt",
      "move_file .env,n.txt",
      "move_file a.txt,.env",
      "move_file a.txt,h.txt",
      "move_file a.txt,d/c.txt",
      "edit_file a.txt",
    ]);
    expect(new Set(kept.filter(({ tool }) => tool === "copy_file").map(({ actions }) => `${actions}`))).toEqual(
      new Set(["write,read"]),
    );
    expect(words[0]).toContain("/a.txt exists, and Mastra does not tell");
    expect(words[2]).toContain(`${at} exists, and Mastra does not tell`);
    expect(words[3]).toBe("Nothing was deleted. /d is a directory. Name a file.");
    expect(words[7]).toContain("/b.txt exists, and Mastra does not tell");
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
  const files = mastraFilesystem(session);
  await files.appendFile("/log.txt", "1\n");
  expect(await mastra.work(session, [mastra.write("m.txt", "m\n"), ["delete", { path: "m.txt" }]], files)).toEqual([
    "Wrote 2 bytes to m.txt",
    "Deleted m.txt",
  ]);
  expect(["n.txt", "a.txt", "log.txt"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual([
    "two\n",
    FILES["a.txt"],
    "1\n",
  ]);
  await workspace.close();
});
