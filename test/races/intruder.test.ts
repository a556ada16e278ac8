// A program that ignores the lock and writes at the worst moment, between the last look at a file and the swap.
import fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all, inEffect, refuses, version } from "../support/assertions.ts";
import { restarted } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const native = createRequire(import.meta.url)("fs-native-extensions") as { swapSync(from: string, to: string): void };

/** Runs `intrude` right before the first call that puts something in place of, or takes away, a path that ends in `end`. */
async function intruding<T>(end: RegExp, intrude: () => void, work: () => Promise<T>): Promise<T> {
  const originals = { rename: fs.renameSync, link: fs.linkSync, swap: native.swapSync };
  let done = false;
  const before = (call: (from: string, to: string) => void) => (from: string, to: string) => {
    if (!done && (end.test(to) || end.test(from))) {
      done = true;
      intrude();
    }
    call(from, to);
  };
  fs.renameSync = before(originals.rename as never) as never;
  fs.linkSync = before(originals.link as never) as never;
  native.swapSync = before(originals.swap);
  syncBuiltinESMExports();
  try {
    const result = await work();
    expect(done).toBe(true);
    return result;
  } finally {
    fs.renameSync = originals.rename;
    fs.linkSync = originals.link;
    native.swapSync = originals.swap;
    syncBuiltinESMExports();
  }
}

