// What is not a regular file is never opened; what looks small but is not, and what is elsewhere, is told as it is.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listDirectory } from "../../src/backends/disk/paths/list.ts";
import { openRegular } from "../../src/backends/disk/paths/open.ts";
import { withParent } from "../../src/backends/disk/paths/parent.ts";
import { openRoot, type Root } from "../../src/backends/disk/paths/root.ts";
import { resolve } from "../../src/backends/disk/paths/walk.ts";
import type { Path } from "../../src/core/backend.ts";
import { kindOfRefusal, PINNINGS, type Playground, playground } from "./disk-playground.ts";

const path = (text: string) => text as Path;
const posix = process.platform !== "win32";
const linuxRoot = process.platform === "linux" && process.getuid?.() === 0;

describe.each(PINNINGS)("special files, %s", (_name, pinning) => {
  let play: Playground;
  let root: Root;
  beforeEach(() => {
    play = playground();
    root = play.root(pinning);
  });
  afterEach(() => play.remove());

  const open = (name: string) =>
    kindOfRefusal(() => {
      const file = openRegular(root, path(name));
      if (file !== null) closeSync(file.fd);
    });

  it.skipIf(!posix)("a FIFO neither hangs nor is opened", () => {
    play.fifo("p");
    expect(resolve(root, "p").kind).toBe("other");
    expect(open("p")).toBe("not_a_file");
    expect(kindOfRefusal(() => resolve(root, "p/x"))).toBe("not_a_directory");
  });

  it.skipIf(!posix)("a socket is not a file", async () => {
    const server = createServer().listen(join(play.ws, "s"));
    await new Promise((resolved) => server.once("listening", resolved));
    expect(resolve(root, "s").kind).toBe("other");
    expect(open("s")).toBe("not_a_file");
    await new Promise((resolved) => server.close(resolved));
  });

  it("devices are not files (needs root to make them)", (context) => {
    if (!linuxRoot) return context.skip("mknod needs root on Linux");
    if (spawnSync("mknod", [join(play.ws, "z"), "c", "1", "5"]).status !== 0)
      return context.skip("mknod is not allowed here");
    spawnSync("mknod", [join(play.ws, "b"), "b", "7", "0"]);
    for (const name of ["z", "b"]) {
      expect(resolve(root, name).kind).toBe("other");
      expect(open(name)).toBe("not_a_file");
    }
  });

  it("a directory is not a file, and the refusal says what to do", () => {
    play.dir("d");
    expect(() => openRegular(root, path("d"))).toThrow(
      "'d' is a directory, not a file. List it, or name a file inside it.",
    );
    expect(open("")).toBe("not_a_file");
  });

  it("a sparse file has the size it claims, known before a byte is read", () => {
    play.sparse("big", 8 * 1024 ** 4);
    expect(resolve(root, "big").size).toBe(8 * 1024 ** 4);
    const file = openRegular(root, path("big"));
    expect(file?.stat.size).toBe(8 * 1024 ** 4);
    closeSync(file!.fd);
  });

  it("hard links are counted, also to files outside", () => {
    play.file("$OUT/secret.txt", "SECRET");
    play.hardLink("$OUT/secret.txt", "h");
    expect(resolve(root, "h")).toMatchObject({ kind: "file", hardLinks: 1 });
    withParent(root, path("h"), {}, (dir, name) => {
      writeFileSync(dir.at("tmp"), "PWN");
      execFileSync("mv", [join(play.ws, "tmp"), join(play.ws, name)]);
    });
    expect(readFileSync(join(play.out, "secret.txt"), "utf8")).toBe("SECRET");
    expect(resolve(root, "h").hardLinks).toBe(0);
  });

  describe("mounts", () => {
    const mounts: string[] = [];
    const mount = (...args: string[]) => {
      const target = args[args.length - 1]!;
      if (!linuxRoot || spawnSync("mount", args).status !== 0) return false;
      mounts.push(target);
      return true;
    };
    afterEach(() => {
      for (const target of mounts.splice(0)) spawnSync("umount", ["-l", target]);
    });

    it("of the kernel are outside, by any way in", (context) => {
      play.dir("proc");
      play.file("environ");
      if (!mount("--bind", "/proc", join(play.ws, "proc"))) return context.skip("bind mounts are not allowed here");
      mount("--bind", "/proc/version", join(play.ws, "environ"));
      play.link("proc/version", "l");
      for (const raw of [
        "proc",
        "proc/",
        "proc/version",
        "proc/self/environ",
        "environ",
        "l",
        "proc/sys/kernel/hostname",
      ]) {
        expect(
          kindOfRefusal(() => resolve(root, raw)),
          raw,
        ).toBe("outside_workspace");
      }
      for (const raw of ["proc/version", "environ", `proc/${process.pid}/environ`])
        expect(open(raw), raw).toBe("outside_workspace");
      for (const raw of ["proc/self/root/etc/passwd", "proc/self/cwd/package.json", "proc/self/fd/0"]) {
        expect(
          kindOfRefusal(() => resolve(root, raw)),
          raw,
        ).toBe("outside_workspace");
        expect(["outside_workspace", "path_changed"], raw).toContain(open(raw));
      }
      expect(kindOfRefusal(() => withParent(root, path("proc/x"), {}, () => 0))).toBe("outside_workspace");
      expect(kindOfRefusal(() => [...listDirectory(root, path("proc"))])).toBe("outside_workspace");
      expect(kindOfRefusal(() => openRoot(join(play.ws, "proc"), { pinning }))).toBe("unsupported");
    });

    it("of another disk are part of the workspace", (context) => {
      play.dir("disk");
      if (!mount("-t", "tmpfs", "-o", "size=64k", "none", join(play.ws, "disk"))) {
        return context.skip("mounts are not allowed here");
      }
      writeFileSync(join(play.ws, "disk/x"), "there");
      expect(resolve(root, "disk/x")).toMatchObject({ path: "disk/x", kind: "file", size: 5 });
      expect(open("disk/x")).toBe("ok");
      expect(withParent(root, path("disk/y"), {}, (_dir, name) => name)).toBe("y");
      expect([...listDirectory(root, path("disk"))].map((entry) => entry.name)).toEqual(["x"]);
    });
  });
});
