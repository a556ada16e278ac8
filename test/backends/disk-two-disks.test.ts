// The history on another disk than the files, and files of one tree on two disks: bytes travel before they get their name.
import { execFileSync } from "node:child_process";
import fs, { chmodSync, chownSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it } from "vitest";
import { AUTHOR, change, path, textAt, version } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

const { TESTS_IN_MEMORY: otherDisk } = process.env;
const isRoot = process.geteuid?.() === 0;
const old = version("old");
const mounts: string[] = [];

afterEach(() => {
  for (const mount of mounts.splice(0)) execFileSync("umount", ["-l", mount]);
});

interface Desk {
  readonly backend: Backend;
  readonly root: string;
  /** Nothing half done is left. */
  tidy(...names: readonly string[]): void;
}

function setUp(): Desk {
  const root = directoryWith({ a: "old", b: "old" });
  const stateDir = fs.mkdtempSync(join(otherDisk!, "state-"));
  expect(statSync(stateDir).dev).not.toBe(statSync(root).dev);
  const tidy = (...names: readonly string[]): void => {
    expect(readdirSync(root).sort()).toEqual([".stet", ...names]);
    expect(readdirSync(join(root, ".stet")).filter((name) => /^\d/.test(name))).toEqual([]);
  };
  return { backend: disk({ root, stateDir }), root, tidy };
}

async function changesAll(backend: Backend, below: string): Promise<void> {
  // More than a umask would leave.
  chmodSync(join(backend.directory!, below, "a"), 0o662);
  if (isRoot) chownSync(join(backend.directory!, below, "a"), 4321, 4321);
  await backend.commit(
    [
      change(join(below, "a"), old.sha, version("new")),
      change(join(below, "b"), old.sha, null),
      change(join(below, "c"), null, version("made")),
    ],
    AUTHOR,
  );
  const { mode, uid } = statSync(join(backend.directory!, below, "a"));
  expect(mode & 0o7777).toBe(0o662);
  if (isRoot) expect(uid).toBe(4321);
  expect([await textAt(backend, join(below, "a")), await textAt(backend, join(below, "c"))]).toEqual(["new", "made"]);
  for (const text of ["old", "new", "made"]) expect(await backend.recall(version(text).sha), text).not.toBeNull();
}

describe.skipIf(otherDisk === undefined)("a history on another disk", () => {
  it("files are made, replaced and deleted with their modes and owners, and every version is kept", async () => {
    const { backend, tidy } = setUp();
    await changesAll(backend, "");
    tidy("a", "c");
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
});

describe("a directory of the tree on another disk", () => {
  it("files in it are made, replaced and deleted with their modes and owners", async (context) => {
    const root = directoryWith({ a: "old" });
    const inside = join(root, "mounted");
    mkdirSync(inside);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", inside], { stdio: "ignore" });
    } catch {
      return context.skip("a tmpfs cannot be mounted here (needs root)");
    }
    mounts.push(inside);
    for (const name of ["a", "b"]) fs.writeFileSync(join(inside, name), "old");
    const backend = disk({ root });
    await changesAll(backend, "mounted");
    expect(readdirSync(inside).sort()).toEqual(["a", "c"]);
    await backend.close();
  });
});
