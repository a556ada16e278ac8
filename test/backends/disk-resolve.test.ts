// What a raw path resolves to: canonical, inside, or refused with the right reason.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRegular, readLink } from "../../src/backends/disk/paths/open.ts";
import { openRoot, type Root } from "../../src/backends/disk/paths/root.ts";
import { resolve } from "../../src/backends/disk/paths/walk.ts";
import { kindOfRefusal, PINNINGS, type Playground, playground } from "./disk-playground.ts";

describe.each(PINNINGS)("resolve, %s", (_name, pinning) => {
  let play: Playground;
  let root: Root;

  beforeEach(() => {
    play = playground();
    play.file("a.txt");
    play.file("d/e/f.txt", "deep");
    play.file("$OUT/secret.txt", "SECRET");
    root = play.root(pinning);
  });
  afterEach(() => play.remove());

  const at = (raw: string, options?: { link?: boolean }) => {
    const { path, kind } = resolve(root, raw, options);
    return [path, kind];
  };
  const refusal = (raw: string) => kindOfRefusal(() => resolve(root, raw));

  it("finds files and directories by any spelling", () => {
    expect(at("a.txt")).toEqual(["a.txt", "file"]);
    expect(at("./a.txt")).toEqual(["a.txt", "file"]);
    expect(at("d//e/./f.txt")).toEqual(["d/e/f.txt", "file"]);
    expect(at("d/../a.txt")).toEqual(["a.txt", "file"]);
    expect(at("d/e/..")).toEqual(["d", "directory"]);
    expect(at("d/e/")).toEqual(["d/e", "directory"]);
    expect(at("d/.")).toEqual(["d", "directory"]);
    for (const self of [".", "./", "d/..", "d/e/../../."]) expect(at(self)).toEqual(["", "directory"]);
  });

  it("reports size, time and other names of a file, and nothing of the like for the rest", () => {
    play.hardLink("a.txt", "again.txt");
    const file = resolve(root, "a.txt");
    expect(file).toMatchObject({ size: 6, hardLinks: 1, throughLink: false });
    expect(file.mtimeMs).toBeGreaterThan(0);
    expect(resolve(root, "d")).toMatchObject({ size: 0, hardLinks: 0 });
    expect(resolve(root, "nope")).toEqual({
      path: "nope",
      kind: "absent",
      size: 0,
      mtimeMs: 0,
      hardLinks: 0,
      throughLink: false,
      via: [],
    });
  });

  it("takes absolute paths that lead inside and no others", () => {
    expect(at(`${play.ws}/d/e/f.txt`)).toEqual(["d/e/f.txt", "file"]);
    expect(at(`//${play.ws}///a.txt`)).toEqual(["a.txt", "file"]);
    expect(at(play.ws)).toEqual(["", "directory"]);
    expect(refusal("/")).toBe("outside_workspace");
    expect(refusal("/etc/passwd")).toBe("outside_workspace");
    expect(refusal(play.base)).toBe("outside_workspace");
    expect(refusal(`${play.ws}x`)).toBe("outside_workspace");
    expect(refusal(`${play.ws}/../outside/secret.txt`)).toBe("outside_workspace");
  });

  it("refuses to leave, even to come back", () => {
    expect(refusal("..")).toBe("outside_workspace");
    expect(refusal("../outside/secret.txt")).toBe("outside_workspace");
    expect(refusal("../ws/a.txt")).toBe("outside_workspace");
    expect(refusal(`${play.ws}/../ws/a.txt`)).toBe("outside_workspace");
    expect(refusal("d/../../ws/a.txt")).toBe("outside_workspace");
    expect(refusal("nope/../../outside/secret.txt")).toBe("outside_workspace");
  });

  it("says not_found to a way back out of nothing, as the kernel does", () => {
    expect(refusal("nope/../a.txt")).toBe("not_found");
    expect(refusal("nope/")).toBe("not_found");
    expect(refusal("d/nope/.")).toBe("not_found");
  });

  it("refuses a file used as a directory", () => {
    for (const raw of ["a.txt/x", "a.txt/", "a.txt/.", "a.txt/..", "a.txt/../a.txt", "d/e/f.txt/g/h"]) {
      expect(refusal(raw), raw).toBe("not_a_directory");
    }
  });

  it("puts the missing tail back", () => {
    expect(at("d/new/deep/x.txt")).toEqual(["d/new/deep/x.txt", "absent"]);
    expect(at("d/e/../new.txt")).toEqual(["d/new.txt", "absent"]);
  });

  describe("links", () => {
    it("are followed inside, and the target is the canonical path", () => {
      play.link("a.txt", "l");
      play.link("d", "ld");
      play.link("../../a.txt", "d/e/up");
      play.link("$WS/d/e", "abs");
      play.link("l", "l2");
      for (const raw of ["l", "l2", "d/e/up", "ld/e/up", "abs/up"]) {
        expect(resolve(root, raw), raw).toMatchObject({ path: "a.txt", kind: "file", throughLink: true });
      }
      expect(at("ld/e/f.txt")).toEqual(["d/e/f.txt", "file"]);
      expect(at("abs/../../a.txt")).toEqual(["a.txt", "file"]);
      expect(at("ld/")).toEqual(["d", "directory"]);
      expect(at("ld/new.txt")).toEqual(["d/new.txt", "absent"]);
    });

    it("in the last place are left alone when asked, but not with a trailing slash", () => {
      play.link("a.txt", "l");
      play.link("d", "ld");
      play.link("$OUT/secret.txt", "bad");
      play.link("ld", "ld2");
      expect(resolve(root, "l", { link: true })).toMatchObject({
        path: "l",
        kind: "link",
        size: 0,
        throughLink: false,
      });
      expect(at("bad", { link: true })).toEqual(["bad", "link"]);
      expect(at("ld/e", { link: true })).toEqual(["d/e", "directory"]);
      expect(at("ld2/", { link: true })).toEqual(["d", "directory"]);
      expect(at("a.txt", { link: true })).toEqual(["a.txt", "file"]);
      const { path } = resolve(root, "bad", { link: true });
      expect(readLink(root, path)?.toString()).toBe(`${play.out}/secret.txt`);
      expect(kindOfRefusal(() => openRegular(root, path))).toBe("path_changed");
      expect(kindOfRefusal(() => readLink(root, resolve(root, "a.txt").path))).toBe("path_changed");
      expect(readLink(root, resolve(root, "nope").path)).toBeNull();
    });

    it("that lead outside are refused, in any place and also when dangling", () => {
      play.link("$OUT/secret.txt", "abs");
      play.link("../outside/secret.txt", "rel");
      play.link("$OUT", "dir");
      play.link("$OUT/new.txt", "dangling");
      play.link("abs", "chain");
      play.link("../ws/a.txt", "back");
      play.link("/proc/self/root/etc/passwd", "magic");
      play.link("/proc/self/cwd", "cwd");
      play.link("$WS/../outside/secret.txt", "dots");
      play.link("../..", "d/e/up");
      for (const raw of ["abs", "rel", "dir", "dir/", "dir/secret.txt", "dangling", "chain", "back", "magic", "dots"]) {
        expect(refusal(raw), raw).toBe("outside_workspace");
      }
      expect(refusal("cwd/package.json")).toBe("outside_workspace");
      expect(at("d/e/up/a.txt")).toEqual(["a.txt", "file"]);
      expect(refusal("d/e/up/../outside/secret.txt")).toBe("outside_workspace");
    });

    it("that dangle inside name what a write would create", () => {
      play.link("d/new.txt", "l");
      play.link("nodir/new.txt", "l2");
      play.link("l", "l3");
      expect(resolve(root, "l")).toMatchObject({ path: "d/new.txt", kind: "absent", throughLink: true });
      expect(at("l2")).toEqual(["nodir/new.txt", "absent"]);
      expect(at("l3")).toEqual(["d/new.txt", "absent"]);
      expect(refusal("l/x")).toBe("ok");
      expect(at("l/x")).toEqual(["d/new.txt/x", "absent"]);
    });

    it("with a trailing slash in the target need a directory", () => {
      play.link("a.txt/", "l");
      play.link("d/", "ld");
      expect(refusal("l")).toBe("not_a_directory");
      expect(at("ld")).toEqual(["d", "directory"]);
    });

    it("are followed 40 times and not more", () => {
      play.link("a.txt", "n1");
      for (let i = 2; i <= 41; i++) play.link(`n${i - 1}`, `n${i}`);
      expect(at("n40")).toEqual(["a.txt", "file"]);
      expect(refusal("n41")).toBe("symlink_loop");
      play.link("y", "x");
      play.link("x", "y");
      play.link(".", "d/self");
      expect(refusal("x")).toBe("symlink_loop");
      expect(refusal("x/z")).toBe("symlink_loop");
      expect(at("d/self/self/self/e")).toEqual(["d/e", "directory"]);
    });

    it("to names that are not UTF-8 are refused, never guessed", () => {
      symlinkSync(Buffer.from([0x61, 0xff]), join(play.ws, "l"));
      expect(refusal("l")).toBe("invalid_path");
    });
  });

  describe("the root", () => {
    it("may be given through a link, and both spellings lead inside", () => {
      const alias = join(play.base, "alias");
      symlinkSync(play.ws, alias);
      const through = openRoot(alias, { pinning });
      expect(through.path).toBe(play.ws);
      expect(resolve(through, `${alias}/a.txt`).path).toBe("a.txt");
      expect(resolve(through, `${play.ws}/a.txt`).path).toBe("a.txt");
      play.link(`${alias}/d`, "via");
      expect(resolve(through, "via/e/f.txt").path).toBe("d/e/f.txt");
      expect(kindOfRefusal(() => resolve(through, `${alias}/../outside`))).toBe("outside_workspace");
      through.close();
    });

    it("must be a directory that exists", () => {
      expect(kindOfRefusal(() => openRoot(join(play.base, "nope"), { pinning }))).toBe("not_found");
      expect(kindOfRefusal(() => openRoot(join(play.ws, "a.txt"), { pinning }))).toBe("not_a_directory");
      expect(kindOfRefusal(() => openRoot(" ", { pinning }))).toBe("invalid_path");
    });

    it("may be /", () => {
      const top = openRoot("/", { pinning });
      const other = realpathSync(mkdtempSync(join(tmpdir(), "stet-top-")));
      writeFileSync(join(other, "x"), "");
      expect(resolve(top, join(other, "x")).path).toBe(join(other, "x").slice(1));
      expect(kindOfRefusal(() => resolve(top, ".."))).toBe("outside_workspace");
      rmSync(other, { recursive: true });
      top.close();
    });

    it.skipIf(pinning.races !== "closed")("stays the same directory when its name is given to another", () => {
      renameSync(play.ws, join(play.base, "moved"));
      symlinkSync(play.out, play.ws);
      expect(at("secret.txt")).toEqual(["secret.txt", "absent"]);
      expect(at("a.txt")).toEqual(["a.txt", "file"]);
      rmSync(play.ws);
      mkdirSync(play.ws);
    });
  });

  it.skipIf(pinning.races !== "closed")("leaves no descriptor open", async () => {
    const { readdirSync } = await import("node:fs");
    play.link("d/e", "l");
    const before = readdirSync("/proc/self/fd").length;
    for (const raw of [
      "a.txt",
      "d/e/f.txt",
      "l/f.txt",
      "l/../../a.txt",
      "a.txt/x",
      "d/nope/x",
      "../x",
      "d/e/../../../x",
    ]) {
      kindOfRefusal(() => resolve(root, raw));
    }
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });
});
