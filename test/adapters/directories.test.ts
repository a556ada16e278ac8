// What storages and Claude's memory do to a whole directory: all that lies in it or nothing, and never what a link leads to.
import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Session } from "stet";
import { anthropicMemory } from "stet/adapters/anthropic";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { open } from "./support/cases.ts";

const isThere = (root: string, ...paths: string[]): boolean[] => paths.map((path) => existsSync(join(root, path)));

describe("a directory with more in it than one change may have", () => {
  // The entries of its first levels alone are more than the limit, the files among them are not.
  const files = { "d/top.txt": "t\n", "d/a/b/deep.txt": "b\n", "d/c/y.txt": "y\n", "d/e/z.txt": "z\n" };
  const few = (limit: number) => {
    const root = directoryWith(files);
    return { root, workspace: openWorkspace({ root, limits: { maxFilesPerChange: limit } }) };
  };

  it("is not deleted in part", async () => {
    const { root, workspace } = few(3);
    const deleted = await deepagentsBackend(workspace.session()).delete("/d");
    expect(deleted).toEqual({ error: expect.stringMatching(/^Nothing was deleted\. .*the limit is 3/) });
    const memory = anthropicMemory(workspace.session());
    await expect(memory.run({ command: "delete", path: "/memories/d" })).rejects.toThrow("the limit is 3");
    expect(isThere(root, ...Object.keys(files))).toEqual([true, true, true, true]);
    await workspace.close();
  });

  it("is not renamed in part", async () => {
    const { root, workspace } = few(3);
    const memory = anthropicMemory(workspace.session());
    const rename = memory.run({ command: "rename", old_path: "/memories/d", new_path: "/memories/f" });
    await expect(rename).rejects.toThrow(/^The memory is unchanged\. .*the limit is 3/);
    expect(isThere(root, "f", ...Object.keys(files))).toEqual([false, true, true, true, true]);
    await workspace.close();
  });

  it("is deleted and renamed where the files alone fit, however many directories they lie in", async () => {
    const { root, workspace } = few(8);
    const memory = anthropicMemory(workspace.session());
    await memory.run({ command: "rename", old_path: "/memories/d", new_path: "/memories/f" });
    expect(isThere(root, "f/top.txt", "f/a/b/deep.txt", "f/c/y.txt", "f/e/z.txt")).toEqual([true, true, true, true]);
    await workspace.close();
    const again = openWorkspace({ root, limits: { maxFilesPerChange: 4 } });
    expect(await deepagentsBackend(again.session()).delete("/f")).toMatchObject({ path: "/f" });
    expect(isThere(root, "f/top.txt", "f/a/b/deep.txt", "f/c/y.txt", "f/e/z.txt")).toEqual([
      false,
      false,
      false,
      false,
    ]);
    await again.close();
  });
});

it("a directory that goes deeper than is looked is not deleted in part", async () => {
  const deep = `d/${"x/".repeat(130)}deep.txt`;
  const { root, workspace } = open({ "d/top.txt": "t\n", [deep]: "deep\n" });
  const deleted = await deepagentsBackend(workspace.session()).delete("/d");
  expect(deleted).toEqual({ error: expect.stringMatching(/^Nothing was deleted\. d has more below it/) });
  expect(isThere(root, "d/top.txt", deep)).toEqual([true, true]);
  await workspace.close();
});

