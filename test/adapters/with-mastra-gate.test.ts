// Mastra's own tools over stet: what counts as read, what an edit was made of, and directories that were only made.
import { existsSync, linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CompositeFilesystem, createWorkspaceTools, Workspace as MastraWorkspace } from "@mastra/core/workspace";
import { openWorkspace, type Workspace } from "stet";
import { mastraFilesystem } from "stet/adapters/mastra";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { edit, read, work, write } from "./models/mastra.ts";
import { type Call, open } from "./support/cases.ts";

const FIVE = "const a = 1;\nconst b = 2;\nconst c = 3;\nconst d = 4;\nconst e = 5;\n";
const nothing = edit("a.js", "zzz", "x");
const stat: Call = ["file_stat", { path: "a.js" }];

async function journal(workspace: Workspace): Promise<string[]> {
  const entries: string[] = [];
  for await (const { tool, outcome } of workspace.log()) entries.push(`${tool} ${outcome}`);
  return entries;
}

describe("mastra: storage: what counts as read", () => {
  it("an edit that finds nothing is no read, whatever comes beside it or after it", async () => {
    const { root, workspace } = open({ "a.js": FIVE });
    const answers = await work(workspace.session(), [
      nothing,
      edit("a.js", "const a = 1;", "const a = 9;"),
      [nothing, stat],
      stat,
      edit("a.js", "const a = 1;", "const a = 9;"),
      [stat, nothing, stat],
      edit("a.js", "const a = 1;", "const a = 9;"),
    ]);
    for (const n of [1, 5, 9]) expect(answers[n]).toMatch(/Nothing was written\. .*Read it first/);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(FIVE);
    await workspace.close();
  });

  it("nor is it a read of what was changed outside", async () => {
    const { root, workspace } = open({ "a.js": FIVE });
    const changed = FIVE.replace("e = 5", "e = 50");
    const answers = await work(workspace.session(), [
      read("a.js"),
      () => writeFileSync(join(root, "a.js"), changed),
      nothing,
      edit("a.js", "const a = 1;", "const a = 9;"),
    ]);
    expect(answers[2]).toMatch(/Nothing was written\. [\s\S]*Read it again[\s\S]*\+const e = 50/);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(changed);
    await workspace.close();
  });

  it("nor does it open the way to replace a file that was never read, where files may be replaced", async () => {
    const { root, workspace } = open({ "a.js": FIVE });
    const session = workspace.session();
    const files = mastraFilesystem(session, { overwrite: true });
    const answers = await work(session, [nothing, write("a.js", "gone\n")], files);
    expect(answers[1]).toMatch(/Nothing was written\. .*Read it first/);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(FIVE);
    expect((await work(session, [read("a.js"), write("a.js", "new\n")], files))[1]).toMatch(/^Wrote/);
    await workspace.close();
  });

  it("a read beside a write is not what the write was made of", async () => {
    const { root, workspace } = open({ "a.js": FIVE });
    const answers = await work(workspace.session(), [
      [read("a.js", { limit: 1 }), write("a.js", "gone\n")],
      [write("a.js", "gone\n"), read("a.js", { limit: 1 })],
      [nothing, write("a.js", "gone\n")],
      read("a.js"),
      () => writeFileSync(join(root, "a.js"), `${FIVE}// more\n`),
      [read("a.js"), write("a.js", "gone\n")],
    ]);
    for (const n of [1, 2, 5, 8]) expect(answers[n]).toMatch(/Nothing was written\. a\.js exists/);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(`${FIVE}// more\n`);
    await workspace.close();
  });

  it("below a file system of many, no read counts: only what the agent wrote can be changed", async () => {
    const { root, workspace } = open({ "a.js": FIVE });
    const session = workspace.session();
    const files = new CompositeFilesystem({ mounts: { "/m": mastraFilesystem(session) } });
    const answers = await work(
      session,
      [
        read("/m/a.js"),
        edit("/m/a.js", "const a = 1;", "x"),
        write("/m/own.txt", "one\n"),
        edit("/m/own.txt", "one", "two"),
      ],
      files,
    );
    expect(answers[1]).toMatch(/Nothing was written\. /);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(FIVE);
    expect(answers[3]).toMatch(/^Replaced/);
    expect(readFileSync(join(root, "own.txt"), "utf8")).toBe("two\n");
    await workspace.close();
  });

  it("what the agent wrote stays its own when it edits it, and not when it was changed outside", async () => {
    const { root, workspace } = open({});
    const answers = await work(workspace.session(), [
      write("own.txt", "one\n"),
      edit("own.txt", "one", "two"),
      write("own.txt", "three\n"),
      () => writeFileSync(join(root, "own.txt"), "theirs\n"),
      read("own.txt"),
      write("own.txt", "gone\n"),
      edit("own.txt", "theirs", "edited"),
      write("own.txt", "gone\n"),
    ]);
    expect(answers[2]).toMatch(/^Wrote/);
    expect(answers[4]).toMatch(/Nothing was written\. own\.txt exists/);
    expect(answers[5]).toMatch(/^Replaced/);
    expect(answers[6]).toMatch(/Nothing was written\. own\.txt exists/);
    expect(readFileSync(join(root, "own.txt"), "utf8")).toBe("edited\n");
    await workspace.close();
  });
});

