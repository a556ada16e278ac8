// stet as a file system of Mastra, in what its tools seldom ask for: options of each method, made directories, searches.
import { chmodSync, linkSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { type MastraFilesystem, mastraFilesystem } from "stet/adapters/mastra";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { open } from "./support/cases.ts";

/** As Mastra's tools begin: in an asynchronous context of their own, and with a look at the base of the paths. */
async function tool<T>(files: MastraFilesystem, work: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  expect(files.basePath).toBeUndefined();
  return work();
}

describe("files", () => {
  it("are read alike under both names of UTF-8, and edits leave other bytes alone", async () => {
    for (const encoding of ["utf8", "utf-8"] as const) {
      const { root, workspace } = open({});
      const bytes = (text: string) => Buffer.from(text, "latin1");
      writeFileSync(join(root, "a.txt"), bytes("caf\xe9\nbar\n"));
      const files = mastraFilesystem(workspace.session());
      const shown = await tool(files, async () => {
        await files.stat("/a.txt");
        const text = await files.readFile("/a.txt", { encoding });
        await files.stat("/a.txt");
        return text;
      });
      expect(shown).toBe("caf\\xE9\nbar\n");
      await tool(files, async () => {
        const text = String(await files.readFile("/a.txt", { encoding }));
        await files.writeFile("/a.txt", text.replace("bar", "tavern"));
      });
      expect(readFileSync(join(root, "a.txt"))).toEqual(bytes("caf\xe9\ntavern\n"));
      await workspace.close();
    }
  });

  it("are made with the directories above them unless told otherwise", async () => {
    const { root, workspace } = open({});
    const files = mastraFilesystem(workspace.session());
    const flat = files.writeFile("/none/a.txt", "a\n", { recursive: false });
    await expect(flat).rejects.toThrow(/^Nothing was written\. /);
    expect(await files.exists("/none")).toBe(false);
    await files.appendFile("/logs/today/a.log", "1\n");
    await files.appendFile("/logs/today/b.log", Buffer.from("2\n"));
    await files.moveFile("/logs/today/b.log", "/old/b.log");
    expect(readFileSync(join(root, "logs/today/a.log"), "utf8")).toBe("1\n");
    expect(readFileSync(join(root, "old/b.log"), "utf8")).toBe("2\n");
    await workspace.close();
  });

  it("are moved over nothing that is there when told so, and over what the agent wrote otherwise", async () => {
    const { root, workspace } = open({ "a.txt": "one\n", "b.txt": "two\n" });
    const files = mastraFilesystem(workspace.session());
    const move = files.moveFile("/a.txt", "/b.txt", { overwrite: false });
    await expect(move).rejects.toThrow(/^Nothing was moved\. /);
    expect([readFileSync(join(root, "a.txt"), "utf8"), readFileSync(join(root, "b.txt"), "utf8")]).toEqual([
      "one\n",
      "two\n",
    ]);
    await files.writeFile("/own.txt", "mine\n");
    await files.moveFile("/a.txt", "/own.txt");
    expect([await files.exists("/a.txt"), readFileSync(join(root, "own.txt"), "utf8")]).toEqual([false, "one\n"]);
    await workspace.close();
  });

  it("that are programs can be run after an addition, and so can their copies", async () => {
    const { root, workspace } = open({ "run.sh": "#!/bin/sh\n" });
    chmodSync(join(root, "run.sh"), 0o755);
    const session = workspace.session();
    const files = mastraFilesystem(session);
    await session.read("run.sh");
    await files.appendFile("/run.sh", Buffer.from("exit 1\n"));
    await files.copyFile("/run.sh", "/copy.sh");
    for (const name of ["run.sh", "copy.sh"]) {
      expect(readFileSync(join(root, name), "utf8")).toBe("#!/bin/sh\nexit 1\n");
      expect(statSync(join(root, name)).mode & 0o111).toBe(0o111);
    }
    await workspace.close();
  });

  it("that the agent has neither read nor written are not moved, copied or added onto", async () => {
    for (const overwrite of [false, true]) {
      const { root, workspace } = open({ "a.txt": "one\n", "b.txt": "unseen\n" });
      const files = mastraFilesystem(workspace.session(), { overwrite });
      await expect(files.moveFile("/a.txt", "/b.txt")).rejects.toThrow(/^Nothing was moved\. /);
      await expect(files.copyFile("/a.txt", "/b.txt")).rejects.toThrow(/^Nothing was copied\. /);
      await expect(files.appendFile("/b.txt", "more\n")).rejects.toThrow(/^Nothing was written\. .*Read it first/);
      expect([readFileSync(join(root, "a.txt"), "utf8"), readFileSync(join(root, "b.txt"), "utf8")]).toEqual([
        "one\n",
        "unseen\n",
      ]);
      await workspace.close();
    }
  });

  it("that were read are replaced by a move or a copy where that is allowed, and only as they were read", async () => {
    const { root, workspace } = open({ "a.txt": "one\n", "b.txt": "two\n" });
    const session = workspace.session();
    const files = mastraFilesystem(session, { overwrite: true });
    await session.read("b.txt");
    await files.copyFile("/a.txt", "/b.txt");
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("one\n");
    await session.read("b.txt");
    writeFileSync(join(root, "b.txt"), "theirs\n");
    await expect(files.moveFile("/a.txt", "/b.txt")).rejects.toThrow(/^Nothing was moved\. /);
    await expect(files.copyFile("/a.txt", "/b.txt")).rejects.toThrow(/^Nothing was copied\. /);
    await session.read("b.txt");
    await files.moveFile("/a.txt", "/b.txt");
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it("that have other names are not moved onto", async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const files = mastraFilesystem(workspace.session());
    await files.writeFile("/b.txt", "mine\n");
    linkSync(join(root, "b.txt"), join(root, "other.txt"));
    await expect(files.moveFile("/a.txt", "/b.txt")).rejects.toThrow(/^Nothing was moved\. .*hard links/);
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("mine\n");
    await workspace.close();
  });

  it("that were copied unread are still unread", async () => {
    const { workspace } = open({ "a.txt": "one\n" });
    const session = workspace.session();
    const files = mastraFilesystem(session);
    const seen = async (path: string) => (await session.ledger.get((await session.resolve(path, "read")).path))?.sha;
    await files.copyFile("/a.txt", "/b.txt");
    expect(await seen("b.txt")).toBeUndefined();
    const { sha } = await session.read("a.txt");
    await files.copyFile("/a.txt", "/c.txt");
    expect(await seen("c.txt")).toBe(sha);
    await workspace.close();
  });

  it("that were copied when only some of their lines were read have no others that were", async () => {
    const { workspace } = open({ "a.txt": "one\ntwo\nthree\n" });
    const session = workspace.session();
    await session.read("a.txt", { from: 1, to: 1 });
    await mastraFilesystem(session).copyFile("/a.txt", "/b.txt");
    const write = session.write("b.txt", "mine\n", { strict: true });
    await expect(write).rejects.toThrow(/lines 2-3/i);
    await workspace.close();
  });

  it("keep their line ends when something is added", async () => {
    const { root, workspace } = open({ "a.txt": "one\r\ntwo" });
    const session = workspace.session();
    await session.read("a.txt");
    await mastraFilesystem(session).appendFile("/a.txt", "\nx\n");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\r\ntwo\r\nx\r\n");
    await workspace.close();
  });

  it("that the policy denies are refused alike, there or not, also with force", async () => {
    const { root, workspace } = open({ ".env.a": "secret\n" });
    const files = mastraFilesystem(workspace.session());
    const refusals = await Promise.all(
      ["/.env.a", "/.env.b"].map((path) => files.deleteFile(path, { force: true }).catch(String)),
    );
    expect(refusals).toEqual(
      ["a", "b"].map((end) => expect.stringMatching(`Nothing was deleted.*policy denies .*env.${end}`)),
    );
    expect(readFileSync(join(root, ".env.a"), "utf8")).toBe("secret\n");
    await workspace.close();
  });

  it("that cannot be changed are told as such", async () => {
    const workspace = openWorkspace({ root: directoryWith({}), policy: { readOnly: true } });
    const files = mastraFilesystem(workspace.session());
    expect([files.readOnly, files.getInfo()]).toEqual([true, expect.objectContaining({ readOnly: true })]);
    await workspace.close();
  });
});

describe("directories", () => {
  it("that were made are kept apart by their whole names", async () => {
    const { workspace } = open({});
    const files = mastraFilesystem(workspace.session());
    for (const path of ["/f", "/fg", "/fg/h"]) await files.mkdir(path);
    await files.rmdir("/f");
    expect(await Promise.all(["/f", "/fg", "/fg/h"].map((path) => files.exists(path)))).toEqual([false, true, true]);
    await workspace.close();
  });

  it("have neither a size nor a kind of content, on the disk or only made", async () => {
    const { workspace } = open({ "d/a.txt": "one\n" });
    const files = mastraFilesystem(workspace.session());
    await files.mkdir("/made");
    for (const path of ["/d", "/made"]) {
      const found = await files.stat(path);
      expect(found).toMatchObject({ type: "directory", name: path.slice(1), path, size: 0 });
      expect(found).not.toHaveProperty("mimeType");
    }
    expect(await files.stat("/d/a.txt")).toMatchObject({ type: "file", size: 4, mimeType: "text/plain" });
    await workspace.close();
  });

  it("that were made are there with those above them", async () => {
    const { root, workspace } = open({ "real/a.txt": "" });
    const files = mastraFilesystem(workspace.session());
    await files.mkdir("/n/m");
    await files.mkdir("/real/x/y");
    expect(await files.stat("/n")).toMatchObject({ type: "directory", path: "/n" });
    expect([await files.readdir("/n"), await files.exists("/real/x")]).toEqual([[], true]);
    await files.rmdir("/n", { recursive: true });
    expect([await files.exists("/n"), await files.exists("/n/m")]).toEqual([false, false]);
    rmSync(join(root, "real"), { recursive: true });
    expect(await files.exists("/real")).toBe(false);
    await workspace.close();
  });

  it("are not made where a file is", async () => {
    const { root, workspace } = open({ "a.txt": "one\n", "d/b.txt": "two\n" });
    const files = mastraFilesystem(workspace.session());
    await expect(files.mkdir("/a.txt")).rejects.toThrow(/^Nothing was made\. .*is a file/);
    await files.mkdir("/d");
    expect(await files.readdir("/d")).toMatchObject([{ name: "b.txt" }]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it("are listed by endings with and without a dot, to any depth, with links as links", async () => {
    const { root, workspace } = open({ "a.ts": "", "b.mts": "", "src/c.tsx": "", "src/d.ts": "" });
    symlinkSync("a.ts", join(root, "link.ts"));
    const files = mastraFilesystem(workspace.session());
    const names = async (extension: string | string[]) =>
      (await files.readdir("/", { recursive: true, extension })).map(({ name }) => name).sort();
    const found = ["a.ts", "link.ts", "src", "src/d.ts"];
    expect([await names("ts"), await names(".ts"), await names(["ts"])]).toEqual([found, found, found]);
    expect(await names(["ts", ".tsx"])).toEqual([...found, "src/c.tsx"].sort());
    const walked = await files.walk("/", { maxDepth: Number.POSITIVE_INFINITY });
    expect(walked).toHaveLength(6);
    expect(walked.filter(({ isSymlink }) => isSymlink)).toEqual([
      { name: "link.ts", path: "link.ts", type: "file", isSymlink: true },
    ]);
    await workspace.close();
  });
});

describe("searches", () => {
  const wanted = { pattern: "hit", path: "/", caseSensitive: true, includeHidden: false };

  it("look at what git does not keep, and at case only when told so", async () => {
    const { workspace } = open({ ".gitignore": "b.txt\n", "a.txt": "HIT\n", "b.txt": "hit\n" });
    const files = mastraFilesystem(workspace.session());
    const found = async (caseSensitive: boolean) =>
      (await files.grep({ ...wanted, caseSensitive })).map(({ path }) => path).sort();
    expect([await found(true), await found(false)]).toEqual([["b.txt"], ["a.txt", "b.txt"]]);
    await workspace.close();
  });

  it("give as many lines around a hit as were asked for, without their ends", async () => {
    const { workspace } = open({ "a.txt": "1\r\n2\r\nhit\r\n4\r\n5\r\n" });
    const files = mastraFilesystem(workspace.session());
    expect(await files.grep({ ...wanted, contextLines: 1 })).toEqual([
      { path: "a.txt", matches: [{ line: 3, column: 0, text: "hit", before: ["2"], after: ["4"] }] },
    ]);
    expect(await files.grep(wanted)).toEqual([{ path: "a.txt", matches: [{ line: 3, column: 0, text: "hit" }] }]);
    await workspace.close();
  });
});

it("options that there are not are refused", async () => {
  const { workspace } = open({});
  expect(() => mastraFilesystem(workspace.session(), { overwrites: true } as never)).toThrow("Did you mean overwrite?");
  await workspace.close();
});
