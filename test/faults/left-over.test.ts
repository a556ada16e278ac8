// What a killed process left of a commit, when the tree is read, or was changed, before anything is finished.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { AUTHOR, all, change, path, version } from "../../src/testing/assertions.ts";
import { stet } from "../support/cli.ts";
import { startWorker } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

let PATHS = ["a", "b", "dir/c"];
let root: string;

const opened = (options?: WorkspaceOptions): Workspace => new Workspace(disk({ root, durability: "fast" }), options);

const leftOver = (): string[] => readdirSync(join(root, ".stet/pending"));
const contents = (): string[] => PATHS.map((each) => readFileSync(join(root, each), "utf8"));

async function changeAll(workspace: Workspace, word: string): Promise<unknown> {
  const targets = PATHS.map((each) => ({ path: each, proof: { by: "waived" }, action: "write" }) as const);
  return workspace.session({ id: "dies" }).change(targets, () => PATHS.map((each) => ({ body: `${word} ${each}\n` })));
}

/** The third file cannot change places any more, and nothing can be put back: as a killed process leaves it. */
async function dieHalfWay(workspace: Workspace, word: string): Promise<void> {
  const swap = native.swapSync;
  let swaps = 0;
  native.swapSync = (a, b) => {
    if (a.includes("-new-") && ++swaps > 2) throw Object.assign(new Error("gone"), { code: "EIO", errno: -5 });
    return swap(a, b);
  };
  try {
    await changeAll(workspace, word).catch(() => undefined);
  } finally {
    native.swapSync = swap;
  }
  expect(contents().filter((text) => text.startsWith(word))).toHaveLength(2);
  expect(leftOver().length).toBeGreaterThan(2);
}

const native = createRequire(import.meta.url)("fs-native-extensions") as { swapSync(a: string, b: string): void };

beforeEach(async () => {
  lay(["a", "b", "dir/c"]);
});

function lay(paths: readonly string[]): void {
  PATHS = [...paths];
  root = tempDir();
  mkdirSync(join(root, "dir"));
  for (const each of PATHS) writeFileSync(join(root, each), `old ${each}\n`);
}

async function killed(): Promise<void> {
  const workspace = opened();
  await dieHalfWay(workspace, "new");
  await workspace.close();
}

describe("reading after a kill", () => {
  it("the first read finishes the commit, and sees all of it", async () => {
    await killed();
    const workspace = opened();
    const session = workspace.session();
    const read: string[] = [];
    for (const each of [...PATHS].reverse()) read.unshift((await session.read(each)).body);
    expect(read).toEqual(PATHS.map((each) => `new ${each}\n`));
    expect(leftOver()).toEqual([]);
    await workspace.close();
  });

  it("a process that is open already sees all of it too, when another one has died", async () => {
    const workspace = opened();
    await workspace.session().read("a");
    const dying = opened();
    await changeAll(dying, "first");
    await workspace.session().read("a");
    await dieHalfWay(dying, "second");
    await new Promise((resolve) => setTimeout(resolve, 30));
    const session = workspace.session();
    const words = new Set<string>();
    for (const each of PATHS) words.add((await session.read(each)).body.split(" ")[0]!);
    expect([...words]).toEqual(["second"]);
    await Promise.all([workspace.close(), dying.close()]);
  });

  it("one that may change nothing leaves everything as it is", async () => {
    await killed();
    const before = contents();
    const names = leftOver();
    const workspace = opened({ policy: { readOnly: true } });
    expect((await workspace.session().read("a")).body).toBe(before[0]);
    await workspace.close();
    expect(contents()).toEqual(before);
    expect(leftOver()).toEqual(names);
  });
});

describe("a directory that was renamed after the kill", () => {
  beforeEach(async () => {
    await killed();
    renameSync(join(root, "dir"), join(root, "elsewhere"));
  });

  it("is told of: by the next change, by the journal, by verify and by doctor", async () => {
    const workspace = opened();
    await workspace.session().read("a");
    const verified = await workspace.verify();
    expect(verified.problems).toEqual([]);
    expect(verified.unfinished).toHaveLength(1);
    expect(verified.unfinished![0]!.message).toContain("but not for 'dir/c'");
    expect(readFileSync(join(root, "elsewhere/c"), "utf8")).toBe("old dir/c\n");
    expect(await workspace.backend.head(path("dir/c"))).toMatchObject({ sha: null });
    const applied = await all(workspace.log({ outcomes: ["applied"] }));
    const { to } = applied[0]!.changes[2]!;
    expect(await workspace.backend.recall(to!)).not.toBeNull();
    await workspace.close();

    const around = { cwd: root };
    const told = await stet(["verify"], around);
    expect(told.out).toContain("Not finished after a crash");
    expect(told.out).toContain("dir/c");
    expect((await stet(["doctor"], around)).out).toContain("dir/c");
    expect((await stet(["log"], around)).out).toContain("but not for");
  });

  it("is told to whoever makes the next change", async () => {
    const workspace = opened();
    const { backend } = workspace;
    const first = await all(workspace.log({ outcomes: ["note"] }));
    const { warnings } = await backend.commit([change("other", null, version("x"))], AUTHOR);
    expect(warnings.join()).toContain("but not for 'dir/c'");
    expect(await all(workspace.log({ outcomes: ["note"] }))).toHaveLength(first.length + 1);
    await workspace.close();
  });
});

describe("a directory of very many files that was renamed after the kill", () => {
  const name = "n".repeat(190);
  const many = Array.from({ length: 320 }, (_, n) => `dir/${n}-${name}`);

  async function told(): Promise<{ readonly messages: readonly string[]; readonly unfinished: unknown }> {
    renameSync(join(root, "dir"), join(root, "elsewhere"));
    const workspace = opened();
    const { warnings } = await workspace.backend.commit([change("other", null, version("x"))], AUTHOR);
    const { unfinished = [] } = await workspace.verify();
    const [note] = await all(workspace.log({ outcomes: ["note"] }));
    await workspace.close();
    expect(leftOver()).toEqual([]);
    expect((await stet(["doctor"], { cwd: root })).out).toContain("and 315 more");
    expect(warnings).toEqual(unfinished.map(({ message }) => message));
    return { messages: warnings ?? [], unfinished: note?.details?.unfinished };
  }

  it("is told of with the first names in words, and all of them as data", async () => {
    lay(["a", "b", ...many]);
    await killed();
    const { messages, unfinished } = await told();
    expect(messages).toEqual([
      expect.stringMatching(/^Entry 1 was finished after a crash, but not for .* and 315 more: /),
    ]);
    expect(unfinished).toEqual(many);
  });

  it("is told of as not finished where nothing of the commit could be", async () => {
    lay(many);
    await new Promise((resolve) => startWorker("dies-worker", [root, ...many]).on("exit", resolve));
    expect(leftOver()).toHaveLength(many.length);
    const { messages, unfinished } = await told();
    expect(messages).toEqual([expect.stringMatching(/^Entry 1 was not finished after a crash: .* and 315 more had /)]);
    expect(unfinished).toEqual(many);
  });
});