describe("links", () => {
  const linked = () => {
    const { root, workspace } = open({ "real/one.txt": "1\n", "d/two.txt": "2\n" });
    symlinkSync("real", join(root, "link"));
    symlinkSync("../real/one.txt", join(root, "d/one.txt"));
    return { root, workspace };
  };
  const isLink = (root: string, path: string): boolean =>
    lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;

  it("to a directory are deleted themselves, and what they lead to stays", async () => {
    for (const remove of [deepagents, memory]) {
      const { root, workspace } = linked();
      await remove(workspace.session());
      expect([isLink(root, "link"), ...isThere(root, "real/one.txt")]).toEqual([false, true]);
      await workspace.close();
    }
  });

  it("to a directory are renamed themselves, and what they lead to stays where it is", async () => {
    const { root, workspace } = linked();
    const session = workspace.session();
    await anthropicMemory(session).run({ command: "rename", old_path: "/memories/link", new_path: "/memories/new" });
    expect([isLink(root, "link"), isLink(root, "new")]).toEqual([false, true]);
    expect(readFileSync(join(root, "real/one.txt"), "utf8")).toBe("1\n");
    await workspace.close();
  });

  it("in a directory go with it, and what they lead to stays", async () => {
    const { root, workspace } = linked();
    const session = workspace.session();
    await anthropicMemory(session).run({ command: "rename", old_path: "/memories/d", new_path: "/memories/e" });
    expect(readlinkSync(join(root, "e/one.txt"))).toBe("../real/one.txt");
    expect(readFileSync(join(root, "real/one.txt"), "utf8")).toBe("1\n");
    await deepagentsBackend(session).delete("/e");
    expect([isLink(root, "e/one.txt"), ...isThere(root, "e/two.txt", "real/one.txt")]).toEqual([false, false, true]);
    await workspace.close();
  });
});

const deepagents = (session: Session): Promise<unknown> => deepagentsBackend(session).delete("/link");
const memory = (session: Session): Promise<unknown> =>
  anthropicMemory(session).run({ command: "delete", path: "/memories/link" });

it("hidden names go with their directory", async () => {
  const { root, workspace } = open({ "d/a.txt": "a\n", "d/.hidden/b.txt": "b\n" });
  const session = workspace.session();
  await anthropicMemory(session).run({ command: "rename", old_path: "/memories/d", new_path: "/memories/e" });
  expect(isThere(root, "d/.hidden/b.txt", "e/.hidden/b.txt", "e/a.txt")).toEqual([false, true, true]);
  await deepagentsBackend(session).delete("/e");
  expect(isThere(root, "e/.hidden/b.txt", "e/a.txt")).toEqual([false, false]);
  await workspace.close();
});

describe("a directory that holds something hidden", () => {
  const HIDES = /holds something that the policy of the workspace hides/;

  it("is neither deleted nor renamed, and nothing of it is", async () => {
    for (const hidden of ["p/.env", "p/sub/.env", "p/sub/.ssh/id_rsa"]) {
      const { root, workspace } = open({ "p/x": "1\n", [hidden]: "K=1\n" });
      const session = workspace.session();
      expect(await deepagentsBackend(session).delete("/p")).toEqual({ error: expect.stringMatching(HIDES) });
      const memory = anthropicMemory(session);
      await expect(memory.run({ command: "delete", path: "/memories/p" })).rejects.toThrow(HIDES);
      const rename = { command: "rename", old_path: "/memories/p", new_path: "/memories/q" };
      await expect(memory.run(rename)).rejects.toThrow(HIDES);
      expect(isThere(root, "p/x", hidden, "q")).toEqual([true, true, false]);
      const kept: unknown[] = [];
      for await (const { outcome, details } of workspace.log()) kept.push([outcome, details?.paths, details?.actions]);
      expect(kept[0]).toEqual(["refused", ["p"], ["delete"]]);
      expect(kept).toHaveLength(3);
      await workspace.close();
    }
  });

  it("is not looked into where it is hidden itself", async () => {
    const { root, workspace } = open({ "p/.ssh/known": "1\n" });
    const deleted = await deepagentsBackend(workspace.session()).delete("/p/.ssh");
    expect(deleted).toEqual({
      error: expect.stringMatching(/^Nothing was deleted\. The policy denies "delete" on p\/\.ssh/),
    });
    expect(isThere(root, "p/.ssh/known")).toEqual([true]);
    await workspace.close();
  });
});
