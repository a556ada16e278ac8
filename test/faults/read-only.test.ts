// A tree, or a home, that may not be written: files are read, changes are refused in words, nothing is half done.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";
import { historiesIn } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const mounts: string[] = [];

afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  for (const mount of mounts.splice(0)) execFileSync("umount", ["-l", mount]);
});

/** A file system of its own; null where none can be mounted. */
function mounted(): string | null {
  const at = tempDir();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", at], { stdio: "ignore" });
  } catch {
    return null;
  }
  mounts.push(at);
  return at;
}

const readOnly = (at: string): void => void execFileSync("mount", ["-o", "remount,ro", at]);
const writable = (at: string): void => void execFileSync("mount", ["-o", "remount,rw", at]);

function opened(root: string, stateDir: string): Workspace {
  return new Workspace(disk({ root, stateDir, durability: "full" }));
}

async function used(root: string, home: string): Promise<void> {
  const workspace = opened(root, home);
  await workspace.session().create("a", "1\n");
  await workspace.close();
}

describe.skipIf(process.platform === "win32")("read-only", () => {
  it.each([true, false])("a tree, with a history: %s", async (hasHistory) => {
    const root = mounted();
    if (root === null) return console.log("skipped: nothing can be mounted here");
    const home = tempDir();
    if (hasHistory) await used(root, home);
    else writeFileSync(join(root, "a"), "1\n");
    readOnly(root);
    const workspace = opened(root, home);
    const session = workspace.session();
    expect((await session.read("a")).body).toBe("1\n");
    const { failure } = await refuses("permission_denied", () => session.write("a", "2\n"));
    expect(failure.message).toContain("read-only");
    expect(await all(workspace.log({ outcomes: ["applied"] }))).toHaveLength(hasHistory ? 1 : 0);
    expect((await workspace.verify()).problems).toEqual([]);
    writable(root);
    await session.write("a", "2\n");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2\n");
    await workspace.close();
  });

  it.each([true, false])("a home, with a history: %s", async (hasHistory) => {
    const home = mounted();
    if (home === null) return console.log("skipped: nothing can be mounted here");
    const root = tempDir();
    if (hasHistory) await used(root, home);
    else writeFileSync(join(root, "a"), "1\n");
    readOnly(home);
    const workspace = opened(root, home);
    const session = workspace.session();
    expect((await session.read("a")).body).toBe("1\n");
    const { failure } = await refuses("permission_denied", () => session.write("a", "2\n"));
    expect(failure.message).toContain("read-only");
    expect(failure.suggestedAction).toContain("STET_STATE");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("1\n");
    expect(await all(workspace.log({ outcomes: ["applied"] }))).toHaveLength(hasHistory ? 1 : 0);
    expect((await workspace.verify()).problems).toEqual([]);
    writable(home);
    await session.write("a", "2\n");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2\n");
    await workspace.close();
  });

  it("a home that becomes so while it is open", async () => {
    const home = mounted();
    if (home === null) return console.log("skipped: nothing can be mounted here");
    const root = tempDir();
    const workspace = opened(root, home);
    const session = workspace.session();
    await session.create("a", "1\n");
    execFileSync("mount", ["-o", "remount,size=64k", home]);
    // What is open to be written keeps it from being remounted, as on a real disk that fails; a full one is as good.
    const big = Buffer.alloc(512 * 1024, "x").toString();
    await refuses("disk_full", () => session.write("a", big));
    expect(readFileSync(join(root, "a"), "utf8")).toBe("1\n");
    execFileSync("mount", ["-o", "remount,size=4m", home]);
    await session.write("a", big);
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });
});

describe.runIf(isRoot)("a second user", () => {
  const OTHER = 12_345;

  /** A directory that all may write; a user has made the history of it in his home. */
  async function shared() {
    const [root, mine, theirs] = [tempDir(), tempDir(), tempDir()];
    chmodSync(root, 0o777);
    chownSync(mine, NOBODY, NOBODY);
    chownSync(theirs, OTHER, OTHER);
    process.seteuid?.(NOBODY);
    await used(root, mine);
    process.seteuid?.(0);
    return { root, mine, theirs };
  }

  it("reads the files, and is refused in words where the first one's lock is closed to him", async () => {
    const { root, mine, theirs } = await shared();
    process.seteuid?.(OTHER);
    const workspace = opened(root, theirs);
    const session = workspace.session();
    expect((await session.read("a")).body).toBe("1\n");
    const { failure } = await refuses("permission_denied", () => session.create("b", "2\n"));
    expect(failure.message).toMatch(/permission denied|another user/);
    expect(failure.suggestedAction).toMatch(/owner/);
    expect(existsSync(join(root, "b"))).toBe(false);
    await workspace.close();
    process.seteuid?.(0);
    expect(historiesIn(mine)).toHaveLength(1);
  });

  it("has a history of his own where he may use the lock", async () => {
    const { root, mine, theirs } = await shared();
    chmodSync(join(root, ".stet"), 0o777);
    for (const name of readdirSync(join(root, ".stet"))) chmodSync(join(root, ".stet", name), 0o666);
    process.seteuid?.(OTHER);
    const workspace = opened(root, theirs);
    const said = await workspace
      .session()
      .create("b", "2\n")
      .then(
        () => "made",
        (error: Error) => error.message,
      );
    expect(said).toMatch(/^made$|another user/);
    await workspace.close();
    process.seteuid?.(0);
    process.seteuid?.(NOBODY);
    const first = opened(root, mine);
    expect(await all(first.log())).toHaveLength(1);
    await first.close();
  });

  it("sees nothing of the history of the first one", async () => {
    const { root, mine } = await shared();
    process.seteuid?.(OTHER);
    const workspace = opened(root, mine);
    await refuses("permission_denied", () => all(workspace.log()));
    expect((await workspace.session().read("a")).body).toBe("1\n");
    await workspace.close();
  });

  it("cannot look into a home that stet made", async () => {
    const { root } = await shared();
    const home = join(tempDir(), "made/by/stet");
    await used(mkdirp(join(root, "x")), home);
    chmodSync(join(home, "../../.."), 0o755);
    process.seteuid?.(OTHER);
    expect(() => readdirSync(home)).toThrow("EACCES");
  });
});

function mkdirp(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}
