// The disk is gone in the middle of a commit, at any call; somebody changes the tree; then the next process comes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, type Change, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { AUTHOR, change, refuses, textAt, version, write } from "../support/assertions.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

/** `check` sees what the next process made of it, for every call at which the disk can go; how often the new version was kept is told. */
async function afterEveryCall(
  changes: readonly Change[],
  meanwhile: (root: string) => void,
  check: (next: Backend, root: string) => Promise<void>,
): Promise<number> {
  let kept = 0;
  for (let failAt = 1; ; failAt++) {
    const root = tempDir();
    writeFileSync(join(root, "a"), "old");
    const dying = disk({ root, durability: "fast" });
    await dying.record({ ...AUTHOR, outcome: "note", changes: [] });
    const { hit } = await withFault({ failAt, code: "EIO", lasting: true }, () => dying.commit(changes, AUTHOR));
    await dying.close().catch(() => undefined);
    if (hit === undefined) return kept;
    meanwhile(root);
    const next = disk({ root, durability: "fast" });
    await write(next, "other", "x");
    if ((await next.recall(changes[0]!.to!.sha)) !== null) kept++;
    await check(next, root);
    expect((await next.verify()).problems, hit).toEqual([]);
    expect(await textAt(next, "other"), hit).toBe("x");
    await next.close();
  }
}

describe("an unfinished commit", () => {
  it("makes the directories again that were removed meanwhile", async () => {
    const remove = (root: string) => rmSync(join(root, "sub"), { recursive: true, force: true });
    let made = 0;
    await afterEveryCall([change("sub/deep/c", null, version("new"), true)], remove, async (_next, root) => {
      if (!existsSync(join(root, "sub"))) return;
      made++;
      expect(readFileSync(join(root, "sub/deep/c"), "utf8")).toBe("new");
    });
    expect(made).toBeGreaterThan(0);
  });

  it("leaves alone what somebody put in its place, and keeps its version", async () => {
    const put = (root: string) => {
      rmSync(join(root, "z"), { force: true });
      mkdirSync(join(root, "z"));
    };
    const kept = await afterEveryCall([change("z", null, version("new"))], put, async (next) => {
      expect((await next.resolve("z")).kind).toBe("directory");
    });
    expect(kept).toBeGreaterThan(0);
  });

  it("does not undo what a person wrote after the crash", async () => {
    const write = (root: string) => writeFileSync(join(root, "a"), "by hand");
    const kept = await afterEveryCall([change("a", version("old").sha, version("new"))], write, async (next) => {
      expect(await textAt(next, "a")).toBe("by hand");
    });
    expect(kept).toBeGreaterThan(0);
  });
});

describe("a workspace that is gone", () => {
  it("refuses instead of hanging when its root was removed", async () => {
    const root = tempDir();
    const session = new Workspace(disk({ root })).session();
    rmSync(root, { recursive: true });
    await expect(session.create("a", "x")).rejects.toMatchObject({ name: "Refusal" });
  });

  it("refuses after it was closed", async () => {
    const workspace = new Workspace(disk({ root: tempDir() }));
    const session = workspace.session();
    await session.create("a", "x");
    await workspace.close();
    await expect(session.write("a", "y")).rejects.toMatchObject({ name: "Refusal" });
    await expect(session.read("a")).rejects.toMatchObject({ name: "Refusal" });
  });
});

describe("one change of a file and something below it", () => {
  it("is refused as a whole", async () => {
    const backend = disk({ root: tempDir() });
    const nested = [change("x", null, version("1")), change("x/y", null, version("2"), true)];
    await refuses("invalid_input", () => backend.commit(nested, AUTHOR));
    expect(await textAt(backend, "x")).toBeNull();
  });
});
