// Whose history it is: that of the directory, wherever it is moved; not that of another one at the same path.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { expect, it } from "vitest";
import { all, version } from "../support/assertions.ts";
import { historiesIn } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";

function place() {
  const [base, home] = [tempDir(), tempDir()];
  const root = join(base, "project");
  mkdirSync(root);
  const using = async <T>(at: string, work: (workspace: Workspace) => Promise<T>): Promise<T> => {
    const workspace = new Workspace(disk({ root: at, stateDir: home, durability: "fast" }));
    try {
      return await work(workspace);
    } finally {
      await workspace.close();
    }
  };
  const used = (at = root, name = "a") => using(at, (workspace) => workspace.session().create(name, `${name}\n`));
  const paths = (at: string) =>
    using(at, async (workspace) => (await all(workspace.log())).map(({ changes }) => changes[0]?.path));
  return { base, home, root, using, used, paths };
}

it("a root that was moved keeps its history", async () => {
  const { base, home, root, using, used, paths } = place();
  await used();
  renameSync(root, join(base, "renamed"));
  await used(join(base, "renamed"), "b");
  expect(await paths(join(base, "renamed"))).toEqual(["a", "b"]);
  expect(historiesIn(home)).toHaveLength(1);
  await using(join(base, "renamed"), async (workspace) => {
    expect(await workspace.backend.recall(version("a\n").sha)).not.toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
  });
});

it("a root that was deleted and made anew has a new one, and the old one stays", async () => {
  const { home, root, used, paths } = place();
  await used();
  for (let round = 0; round < 5; round++) {
    // The number of a directory that is gone is soon given to another one.
    rmSync(root, { recursive: true });
    mkdirSync(root);
    expect(await paths(root)).toEqual([]);
  }
  await used(root, "b");
  expect(await paths(root)).toEqual(["b"]);
  expect(historiesIn(home)).toHaveLength(2);
});

it("a copy has none, and what is done there is not told here", async () => {
  const { base, root, used, paths } = place();
  await used();
  const copy = join(base, "copy");
  cpSync(root, copy, { recursive: true });
  expect(await paths(copy)).toEqual([]);
  await used(copy, "c");
  expect(await paths(copy)).toEqual(["c"]);
  expect(await paths(root)).toEqual(["a"]);
});

it("two that changed places keep each its own", async () => {
  const { base, root, used, paths } = place();
  const other = join(base, "other");
  mkdirSync(other);
  await used();
  await used(other, "o");
  renameSync(root, join(base, "aside"));
  renameSync(other, root);
  renameSync(join(base, "aside"), other);
  expect(await paths(root)).toEqual(["o"]);
  expect(await paths(other)).toEqual(["a"]);
});

it("what is told about a history that is damaged does not keep the files from being read, nor changes the files", async () => {
  const { home, root, used, using } = place();
  await used();
  for (const text of ["", "elsewhere", "\0".repeat(700), "/".repeat(100_000)]) {
    writeFileSync(join(historiesIn(home)[0]!, "root"), text);
    await using(root, async (workspace) => {
      const session = workspace.session();
      expect((await session.read("a")).body).toBe("a\n");
      await session.create(`x${text.length}`, "x").catch((error: Error) => expect(error.name).toBe("Refusal"));
    });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("a\n");
  }
  expect(existsSync(join(root, "a"))).toBe(true);
});
