// What the fuzzer found, each once more by name.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../../support/cli.ts";
import { directoryWith } from "../../support/workspace.ts";

async function used(): Promise<string> {
  const root = directoryWith({ "a.txt": "one\n" });
  const made = await stet(["call", "create_file", '{"path":"b.txt","content":"two\\n"}'], { cwd: root });
  expect(made.code).toBe(0);
  return root;
}

const stillOpen = (root: string): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(root) ? [target] : [];
    } catch {
      return [];
    }
  });

describe.skipIf(process.platform !== "linux")("what the fuzzer found", () => {
  it.each([
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
    ["a file", (path: string) => writeFileSync(path, "")],
  ])("starts anew beside a state whose lock is %s instead of a directory", async (_, plant) => {
    const root = await used();
    rmSync(join(root, ".stet/lock"), { recursive: true });
    plant(join(root, ".stet/lock"));
    const { code, out } = await stet(["adopt", "--afresh"], { cwd: root });
    expect(out).toContain("A new history begins.");
    expect(code).toBe(0);
    expect(existsSync(join(root, ".stet/aside"))).toBe(true);
  });

  it("closes what it opened when the lock of a state cannot be used", async () => {
    const root = await used();
    writeFileSync(join(root, ".stet/lock/lock-kind"), "of another kind\n");
    expect((await stet(["adopt", "--afresh"], { cwd: root })).code).toBe(1);
    expect(stillOpen(root)).toEqual([]);
  });

  it("closes one file of the lock when the other cannot be opened", async () => {
    const root = await used();
    rmSync(join(root, ".stet/lock/held"));
    mkdirSync(join(root, ".stet/lock/held"));
    const change = ["call", "create_file", '{"path":"c.txt","content":"three\\n"}'];
    expect((await stet(change, { cwd: root })).code).toBe(1);
    expect(existsSync(join(root, "c.txt"))).toBe(false);
    expect(stillOpen(root)).toEqual([]);
  });

  it("is busy where dead owners of a lock name each other in a circle", async () => {
    const root = await used();
    writeFileSync(join(root, "stet.config.json"), '{"limits":{"lockMs":50}}');
    const lock = join(root, ".stet/lock");
    const dead = {
      pid: 2 ** 22 + 5,
      thread: 2 ** 22 + 5,
      start: "12345",
      boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      pidNamespace: readlinkSync("/proc/self/ns/pid"),
      nonce: "0".repeat(16),
    };
    rmSync(lock, { recursive: true });
    mkdirSync(lock);
    writeFileSync(join(lock, "lock-kind"), "link\n");
    for (const name of ["held", `dead-${dead.nonce}`]) writeFileSync(join(lock, name), JSON.stringify(dead));
    const change = ["call", "create_file", '{"path":"c.txt","content":"three\\n"}'];
    const { code, out } = await stet(change, { cwd: root });
    expect(code).toBe(1);
    expect(out).toContain("if it runs no more, remove the file");
    expect(existsSync(join(root, "c.txt"))).toBe(false);
  });

  it("refuses to undo into a file that is too large to be kept, without reading it", async () => {
    const root = await used();
    truncateSync(join(root, "b.txt"), 20 * 2 ** 30);
    const before = readBytes();
    const { code, err } = await stet(["undo", "--since", "2026-01-01", "--yes"], { cwd: root });
    expect(err).toContain("b.txt has 21474836480 bytes or more");
    expect(code).toBe(1);
    expect(readBytes() - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("does not read through a large file in the place of git's index", async () => {
    const root = await used();
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(root, ".git/index"), "");
    truncateSync(join(root, ".git/index"), 200 * 1024 * 1024);
    const before = readBytes();
    const { code, err } = await stet(["log"], { cwd: root });
    expect(err).toContain("may be tracked by git, whose index cannot be read");
    expect(code).toBe(1);
    expect(readBytes() - before).toBeLessThan(50 * 1024 * 1024);
  });
});

/** Of all files, by this process. */
function readBytes(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