function setUp() {
  const root = directoryWith({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const workspace = workspaceIn(root);
  const session = workspace.session();
  const file = join(root, "a.txt");
  return { root, workspace, session, file, text: () => fs.readFileSync(file, "utf8") };
}

describe("an editor that writes in place at the moment of the swap", () => {
  it("as many bytes, and sets the time back: its version is put back all the same", async () => {
    const { session, file, text } = setUp();
    fs.utimesSync(file, 1000, 1000);
    const { sha } = await session.read("a.txt");
    const same = () => {
      fs.writeFileSync(file, "ONE\ntwo\nthree\n");
      fs.utimesSync(file, 1000, 1000);
    };
    const write = () => session.write("a.txt", "mine\n", { expectedSha256: sha });
    await intruding(/\/a\.txt$/, same, () => refuses("stale_file", write));
    expect(text()).toBe("ONE\ntwo\nthree\n");
  });

  it("whole-file write: the editor's version is put back, and the writer is told", async () => {
    const { session, file, text, workspace } = setUp();
    const { sha } = await session.read("a.txt");
    const write = () => session.write("a.txt", "mine\n", { expectedSha256: sha });
    const refusal = await intruding(
      /\/a\.txt$/,
      () => fs.writeFileSync(file, "editor\n"),
      () => refuses("stale_file", write),
    );
    expect(refusal.failure.details?.currentSha256).toBe(version("editor\n").sha);
    expect(text()).toBe("editor\n");
    expect(await workspace.backend.recall(version("editor\n").sha)).not.toBeNull();
    const entries = await all(workspace.log({ newestFirst: false }));
    expect(entries.map(({ outcome, of }) => [outcome, of])).toEqual([
      ["applied", undefined],
      ["aborted", [1]],
      ["refused", undefined],
    ]);
    expect(inEffect(entries).map(({ outcome }) => outcome)).toEqual(["refused"]);
    expect(await workspace.backend.recall(version("mine\n").sha)).not.toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("edit that may find its place again: both changes are there", async () => {
    const { session, file, text } = setUp();
    await session.read("a.txt");
    const edit = ({ body }: { body: string }) => [
      { start: body.indexOf("two"), end: body.indexOf("two") + 3, text: "TWO" },
    ];
    const write = () => session.edit("a.txt", edit, { proof: { by: "session", changed: "warn" } });
    await intruding(/\/a\.txt$/, () => fs.writeFileSync(file, "zero\none\ntwo\nthree\n"), write);
    expect(text()).toBe("zero\none\nTWO\nthree\n");
  });

  it("delete: the file with the editor's bytes comes back", async () => {
    const { session, file, text } = setUp();
    const { sha } = await session.read("a.txt");
    const remove = () => refuses("stale_file", () => session.delete("a.txt", { expectedSha256: sha }));
    await intruding(/\/a\.txt$/, () => fs.writeFileSync(file, "editor\n"), remove);
    expect(text()).toBe("editor\n");
  });

  it("several files: none of them is changed", async () => {
    const { session, file, text, root } = setUp();
    const proofs = await Promise.all(
      ["b.txt", "a.txt"].map(async (path) => ({ path, sha256: (await session.read(path)).sha })),
    );
    const targets = proofs.map(
      ({ path, sha256 }) => ({ path, proof: { by: "sha256", sha256 }, action: "write" }) as const,
    );
    const write = () =>
      refuses("stale_file", () => session.change(targets, () => [{ body: "new b\n" }, { body: "new a\n" }]));
    await intruding(/\/a\.txt$/, () => fs.writeFileSync(file, "editor\n"), write);
    expect(text()).toBe("editor\n");
    expect(fs.readFileSync(join(root, "b.txt"), "utf8")).toBe("b\n");
  });
});

/** Right after the first exchange with a path that ends in `end`. */
async function intrudingAfter<T>(end: RegExp, intrude: () => void, work: () => Promise<T>): Promise<T> {
  const swap = native.swapSync;
  native.swapSync = (from, to) => {
    swap(from, to);
    if (!end.test(to)) return;
    native.swapSync = swap;
    intrude();
  };
  return work().finally(() => {
    native.swapSync = swap;
  });
}

it("a program that appends before and after the swap: both lines are kept, and neither is called unchanged", async () => {
  const { session, file, text, workspace } = setUp();
  await session.write("a.txt", "one\n", { expectedSha256: (await session.read("a.txt")).sha });
  const { sha } = await session.read("a.txt");
  const append = (line: string) => () => fs.appendFileSync(file, line);
  const write = () => session.write("a.txt", "mine\n", { expectedSha256: sha });
  await intruding(/\/a\.txt$/, append("before\n"), () =>
    intrudingAfter(/\/a\.txt$/, append("after\n"), () => refuses("stale_file", write)),
  );
  expect(text()).toBe("one\nbefore\n");
  for (const kept of ["one\nbefore\n", "mine\nafter\n"])
    expect(await workspace.backend.recall(version(kept).sha), kept).not.toBeNull();
  const external = (await all(workspace.log())).filter(({ outcome }) => outcome === "external");
  expect(external.map(({ changes }) => changes[0]?.to)).toEqual([
    version("mine\nafter\n").sha,
    version("one\nbefore\n").sha,
  ]);
});

it.each(["writes into it", "replaces it"])(
  "a recovery, when an editor %s at the last moment: its bytes stay, ours are kept",
  async (how) => {
    const [root, stateDir] = [tempDir(), tempDir()];
    const file = join(root, "a.txt");
    fs.writeFileSync(file, "old\n");
    const open = () => new Workspace(disk({ root, stateDir }));
    const before = open();
    await before.session().write("a.txt", "new\n", { proof: { by: "waived" } });
    // The power failed before the new bytes reached the disk, with the workspace open.
    fs.writeFileSync(file, "old\n");
    restarted(stateDir);
    const { writeFileSync, renameSync } = fs;
    const intrude = () => {
      writeFileSync(how === "replaces it" ? `${file}.new` : file, "editor\n");
      if (how === "replaces it") renameSync(`${file}.new`, file);
    };
    const workspace = open();
    await intruding(/\/a\.txt$/, intrude, () => workspace.session().create("b.txt", "b\n"));
    expect(fs.readFileSync(file, "utf8")).toBe("editor\n");
    for (const text of ["old\n", "new\n", "editor\n"])
      expect(await workspace.backend.recall(version(text).sha), text).not.toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
    await Promise.all([workspace.close(), before.close()]);
  },
);

describe.skipIf(process.platform !== "linux")("at the moment of the swap, the directory of a file", () => {
  const inDirectory = async () => {
    const { session, root, workspace } = setUp();
    fs.mkdirSync(join(root, "d"));
    fs.writeFileSync(join(root, "d/f.txt"), "old\n");
    const { sha } = await session.read("d/f.txt");
    return { root, workspace, write: () => session.write("d/f.txt", "new\n", { expectedSha256: sha }) };
  };

  it("is moved, and another takes its name: the change goes along, and what is there now stays", async () => {
    const { root, workspace, write } = await inDirectory();
    const { renameSync } = fs;
    const intrude = () => {
      renameSync(join(root, "d"), join(root, "moved"));
      fs.mkdirSync(join(root, "d"));
      fs.writeFileSync(join(root, "d/f.txt"), "old\n");
    };
    await intruding(/\/f\.txt$/, intrude, write);
    expect(fs.readFileSync(join(root, "moved/f.txt"), "utf8")).toBe("new\n");
    expect(fs.readFileSync(join(root, "d/f.txt"), "utf8")).toBe("old\n");
    for (const text of ["old\n", "new\n"]) expect(await workspace.backend.recall(version(text).sha)).not.toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("is removed: the change is refused, and the journal says that it did not happen", async () => {
    const { root, workspace, write } = await inDirectory();
    await intruding(
      /\/f\.txt$/,
      () => fs.rmSync(join(root, "d"), { recursive: true }),
      () => refuses("stale_file", write),
    );
    expect(fs.readdirSync(root).sort()).toEqual([".stet", "a.txt", "b.txt"]);
    expect(inEffect(await all(workspace.log({ outcomes: ["applied", "aborted"] })))).toEqual([]);
    expect((await workspace.verify()).problems).toEqual([]);
  });
});

describe("an editor that replaces the file by rename", () => {
  it("gets its file back, also when it comes between the last look and the swap", async () => {
    const { session, file, text, root, workspace } = setUp();
    const { sha } = await session.read("a.txt");
    fs.writeFileSync(join(root, "a.new"), "editor\n");
    const rename = fs.renameSync;
    const write = () => refuses("stale_file", () => session.write("a.txt", "mine\n", { expectedSha256: sha }));
    await intruding(/\/a\.txt$/, () => rename(join(root, "a.new"), file), write);
    expect(text()).toBe("editor\n");
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("gets its file back, also when it comes between the last look and a delete", async () => {
    const { session, file, text, root, workspace } = setUp();
    const { sha } = await session.read("a.txt");
    fs.writeFileSync(join(root, "a.new"), "editor\n");
    const rename = fs.renameSync;
    const remove = () => refuses("stale_file", () => session.delete("a.txt", { expectedSha256: sha }));
    await intruding(/\/a\.txt$/, () => rename(join(root, "a.new"), file), remove);
    expect(text()).toBe("editor\n");
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("and takes the place of a file that has to be taken back: what that one had displaced is kept", async () => {
    const { session, root, workspace } = setUp();
    const targets = await Promise.all(
      ["a.txt", "b.txt"].map(async (path) => {
        const { sha } = await session.read(path);
        return { path, proof: { by: "sha256", sha256: sha }, action: "write" } as const;
      }),
    );
    for (const name of ["a", "b"]) fs.writeFileSync(join(root, `${name}.new`), `editor ${name}\n`);
    const rename = fs.renameSync;
    const intrude = () => {
      for (const name of ["a", "b"]) rename(join(root, `${name}.new`), join(root, `${name}.txt`));
    };
    const write = () =>
      refuses("stale_file", () => session.change(targets, () => [{ body: "new a\n" }, { body: "new b\n" }]));
    await intruding(/\/b\.txt$/, intrude, write);
    expect(["a", "b"].map((name) => fs.readFileSync(join(root, `${name}.txt`), "utf8"))).toEqual([
      "editor a\n",
      "editor b\n",
    ]);
    expect(await workspace.backend.recall(version("one\ntwo\nthree\n").sha)).not.toBeNull();
  });

  it("a file that appears at a path that was free is never overwritten", async () => {
    const { session, root } = setUp();
    const create = () => refuses("already_exists", () => session.create("new.txt", "mine\n"));
    await intruding(/\/new\.txt$/, () => fs.writeFileSync(join(root, "new.txt"), "editor\n"), create);
    expect(fs.readFileSync(join(root, "new.txt"), "utf8")).toBe("editor\n");
  });
});
