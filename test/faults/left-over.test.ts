// A process that is killed when some files of its commit are in place and others are not: what the next one shows, and tells.
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AUTHOR, all, change, path, version } from "../support/assertions.ts";
import { stet } from "../support/cli.ts";
import { startWorker } from "../support/processes.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const PATHS = ["a", "b", "dir/c"];

function laidOut(paths: readonly string[] = PATHS): string {
  return directoryWith(Object.fromEntries(paths.map((each) => [each, `old ${each}\n`])));
}

const wordsIn = (root: string): string[] =>
  PATHS.map((each) => readFileSync(join(root, each), "utf8").split(" ")[0] ?? "");

/** Killed when so many of the files were in place. */
async function killed(root: string, placed: number, paths: readonly string[] = PATHS, word = "new"): Promise<void> {
  const [, signal] = await once(startWorker("dies-worker", [root, word, `${placed}`, ...paths]), "exit");
  expect(signal).toBe("SIGKILL");
}

describe("reading after a kill", () => {
  it("the first read finishes the commit, and sees all of it", async () => {
    const root = laidOut();
    await killed(root, 2);
    expect(wordsIn(root)).toEqual(["new", "new", "old"]);
    const workspace = workspaceIn(root);
    const read: string[] = [];
    for (const each of [...PATHS].reverse()) read.unshift((await workspace.session().read(each)).body);
    expect(read).toEqual(PATHS.map((each) => `new ${each}\n`));
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });

  it("a process that is open already sees all of it too", async () => {
    const root = laidOut();
    const workspace = workspaceIn(root);
    const session = workspace.session();
    await session.create("mine", "mine\n");
    await session.read("a");
    await killed(root, 1);
    expect(wordsIn(root)).toEqual(["new", "old", "old"]);
    const words = new Set<string>();
    for (const each of [...PATHS].reverse()) words.add((await session.read(each)).body.split(" ")[0]!);
    expect([...words]).toEqual(["new"]);
    await workspace.close();
  });

  it("one that may change nothing leaves everything as it is", async () => {
    const root = laidOut();
    await killed(root, 2);
    const workspace = workspaceIn(root, { policy: { readOnly: true } });
    expect((await workspace.session().read("dir/c")).body).toBe("old dir/c\n");
    await workspace.close();
    expect(wordsIn(root)).toEqual(["new", "new", "old"]);
  });
});

describe("a directory that was renamed after the kill", () => {
  it("is told of: to whoever makes the next change, by verify, by doctor and by the log", async () => {
    const root = laidOut();
    await killed(root, 2);
    renameSync(join(root, "dir"), join(root, "elsewhere"));
    const workspace = workspaceIn(root);
    const { warnings } = await workspace.backend.commit([change("other", null, version("x"))], AUTHOR);
    expect(warnings.join()).toContain("but not for 'dir/c'");
    const verified = await workspace.verify();
    expect(verified.problems).toEqual([]);
    expect(verified.unfinished).toHaveLength(1);
    expect(readFileSync(join(root, "elsewhere/c"), "utf8")).toBe("old dir/c\n");
    expect(await workspace.backend.head(path("dir/c"))).toMatchObject({ sha: null });
    const [applied] = await all(workspace.log({ outcomes: ["applied"] }));
    expect(await workspace.backend.recall(applied!.changes[2]!.to!)).not.toBeNull();
    await workspace.close();
    for (const command of ["verify", "doctor", "log"])
      expect((await stet([command], { cwd: root })).out, command).toContain("dir/c");
  });

  it("with very many files is told of in a few words, and nothing of the commit is there", async () => {
    const many = Array.from({ length: 320 }, (_, n) => `dir/${n}-${"n".repeat(190)}`);
    const root = laidOut(many);
    await killed(root, 0, many);
    renameSync(join(root, "dir"), join(root, "elsewhere"));
    const workspace = workspaceIn(root);
    const { warnings } = await workspace.backend.commit([change("other", null, version("x"))], AUTHOR);
    await workspace.close();
    expect(warnings).toEqual([
      expect.stringMatching(/^Entry 1 was cut short by a crash and not finished for .* and 315 more: /),
    ]);
    expect(warnings[0]!.length).toBeLessThan(2_000);
    expect(readdirSync(root).filter((name) => !name.startsWith("."))).toEqual(["elsewhere", "other"]);
  });
});
