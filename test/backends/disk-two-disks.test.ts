// A state on another disk than the files: nothing can change places in one step, so bytes travel first.
import fs, {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { Backend } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { AUTHOR, change, path, refuses, textAt, version } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

const { TESTS_IN_MEMORY: otherDisk } = process.env;
const old = version("old");

interface Desk {
  readonly backend: Backend;
  readonly root: string;
  /** Nothing half done is left, on neither disk. */
  tidy(...names: readonly string[]): void;
}

function setUp(durability: "full" | "fast" = "fast"): Desk {
  const root = directoryWith({ a: "old", b: "old" });
  const stateDir = fs.mkdtempSync(join(otherDisk!, "state-"));
  expect(statSync(stateDir).dev).not.toBe(statSync(root).dev);
  const tidy = (...names: readonly string[]): void => {
    expect(readdirSync(root).sort()).toEqual(names);
    expect(readdirSync(join(stateDir, "pending"))).toEqual([]);
  };
  return { backend: disk({ root, stateDir, durability }), root, tidy };
}

type Call = "copyFileSync" | "renameSync";

const after = <T>(call: Call, then: () => void, work: () => Promise<T>): Promise<T> =>
  withFirst(call, (original) => [original, then], work);
const before = <T>(call: Call, then: () => void, work: () => Promise<T>): Promise<T> =>
  withFirst(call, (original) => [then, original], work);

/** Runs `work`; the first call of this name does what `instead` says. */
async function withFirst<T>(
  call: Call,
  instead: (original: () => void) => readonly (() => void)[],
  work: () => Promise<T>,
): Promise<T> {
  const original = fs[call] as (...args: unknown[]) => void;
  let done = false;
  fs[call] = (...args: unknown[]) => {
    const steps = done ? [() => original(...args)] : instead(() => original(...args));
    done = true;
    for (const step of steps) step();
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs[call] = original as never;
    syncBuiltinESMExports();
  }
}

/** Flushes, renames and links while `work` runs, each by what it was done to. */
async function recorded(work: () => Promise<unknown>): Promise<string[]> {
  const { fsyncSync, renameSync, linkSync } = fs;
  const done: string[] = [];
  const last = (path: unknown): string => String(path).split("/").at(-1)!;
  fs.fsyncSync = (fd) => {
    done.push(`flush ${fs.fstatSync(fd).ino}`);
    fsyncSync(fd);
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    done.push(`rename ${last(to)}`);
  };
  fs.linkSync = (from, to) => {
    linkSync(from, to);
    done.push(`link ${last(to)}`);
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { fsyncSync, renameSync, linkSync });
    syncBuiltinESMExports();
  }
  return done;
}

describe.skipIf(otherDisk === undefined)("a state on another disk", () => {
  it("files are made, replaced and deleted with their modes and owners, and every version is kept", async () => {
    const { backend, root, tidy } = setUp();
    // More than a umask would leave.
    chmodSync(join(root, "a"), 0o662);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) chownSync(join(root, "a"), 4321, 4321);
    await backend.commit(
      [change("a", old.sha, version("new")), change("b", old.sha, null), change("c", null, version("made"))],
      AUTHOR,
    );
    const { mode, uid } = statSync(join(root, "a"));
    expect(mode & 0o7777).toBe(0o662);
    if (isRoot) expect(uid).toBe(4321);
    expect([await textAt(backend, "a"), await textAt(backend, "c")]).toEqual(["new", "made"]);
    for (const text of ["old", "new", "made"]) expect(await backend.recall(version(text).sha), text).not.toBeNull();
    tidy("a", "c");
  });

  it("bytes are safe before they get their name, and names before the commit is done", async () => {
    const { backend, root } = setUp("full");
    const done = await recorded(() =>
      backend.commit([change("a", old.sha, version("new")), change("c", null, version("made"))], AUTHOR),
    );
    for (const [name, how] of [
      ["a", "rename"],
      ["c", "link"],
    ]) {
      const named = done.indexOf(`${how} ${name}`);
      const flushed = done.indexOf(`flush ${statSync(join(root, name!)).ino}`);
      expect(flushed, name).toBeGreaterThanOrEqual(0);
      expect(named, name).toBeGreaterThan(flushed);
    }
    expect(done.lastIndexOf(`flush ${statSync(root).ino}`)).toBeGreaterThan(done.indexOf("link c"));
  });

  it("what appears at a free path meanwhile is never overwritten", async () => {
    const { backend, root, tidy } = setUp();
    const intrude = (): void => writeFileSync(join(root, "c"), "editor");
    await after("copyFileSync", intrude, () =>
      refuses("stale_file", () => backend.commit([change("c", null, version("mine"))], AUTHOR)),
    );
    expect(readFileSync(join(root, "c"), "utf8")).toBe("editor");
    tidy("a", "b", "c");
  });

  it("a link comes back as the link that it was, not as what it leads to", async () => {
    const { backend, root, tidy } = setUp();
    const outside = directoryWith({ secret: "outside" });
    symlinkSync(join(outside, "secret"), join(root, "link"));
    const link = (await backend.read(path("link")))!;
    await backend.commit([change("link", link.sha, null)], AUTHOR);
    tidy("a", "b");
    await backend.commit([change("link", null, link)], AUTHOR);
    expect(readlinkSync(join(root, "link"))).toBe(join(outside, "secret"));
    tidy("a", "b", "link");
  });

  it("what an editor puts in the place of a file meanwhile, by rename, is neither replaced nor deleted", async () => {
    for (const to of [version("mine"), null]) {
      const { backend, root, tidy } = setUp();
      writeFileSync(join(root, "a.new"), "editor");
      // Before the copy is flushed and named; before the file is taken away.
      const rename = fs.renameSync;
      const intrude = (): void => rename(join(root, "a.new"), join(root, "a"));
      const work = () => refuses("stale_file", () => backend.commit([change("a", old.sha, to)], AUTHOR));
      await (to === null ? before("renameSync", intrude, work) : after("copyFileSync", intrude, work));
      expect(await textAt(backend, "a")).toBe("editor");
      tidy("a", "b");
    }
  });

  it("several files of which one was changed at the last moment: none of them is", async () => {
    const { backend, root, tidy } = setUp();
    chmodSync(join(root, "a"), 0o640);
    const both = [
      change("a", old.sha, version("new a")),
      change("d", old.sha, null),
      change("b", old.sha, version("new b")),
    ];
    writeFileSync(join(root, "d"), "old");
    const intrude = (): void => writeFileSync(join(root, "b"), "editor");
    await after("copyFileSync", intrude, () => refuses("stale_file", () => backend.commit(both, AUTHOR)));
    expect(await Promise.all(["a", "b", "d"].map((name) => textAt(backend, name)))).toEqual(["old", "editor", "old"]);
    expect(statSync(join(root, "a")).mode & 0o7777).toBe(0o640);
    expect(await backend.recall(version("editor").sha)).not.toBeNull();
    tidy("a", "b", "d");
    expect((await backend.verify()).problems).toEqual([]);
  });
});
