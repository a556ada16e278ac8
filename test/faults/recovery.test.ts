// What another process left behind: a torn line, an unfinished commit in a tree that somebody changed meanwhile.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { AUTHOR, all, change, refuses, textAt, version, write } from "../../src/testing/assertions.ts";
import { entriesIn, plantEntry } from "../cli/planted.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

/** A commit whose entry is in the journal and whose files are not in place: the disk is gone right after the append. */
async function unfinished(root: string, changes: Parameters<ReturnType<typeof disk>["commit"]>[0]): Promise<void> {
  for (let failAt = 20; failAt < 200; failAt++) {
    const backend = disk({ root, durability: "fast" });
    await withFault({ failAt, code: "EIO", lasting: true }, () => backend.commit(changes, AUTHOR));
    await backend.close().catch(() => undefined);
    const journal = readFileSync(join(root, ".stet/journal/0000000000000001.jsonl"), "utf8");
    const left = readdirSync(join(root, ".stet/pending"));
    if (journal.includes('"outcome":"applied"') && left.length > 0) return;
    for (const name of left) rmSync(join(root, ".stet/pending", name));
  }
  throw new Error("no such moment");
}

async function started(): Promise<string> {
  const root = tempDir();
  const backend = disk({ root, durability: "fast" });
  await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  await backend.close();
  return root;
}

describe("a torn line", () => {
  it("that another process leaves while this one is open is moved aside before anything is staged", async () => {
    const root = await started();
    const backend = disk({ root, durability: "fast" });
    const first = await write(backend, "a", "one");
    appendFileSync(join(root, ".stet/journal/0000000000000001.jsonl"), '{"seq":3,"at":"20');
    const { entry } = await backend.commit([change("a", first.sha, version("two"))], AUTHOR);
    expect((await all(backend.log())).map(({ seq, outcome }) => [seq, outcome])).toEqual([
      [1, "note"],
      [2, "applied"],
      [3, "note"],
      [4, "applied"],
    ]);
    expect(entry.seq).toBe(4);
    expect(await backend.recall(first.sha)).not.toBeNull();
    expect((await backend.verify()).problems).toEqual([]);
  });
});

describe("an unfinished commit", () => {
  it("makes the directories again that were removed meanwhile", async () => {
    const root = await started();
    await unfinished(root, [change("sub/deep/c", null, version("new"), true)]);
    rmSync(join(root, "sub"), { recursive: true, force: true });
    const backend = disk({ root, durability: "fast" });
    await write(backend, "other", "x");
    expect(await textAt(backend, "sub/deep/c")).toBe("new");
  });

  it("leaves alone what somebody put in its place, and keeps its version", async () => {
    const root = await started();
    await unfinished(root, [change("z", null, version("new"))]);
    rmSync(join(root, "z"), { force: true });
    mkdirSync(join(root, "z"));
    const backend = disk({ root, durability: "full" });
    await write(backend, "other", "x");
    expect(await textAt(backend, "other")).toBe("x");
    expect(await backend.recall(version("new").sha)).not.toBeNull();
    expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);
  });

  it("is not finished when a later entry says that it did not happen", async () => {
    const root = await started();
    writeFileSync(join(root, "a"), "old");
    await unfinished(root, [change("a", version("old").sha, version("new"))]);
    // As a process writes it that takes the commit back, and dies before it has cleared what was staged.
    plantEntry(root, { outcome: "aborted", of: [entriesIn(root).at(-1).seq] });
    const backend = disk({ root, durability: "fast" });
    await write(backend, "other", "x");
    expect(await textAt(backend, "a")).toBe("old");
    expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);
  });

  it("does not undo what a person wrote after the crash", async () => {
    const root = await started();
    writeFileSync(join(root, "a"), "old");
    await unfinished(root, [change("a", version("old").sha, version("new"))]);
    writeFileSync(join(root, "a"), "by hand");
    const backend = disk({ root, durability: "fast" });
    await write(backend, "other", "x");
    expect(await textAt(backend, "a")).toBe("by hand");
    expect(await backend.recall(version("new").sha)).not.toBeNull();
  });
});

describe("a workspace that is gone", () => {
  it("refuses instead of hanging when its root was removed", async () => {
    const root = tempDir();
    const session = new Workspace(disk({ root })).session();
    rmSync(root, { recursive: true });
    await expect(createFile(session, "a", "x")).rejects.toMatchObject({ name: "Refusal" });
  });

  it("refuses after it was closed", async () => {
    const workspace = new Workspace(disk({ root: tempDir() }));
    const session = workspace.session();
    await createFile(session, "a", "x");
    await workspace.close();
    await expect(writeFile(session, "a", "y")).rejects.toMatchObject({ name: "Refusal" });
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