it("mastra: storage: a look beside a deletion, an edit or a new directory is no part of it", async () => {
  const protect = { add: [{ name: "b", paths: ["b.txt"], deny: "changes", reason: "test" }] } as const;
  const root = directoryWith({ "a.txt": "a\n", "b.txt": "b\n" });
  const workspace = openWorkspace({ root, durability: "fast", policy: { protect } });
  const place = new MastraWorkspace({ id: "t", name: "t", filesystem: mastraFilesystem(workspace.session()) as never });
  const tools = Object.entries(await createWorkspaceTools(place)) as [
    string,
    { execute: (...given: unknown[]) => Promise<unknown> },
  ][];
  const use = async (name: string, input: object, later: number): Promise<string> => {
    for (let n = 0; n < later; n++) await null;
    const [, tool] = tools.find(([id]) => id.endsWith(name))!;
    return JSON.stringify(await tool.execute(input, { workspace: place }).catch((error: Error) => error.message));
  };
  const wrong: string[] = [];
  for (const [name, input] of [
    ["edit_file", { path: "a.txt", old_string: "zzz", new_string: "y" }],
    ["delete", { path: "none.txt" }],
    ["mkdir", { path: "d" }],
  ] as const)
    for (const look of ["read_file", "file_stat"])
      for (let later = 0; later < 40; later++)
        for (const first of [0, 1]) {
          const [, seen] = await Promise.all([
            use(name, input, first * later),
            use(look, { path: "b.txt" }, (1 - first) * later),
          ]);
          if (/Nothing was/.test(seen!)) wrong.push(`${look} beside ${name}: ${seen}`);
        }
  expect(wrong).toEqual([]);
  const refused = [];
  for await (const entry of workspace.log({ outcomes: ["refused"] }))
    refused.push(...((entry.details?.paths as string[]) ?? []));
  expect(refused).not.toContain("b.txt");
  await workspace.close();
});

describe("mastra: storage: directories that were made", () => {
  it("are those on the disk once something is in them: deleted with it, and listed with it", async () => {
    const { root, workspace } = open({});
    const session = workspace.session();
    const files = mastraFilesystem(session);
    const make: Call = ["mkdir", { path: "d" }];
    const [, , kept, deleted] = await work(
      session,
      [
        make,
        write("d/x.txt", "x\n"),
        ["delete", { path: "d", recursive: false }],
        ["delete", { path: "d", recursive: true }],
      ],
      files,
    );
    expect(kept).toMatch(/not empty/);
    expect(deleted).toBe("Deleted d");
    expect(existsSync(join(root, "d/x.txt"))).toBe(false);
    expect(await journal(workspace)).toEqual(["write_file applied", "delete refused", "delete applied"]);
    await work(session, [make, write("d/y.txt", "y\n")], files);
    expect(await files.readdir("/d")).toMatchObject([{ name: "y.txt" }]);
    expect(await files.walk("/d")).toMatchObject([{ path: "y.txt" }]);
    await workspace.close();
  });

  it("are files where a file was written in their place, and gone once they were deleted", async () => {
    const { workspace } = open({});
    const files = mastraFilesystem(workspace.session());
    await files.mkdir("/e");
    await files.writeFile("/e", "a file\n");
    expect(await files.stat("/e")).toMatchObject({ type: "file", size: 7 });
    await files.mkdir("/f");
    await files.mkdir("/f/g");
    expect([await files.readdir("/f"), await files.walk("/f")]).toEqual([[], []]);
    await expect(files.rmdir("/f")).rejects.toThrow("not empty");
    await files.rmdir("/f", { recursive: true });
    expect([await files.exists("/f"), await files.exists("/f/g")]).toEqual([false, false]);
    await expect(files.rmdir("/f")).rejects.toMatchObject({ name: "DirectoryNotFoundError" });
    await files.rmdir("/f", { force: true });
    await expect(files.deleteFile("/none.txt")).rejects.toMatchObject({ name: "FileNotFoundError" });
    await files.writeFile("/h.txt", "h\n");
    await files.deleteFile("/h.txt", { force: true });
    expect(await files.exists("/h.txt")).toBe(false);
    await workspace.close();
  });
});

it("mastra: storage: what is refused is in the journal, under the name of the tool", async () => {
  const { root, workspace } = open({ "a.js": FIVE, "b.js": FIVE });
  const session = workspace.session();
  linkSync(join(root, "b.js"), join(root, "other.js"));
  const answers = await work(session, [
    write("a.js", "gone\n"),
    edit("a.js", "const a = 1;", "x"),
    ["write_file", { path: "a.js", content: "x", overwrite: false }],
    read("b.js"),
    edit("b.js", "const a = 1;", "x"),
    ["delete", { path: "/", recursive: true }],
    write("../z", "x"),
  ]);
  expect(answers.at(-1)).toMatch(/^Nothing was written\. /);
  expect(await journal(workspace)).toEqual([
    "write_file refused",
    "edit_file refused",
    "write_file refused",
    "edit_file refused",
    "delete refused",
    "write_file refused",
  ]);
  await workspace.close();
});

it("mastra: storage: a file that is no UTF-8 is shown as the surfaces show it, and edits leave its bytes alone", async () => {
  const { root, workspace } = open({});
  const bytes = (text: string) => Buffer.from(text, "latin1");
  writeFileSync(join(root, "a.txt"), bytes("caf\xe9\nbar\n"));
  const answers = await work(workspace.session(), [
    read("a.txt"),
    edit("a.txt", "bar", "tavern"),
    edit("a.txt", "caf\\xE9", "coffee"),
    ["grep", { pattern: "caf" }],
  ]);
  expect(answers[0]).toContain("caf\\xE9");
  expect(answers[1]).toMatch(/^Replaced/);
  expect(answers[2]).not.toMatch(/^Replaced/);
  expect(answers.join("")).not.toMatch(/\p{Surrogate}/u);
  expect(readFileSync(join(root, "a.txt"))).toEqual(bytes("caf\xe9\ntavern\n"));
  await workspace.close();
});
