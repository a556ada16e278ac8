// Mastra with stet as the file system of its workspace: its own tools, led by a scripted model.
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWorkspaceTools, FileNotFoundError, StaleFileError, Workspace } from "@mastra/core/workspace";
import { openWorkspace } from "stet";
import { mastraFilesystem } from "stet/adapters/mastra";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { edit, read, received, work, write } from "./models/mastra.ts";
import { CASES, open, PIXEL } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

describe("mastra: storage", () => {
  it(CASES.loop, async () => {
    const { root, workspace } = open({ "a.txt": "one\r\ntwo\r\n" });
    const session = workspace.session({ agent: "mastra" });
    const answers = await work(session, [
      edit("a.txt", "one", "ONE"),
      read("a.txt"),
      edit("a.txt", "one", "ONE\nEINS"),
      () => writeFileSync(join(root, "a.txt"), "ONE\r\nZWEI\r\n"),
      edit("a.txt", "ZWEI", "TWO"),
      edit("a.txt", "ZWEI", "TWO"),
      read("a.txt"),
      edit("a.txt", "ZWEI", "TWO"),
      write("new/b.txt", "new\n"),
      write("new/b.txt", "newer\n"),
      ["delete", { path: "new/b.txt" }],
    ]);
    expect(answers).toEqual([
      expect.stringMatching(/Nothing was written\. .*Read it first/),
      expect.stringContaining("one"),
      expect.stringMatching(/^Replaced 1 occurrence in a\.txt/),
      expect.stringMatching(/Nothing was written\. [\s\S]*Read it again[\s\S]*\+ZWEI/),
      expect.stringMatching(/Nothing was written\. [\s\S]*Read it again[\s\S]*\+ZWEI/),
      expect.stringContaining("ZWEI"),
      expect.stringMatching(/^Replaced 1 occurrence in a\.txt/),
      "Wrote 4 bytes to new/b.txt",
      "Wrote 6 bytes to new/b.txt",
      expect.stringContaining("new/b.txt"),
    ]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\r\nTWO\r\n");
    let last = 0;
    for await (const { seq, outcome } of workspace.log()) if (outcome === "applied") last = seq;
    await session.undo({ entry: last });
    expect(readFileSync(join(root, "new/b.txt"), "utf8")).toBe("newer\n");
    await workspace.close();
  });

  it("replaces no whole file of which it cannot know what was shown, unless that is allowed", async () => {
    const { root, workspace } = open({ "a.txt": "one\ntwo\nthree\n" });
    const session = workspace.session();
    const answers = await work(session, [read("a.txt", { offset: 1, limit: 1 }), write("a.txt", "ONE\n")]);
    expect(answers[1]).toMatch(
      /Nothing was written\. a\.txt exists, and Mastra does not tell .*Edit it, or delete it first/,
    );
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    const allowed = mastraFilesystem(session, { overwrite: true });
    await allowed.writeFile("/a.txt", "ONE\n");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\n");
    await workspace.close();
  });

  it("counts only what the read tool showed: no search, no edit, no index", async () => {
    const { root, workspace } = open({ "a.txt": "one\ntwo\n", "b.txt": "one\n" });
    const session = workspace.session();
    const answers = await work(session, [
      ["grep", { pattern: "one" }],
      edit("a.txt", "one", "ONE"),
      edit("a.txt", "one", "ONE"),
    ]);
    expect(answers[0]).toMatch(/a\.txt/);
    expect(answers.slice(1).join("\n")).toMatch(/Read it first[\s\S]*Read it first/);
    const files = mastraFilesystem(session);
    await files.readFile("/b.txt", { encoding: "utf-8" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await session.ledger.get((await session.resolve("b.txt", "read")).path)).toBeUndefined();
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    await workspace.close();
  });

  it(CASES.parallel, async () => {
    const words = ["alpha", "bravo", "charlie"];
    const { root, workspace } = open({ "a.txt": words.map((word) => `${word} old\n`).join("") });
    const session = workspace.session();
    const answers = await work(session, [
      read("a.txt"),
      words.map((word) => edit("a.txt", `${word} old`, `${word} new`)),
    ]);
    const after = readFileSync(join(root, "a.txt"), "utf8");
    const done = words.filter((_, n) => /^Replaced/.test(answers[n + 1]!));
    expect(done.length).toBeGreaterThan(0);
    for (const word of done) expect(after).toContain(`${word} new`);
    // Without the lock that Mastra's agents hold: all are made of the same version, and one can win.
    const files = mastraFilesystem(session);
    const raw = async (from: string, to: string) => {
      await Promise.resolve();
      expect(files.basePath).toBeUndefined();
      const text = await files.readFile("/a.txt", { encoding: "utf-8" });
      await files.writeFile("/a.txt", String(text).replace(from, to));
    };
    const raced = await Promise.allSettled([raw("alpha", "A"), raw("bravo", "B"), raw("charlie", "C")]);
    expect(raced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await workspace.close();
  });

  it(CASES.picture, async () => {
    const { root, workspace } = open({});
    writeFileSync(join(root, "dot.png"), PIXEL);
    const [seen] = await received(workspace.session(), [read("dot.png")]);
    expect(seen).toMatchObject({ images: 1, error: false });
    await workspace.close();
  });

  it(CASES.wrong, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const answers = await work(workspace.session(), [
      ["read_file", { path: 7 }],
      read("a.txt", { offset: -5, limit: 0 }),
      read("a.txt"),
      edit("a.txt", "", "x"),
      ["edit_file", { path: "a.txt" }],
      write("/", "x"),
      write("a.txt/b.txt", "x"),
      ["grep", { pattern: "[" }],
      ["list_files", { path: "none" }],
    ]);
    expect(answers[0]).toMatch(/path/);
    for (const answer of answers.slice(3)) expect(answer).not.toMatch(/^(?:Replaced|Wrote)/);
    expect(answers.slice(5, 7)).toEqual([
      expect.stringMatching(/^Nothing was written\. /),
      expect.stringMatching(/^Nothing was written\. 'a\.txt' is not a directory\. /),
    ]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it(CASES.agents, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const [one, two] = [workspace.session({ agent: "one" }), workspace.session({ agent: "two" })];
    await work(one, [read("a.txt")]);
    const [refused] = await work(two, [edit("a.txt", "one", "two")]);
    expect(refused).toMatch(/Read it first/);
    await work(two, [read("a.txt"), edit("a.txt", "one", "two")]);
    const [stale] = await work(one, [edit("a.txt", "two", "three")]);
    expect(stale).toMatch(/Read it again[\s\S]*\+two/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    await workspace.close();
  });

  it("is the file system that Mastra expects", async () => {
    const { root, workspace } = open({ "a.txt": "one\n", "src/b.ts": "two\n", ".env": "SECRET=1\n" });
    const session = workspace.session();
    const files = mastraFilesystem(session);
    await session.create("dot.png", PIXEL);
    expect(await files.readdir("/")).toEqual([
      { name: "src", type: "directory" },
      { name: "a.txt", type: "file", size: 4 },
      { name: "dot.png", type: "file", size: 70 },
    ]);
    expect((await files.readdir("/", { recursive: true, extension: ".ts" })).map(({ name }) => name)).toEqual([
      "src",
      "src/b.ts",
    ]);
    expect(await files.stat("/dot.png")).toMatchObject({
      type: "file",
      path: "/dot.png",
      mimeType: "image/png",
      size: 70,
    });
    expect(await files.readFile("/dot.png", { encoding: "base64" })).toBe(PIXEL.toString("base64"));
    expect(await files.grep({ pattern: "t.o", path: "/", caseSensitive: true, includeHidden: false })).toEqual([
      { path: "src/b.ts", matches: [{ line: 1, column: 0, text: "two" }] },
    ]);
    await files.mkdir("/empty/dir");
    expect([await files.exists("/empty/dir"), await files.readdir("/empty/dir")]).toEqual([true, []]);
    await files.appendFile("/log.txt", "1\n");
    await files.appendFile("/log.txt", Buffer.from([0xff]));
    expect(readFileSync(join(root, "log.txt"))).toEqual(Buffer.from([0x31, 0x0a, 0xff]));
    await files.copyFile("/a.txt", "/copy/a.txt");
    await files.moveFile("/copy/a.txt", "/moved.txt");
    expect(readFileSync(join(root, "moved.txt"), "utf8")).toBe("one\n");
    await expect(files.rmdir("/src")).rejects.toThrow("not empty");
    await files.rmdir("/src", { recursive: true });
    expect(await files.exists("/src/b.ts")).toBe(false);
    await files.deleteFile("/none.txt", { force: true });
    await expect(files.stat("/none.txt")).rejects.toBeInstanceOf(FileNotFoundError);
    for (const path of ["/none.txt", "/../../etc/passwd"])
      await expect(files.readFile(path, { encoding: "utf-8" })).rejects.toThrow(/^Nothing was read\./);
    await expect(files.readdir("/none")).rejects.toMatchObject({ name: "DirectoryNotFoundError" });
    await expect(files.writeFile("/a.txt", "x", { overwrite: false })).rejects.toMatchObject({
      name: "FileExistsError",
    });
    await files.writeFile("/own.txt", "1");
    const stale = files.writeFile("/own.txt", "2", { expectedMtime: new Date(0) });
    await expect(stale).rejects.toBeInstanceOf(StaleFileError);
    await expect(files.deleteFile("/")).rejects.toMatchObject({ name: "IsDirectoryError" });
    linkSync(join(root, "a.txt"), join(root, "other.txt"));
    await expect(files.appendFile("/a.txt", "x")).rejects.toThrow("hard links");
    await workspace.close();
  });

  it("refuses with the errors that Mastra has for it, in words of its own", async () => {
    const { workspace } = open({ "a.txt": "one\n", "src/b.ts": "two\n" });
    const files = mastraFilesystem(workspace.session());
    const errors = await Promise.all(
      [
        files.readdir("/a.txt"),
        files.rmdir("/src"),
        files.copyFile("/src", "/to"),
        files.mkdir("/a.txt"),
        files.copyFile("/none.txt", "/to"),
      ].map((refused: Promise<unknown>) => refused.then(String, (error: Error) => error)),
    );
    expect(errors.map((error) => [(error as Error).name, (error as Error).message.split(". ")[0]])).toEqual([
      ["NotDirectoryError", "Nothing was listed"],
      ["DirectoryNotEmptyError", "Nothing was deleted"],
      ["IsDirectoryError", "Nothing was copied"],
      ["FileExistsError", "Nothing was made"],
      ["FileNotFoundError", "Nothing was copied"],
    ]);
    await files.writeFile("/own.txt", "1");
    const { modifiedAt } = await files.stat("/own.txt");
    const expectedMtime = new Date(0);
    const stale = files.writeFile("/own.txt", "2", { expectedMtime });
    await expect(stale).rejects.toMatchObject({ name: "StaleFileError", expectedMtime, actualMtime: modifiedAt });
    await workspace.close();
  });

  it("offers no tool that changes anything where the policy allows none", async () => {
    const workspace = openWorkspace({ root: directoryWith({ "a.txt": "one\n" }), policy: { readOnly: true } });
    const filesystem = mastraFilesystem(workspace.session());
    const tools = Object.keys(await createWorkspaceTools(new Workspace({ id: "r", name: "r", filesystem })));
    expect(tools).toContain("mastra_workspace_read_file");
    expect(tools).not.toContain("mastra_workspace_write_file");
    await workspace.close();
  });
});

it("the example does it, and takes it back", () => runsExample("mastra-storage"));
