// Reaching the directory of a canonical path: no link is followed, missing directories are made one by one and taken back on failure.
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Path } from "stet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CREATE_ONLY, flushDirectory } from "../../../src/backends/disk/io.ts";
import { openRegular, placeOf, release, removeEmpty, withPlace } from "../../../src/backends/disk/paths/reach.ts";
import type { Root } from "../../../src/backends/disk/paths/root.ts";
import { resolve } from "../../../src/backends/disk/paths/walk.ts";
import { kindOfRefusal, PINNINGS, type Playground, playground } from "./disk-playground.ts";

const path = (text: string) => text as Path;

describe.each(PINNINGS)("withPlace, %s", (_name, pinning) => {
  let play: Playground;
  let root: Root;
  beforeEach(() => {
    play = playground();
    play.file("d/e/f.txt", "deep");
    play.file("a.txt");
    root = play.root(pinning);
  });
  afterEach(() => play.remove());

  const write = (to: string, text: string, createParents = false) => {
    const { dir, name, made } = placeOf(root, path(to), { createParents, sync: true });
    try {
      const fd = openSync(dir.at(".tmp"), CREATE_ONLY, 0o600);
      writeSync(fd, text);
      closeSync(fd);
      renameSync(dir.at(".tmp"), dir.at(name));
      flushDirectory(dir.self);
      return made;
    } finally {
      release(root, { dir });
    }
  };

  it("gives the pinned directory and the last name", () => {
    withPlace(root, path("d/e/f.txt"), ({ dir, name }) => {
      expect(name).toBe("f.txt");
      expect(readFileSync(dir.at(name), "utf8")).toBe("deep");
      expect(dir.dev).toBe(lstatSync(play.ws).dev);
      expect(dir.stat().ino).toBe(lstatSync(join(play.ws, "d/e")).ino);
    });
    expect(withPlace(root, path("a.txt"), ({ dir }) => dir === root.dir)).toBe(true);
    expect(write("d/e/f.txt", "new")).toEqual([]);
    expect(readFileSync(join(play.ws, "d/e/f.txt"), "utf8")).toBe("new");
  });

  it("names the missing parent unless it may make it", () => {
    expect(() => write("d/x/y/z.txt", "z")).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ kind: "not_found", details: { missing: "d/x" } }) }),
    );
    expect(write("d/x/y/z.txt", "z", true)).toEqual(["d/x", "d/x/y"]);
    expect(readFileSync(join(play.ws, "d/x/y/z.txt"), "utf8")).toBe("z");
  });

  it("takes back what it made when that is empty, and nothing that was there", () => {
    const made = write("p/q/r.txt", "r", true);
    removeEmpty(root, made);
    expect(existsSync(join(play.ws, "p/q/r.txt"))).toBe(true);
    rmSync(join(play.ws, "p/q/r.txt"));
    removeEmpty(root, made);
    expect(existsSync(join(play.ws, "p"))).toBe(false);
  });

  it("takes back the first directories when a later one cannot be made", () => {
    const bad = path(`p/${"q".repeat(256)}/s.txt`);
    expect(kindOfRefusal(() => placeOf(root, bad, { createParents: true }))).toBe("invalid_path");
    expect(existsSync(join(play.ws, "p"))).toBe(false);
  });

  it("refuses a link anywhere on the way: a canonical path has none", () => {
    play.link("d", "l");
    play.link("$OUT", "out");
    for (const to of ["l/e/f.txt", "out/x", "out/y/x"]) {
      expect(
        kindOfRefusal(() => write(to, "x", true)),
        to,
      ).toBe("path_changed");
      expect(
        kindOfRefusal(() => openRegular(root, path(to))),
        to,
      ).toBe("path_changed");
    }
    expect(readdirSync(play.out)).toEqual([]);
  });

  it("refuses files on the way, the root itself and forged paths", () => {
    expect(kindOfRefusal(() => write("a.txt/x", "x", true))).toBe("not_a_directory");
    expect(kindOfRefusal(() => openRegular(root, path("a.txt/x")))).toBe("not_a_directory");
    expect(kindOfRefusal(() => write("", "x"))).toBe("not_a_file");
    for (const forged of ["../outside/x", "d/../../outside/x", "/etc/x", "d//x"]) {
      expect(
        kindOfRefusal(() => write(forged, "x", true)),
        forged,
      ).toBe("invalid_path");
    }
  });

  it("does not follow a temporary name planted as a link", () => {
    play.link("$OUT/x", ".tmp");
    expect(() => write("a.txt", "x")).toThrow("EEXIST");
    expect(readdirSync(play.out)).toEqual([]);
  });

  it("meets a directory replaced by a link between resolving and opening", () => {
    const resolved = resolve(root, "d/e/f.txt");
    play.file("$OUT/e/f.txt", "SECRET");
    renameSync(join(play.ws, "d"), join(play.ws, "was-d"));
    symlinkSync(play.out, join(play.ws, "d"));
    expect(kindOfRefusal(() => openRegular(root, resolved.path))).toBe("path_changed");
    expect(kindOfRefusal(() => write(resolved.path, "x"))).toBe("path_changed");
    expect(readFileSync(join(play.out, "e/f.txt"), "utf8")).toBe("SECRET");
  });

  it.skipIf(pinning.races !== "closed")(
    "stays with a directory that is moved away while in use, wherever it goes",
    () => {
      // The owner of the directory took it along, so it is theirs to have; nothing that stays outside is touched.
      withPlace(root, path("d/e/new.txt"), ({ dir, name }) => {
        renameSync(join(play.ws, "d"), join(play.out, "d"));
        symlinkSync("/etc", join(play.ws, "d"));
        writeFileSync(dir.at(name), "x");
      });
      expect(readFileSync(join(play.out, "d/e/new.txt"), "utf8")).toBe("x");
      expect(kindOfRefusal(() => resolve(root, "d/e/f.txt"))).toBe("outside_workspace");
    },
  );

  it.skipIf(pinning.races !== "closed")("leaves no descriptor open", () => {
    const before = readdirSync("/proc/self/fd").length;
    for (const to of ["a.txt", "d/e/f.txt", "d/x/y", "a.txt/x", "d/e/nope"]) {
      kindOfRefusal(() => withPlace(root, path(to), () => 0));
      kindOfRefusal(() => {
        const file = openRegular(root, path(to));
        if (file !== null) closeSync(file.fd);
      });
    }
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  it("opens the file that was looked at", () => {
    const file = openRegular(root, path("d/e/f.txt"));
    expect(file).not.toBeNull();
    expect(fstatSync(file!.fd).ino).toBe(file!.stat.ino);
    expect(readFileSync(file!.fd, "utf8")).toBe("deep");
    closeSync(file!.fd);
    expect(openRegular(root, path("d/nope"))).toBeNull();
    expect(openRegular(root, path("nope/nope"))).toBeNull();
  });
});

describe.each(PINNINGS)("permissions, %s", (_name, pinning) => {
  it.skipIf(process.platform === "win32")("refused by the system are permission_denied", () => {
    const play = playground();
    try {
      play.file("locked/x");
      play.file("unreadable");
      play.mode("locked", 0);
      play.mode("unreadable", 0);
      for (const open of [play.base, play.ws]) play.mode(open, 0o755);
      const root = play.root(pinning);
      asNobody(() => {
        expect(kindOfRefusal(() => resolve(root, "locked/x"))).toBe("permission_denied");
        expect(kindOfRefusal(() => resolve(root, "locked/d/x"))).toBe("permission_denied");
        expect(kindOfRefusal(() => openRegular(root, path("locked/x")))).toBe("permission_denied");
        expect(kindOfRefusal(() => openRegular(root, path("unreadable")))).toBe("permission_denied");
        expect(kindOfRefusal(() => placeOf(root, path("p/x"), { createParents: true }))).toBe("permission_denied");
      });
      play.mode("locked", 0o755);
    } finally {
      play.remove();
    }
  });
});

/** Root may do anything, so a test of permissions has to be somebody else for a moment. */
function asNobody(run: () => void): void {
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    run();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
