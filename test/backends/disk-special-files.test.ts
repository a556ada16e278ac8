// What is not a regular file is never opened; what looks small but is not, and what is elsewhere, is told as it is.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Backend } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AUTHOR, all, change, path, version, write } from "../support/assertions.ts";
import { kindOf, type Playground, playground } from "../support/playground.ts";

const posix = process.platform !== "win32";
const linuxRoot = process.platform === "linux" && process.getuid?.() === 0;

describe("special files", () => {
  let play: Playground;
  let backend: Backend;
  beforeEach(() => {
    play = playground();
    backend = disk({ root: play.ws, durability: "fast" });
  });
  afterEach(async () => {
    await backend.close();
    play.remove();
  });

  const kind = async (raw: string) => (await backend.resolve(raw)).kind;
  const resolving = (raw: string) => kindOf(() => backend.resolve(raw));
  const reading = (raw: string) => kindOf(() => backend.read(path(raw)));

  it.skipIf(!posix)("a FIFO neither hangs nor is opened", async () => {
    play.fifo("p");
    expect(await kind("p")).toBe("other");
    expect(await reading("p")).toBe("not_a_file");
    expect(await resolving("p/x")).toBe("not_a_directory");
  });

  it.skipIf(!posix)("a socket is not a file", async () => {
    const server = createServer().listen(join(play.ws, "s"));
    await new Promise((resolved) => server.once("listening", resolved));
    expect(await kind("s")).toBe("other");
    expect(await reading("s")).toBe("not_a_file");
    await new Promise((resolved) => server.close(resolved));
  });

  it("devices are not files (needs root to make them)", async (context) => {
    if (!linuxRoot) return context.skip("mknod needs root on Linux");
    if (spawnSync("mknod", [join(play.ws, "z"), "c", "1", "5"]).status !== 0)
      return context.skip("mknod is not allowed here");
    spawnSync("mknod", [join(play.ws, "b"), "b", "7", "0"]);
    for (const name of ["z", "b"]) {
      expect(await kind(name)).toBe("other");
      expect(await reading(name)).toBe("not_a_file");
    }
  });

  it("a directory is not a file, and the refusal says what to do", async () => {
    play.dir("d");
    await expect(backend.read(path("d"))).rejects.toThrow(
      "'d' is a directory, not a file. List it, or name a file inside it.",
    );
    expect(await reading("")).toBe("not_a_file");
  });

  it("a sparse file has the size it claims, known before a byte is read", async () => {
    play.sparse("big", 8 * 1024 ** 4);
    expect((await backend.resolve("big")).size).toBe(8 * 1024 ** 4);
    expect(await kindOf(() => backend.read(path("big"), { maxBytes: 1000 }))).toBe("file_too_large");
  });

  it("hard links are counted, also to files outside", async () => {
    play.file("$OUT/secret.txt", "SECRET");
    play.hardLink("$OUT/secret.txt", "h");
    expect(await backend.resolve("h")).toMatchObject({ kind: "file", hardLinks: 1 });
    await write(backend, "h", "written");
    expect(readFileSync(join(play.out, "secret.txt"), "utf8")).toBe("SECRET");
    expect((await backend.resolve("h")).hardLinks).toBe(0);
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

    it("of the kernel are outside, by any way in", async (context) => {
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
        expect(await resolving(raw), raw).toBe("outside_workspace");
      }
      for (const raw of ["proc/version", "environ", `proc/${process.pid}/environ`])
        expect(await reading(raw), raw).toBe("outside_workspace");
      for (const raw of ["proc/self/root/etc/passwd", "proc/self/cwd/package.json", "proc/self/fd/0"]) {
        expect(await resolving(raw), raw).toBe("outside_workspace");
        expect(["outside_workspace", "path_changed"], raw).toContain(await reading(raw));
      }
      const creating = () => backend.commit([change("proc/x", null, version("x"))], AUTHOR);
      expect(await kindOf(creating)).toBe("outside_workspace");
      expect(await kindOf(() => all(backend.list(path("proc"))))).toBe("outside_workspace");
      expect(await kindOf(() => disk({ root: join(play.ws, "proc") }))).toBe("unsupported");
    });

    it("of another disk are part of the workspace", async (context) => {
      play.dir("disk");
      if (!mount("-t", "tmpfs", "-o", "size=64k", "none", join(play.ws, "disk"))) {
        return context.skip("mounts are not allowed here");
      }
      writeFileSync(join(play.ws, "disk/x"), "there");
      expect(await backend.resolve("disk/x")).toMatchObject({ path: "disk/x", kind: "file", size: 5 });
      await write(backend, "disk/x", "here");
      expect(readFileSync(join(play.ws, "disk/x"), "utf8")).toBe("here");
      expect((await all(backend.list(path("disk")))).map((entry) => entry.name)).toEqual(["x"]);
    });
  });
});
