// What a raw path resolves to: canonical, inside, or refused with the right reason. For every way to open a directory.
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Resolved, ResolveOptions } from "stet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kindOf, type Playground, playground } from "./playground.ts";

export interface Resolver {
  resolve(raw: string, options?: ResolveOptions): Promise<Resolved>;
  close(): Promise<void>;
}

export function testResolution(name: string, open: (root: string) => Resolver): void {
  describe(`resolve, ${name}`, () => {
    let play: Playground;
    let root: Resolver;

    beforeEach(() => {
      play = playground();
      play.file("a.txt");
      play.file("d/e/f.txt", "deep");
      play.file("$OUT/secret.txt", "SECRET");
      root = open(play.ws);
    });
    afterEach(async () => {
      await root.close();
      play.remove();
    });

    const at = async (raw: string, options?: { link?: boolean }) => {
      const { path, kind } = await root.resolve(raw, options);
      return [path, kind];
    };
    const refusal = (raw: string) => kindOf(() => root.resolve(raw));

    it("finds files and directories by any spelling", async () => {
      expect(await at("a.txt")).toEqual(["a.txt", "file"]);
      expect(await at("./a.txt")).toEqual(["a.txt", "file"]);
      expect(await at("d//e/./f.txt")).toEqual(["d/e/f.txt", "file"]);
      expect(await at("d/../a.txt")).toEqual(["a.txt", "file"]);
      expect(await at("d/e/..")).toEqual(["d", "directory"]);
      expect(await at("d/e/")).toEqual(["d/e", "directory"]);
      expect(await at("d/.")).toEqual(["d", "directory"]);
      for (const self of [".", "./", "d/..", "d/e/../../."]) expect(await at(self)).toEqual(["", "directory"]);
    });

    it("reports size, time and other names of a file, and nothing of the like for the rest", async () => {
      play.hardLink("a.txt", "again.txt");
      const file = await root.resolve("a.txt");
      expect(file).toMatchObject({ size: 6, hardLinks: 1, throughLink: false });
      expect(file.mtimeMs).toBeGreaterThan(0);
      expect(await root.resolve("d")).toMatchObject({ size: 0, hardLinks: 0 });
      expect(await root.resolve("nope")).toEqual({
        path: "nope",
        kind: "absent",
        size: 0,
        mtimeMs: 0,
        hardLinks: 0,
        throughLink: false,
        via: [],
      });
    });

    it("takes absolute paths that lead inside and no others", async () => {
      expect(await at(`${play.ws}/d/e/f.txt`)).toEqual(["d/e/f.txt", "file"]);
      expect(await at(`//${play.ws}///a.txt`)).toEqual(["a.txt", "file"]);
      expect(await at(play.ws)).toEqual(["", "directory"]);
      expect(await refusal("/")).toBe("outside_workspace");
      expect(await refusal("/etc/passwd")).toBe("outside_workspace");
      expect(await refusal(play.base)).toBe("outside_workspace");
      expect(await refusal(`${play.ws}x`)).toBe("outside_workspace");
      expect(await refusal(`${play.ws}/../outside/secret.txt`)).toBe("outside_workspace");
    });

    it("refuses to leave, even to come back", async () => {
      expect(await refusal("..")).toBe("outside_workspace");
      expect(await refusal("../outside/secret.txt")).toBe("outside_workspace");
      expect(await refusal("../ws/a.txt")).toBe("outside_workspace");
      expect(await refusal(`${play.ws}/../ws/a.txt`)).toBe("outside_workspace");
      expect(await refusal("d/../../ws/a.txt")).toBe("outside_workspace");
      expect(await refusal("nope/../../outside/secret.txt")).toBe("outside_workspace");
    });

    it("says not_found to a way back out of nothing, as the kernel does", async () => {
      expect(await refusal("nope/../a.txt")).toBe("not_found");
      expect(await refusal("nope/")).toBe("not_found");
      expect(await refusal("d/nope/.")).toBe("not_found");
    });

    it("refuses a file used as a directory", async () => {
      for (const raw of ["a.txt/x", "a.txt/", "a.txt/.", "a.txt/..", "a.txt/../a.txt", "d/e/f.txt/g/h"]) {
        expect(await refusal(raw), raw).toBe("not_a_directory");
      }
    });

    it("puts the missing tail back", async () => {
      expect(await at("d/new/deep/x.txt")).toEqual(["d/new/deep/x.txt", "absent"]);
      expect(await at("d/e/../new.txt")).toEqual(["d/new.txt", "absent"]);
    });

    describe("links", () => {
      it("are followed inside, and the target is the canonical path", async () => {
        play.link("a.txt", "l");
        play.link("d", "ld");
        play.link("../../a.txt", "d/e/up");
        play.link("$WS/d/e", "abs");
        play.link("l", "l2");
        for (const raw of ["l", "l2", "d/e/up", "ld/e/up", "abs/up"]) {
          expect(await root.resolve(raw), raw).toMatchObject({ path: "a.txt", kind: "file", throughLink: true });
        }
        expect(await at("ld/e/f.txt")).toEqual(["d/e/f.txt", "file"]);
        expect(await at("abs/../../a.txt")).toEqual(["a.txt", "file"]);
        expect(await at("ld/")).toEqual(["d", "directory"]);
        expect(await at("ld/new.txt")).toEqual(["d/new.txt", "absent"]);
      });

      it("in the last place are left alone when asked, but not with a trailing slash", async () => {
        play.link("a.txt", "l");
        play.link("d", "ld");
        play.link("$OUT/secret.txt", "bad");
        play.link("ld", "ld2");
        expect(await root.resolve("l", { link: true })).toMatchObject({
          path: "l",
          kind: "link",
          size: 0,
          throughLink: false,
        });
        expect(await at("bad", { link: true })).toEqual(["bad", "link"]);
        expect(await at("ld/e", { link: true })).toEqual(["d/e", "directory"]);
        expect(await at("ld2/", { link: true })).toEqual(["d", "directory"]);
        expect(await at("a.txt", { link: true })).toEqual(["a.txt", "file"]);
      });

      it("that lead outside are refused, in any place and also when dangling", async () => {
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
        for (const raw of [
          "abs",
          "rel",
          "dir",
          "dir/",
          "dir/secret.txt",
          "dangling",
          "chain",
          "back",
          "magic",
          "dots",
        ]) {
          expect(await refusal(raw), raw).toBe("outside_workspace");
        }
        expect(await refusal("cwd/package.json")).toBe("outside_workspace");
        expect(await at("d/e/up/a.txt")).toEqual(["a.txt", "file"]);
        expect(await refusal("d/e/up/../outside/secret.txt")).toBe("outside_workspace");
      });

      it("that dangle inside name what a write would create", async () => {
        play.link("d/new.txt", "l");
        play.link("nodir/new.txt", "l2");
        play.link("l", "l3");
        expect(await root.resolve("l")).toMatchObject({ path: "d/new.txt", kind: "absent", throughLink: true });
        expect(await at("l2")).toEqual(["nodir/new.txt", "absent"]);
        expect(await at("l3")).toEqual(["d/new.txt", "absent"]);
        expect(await refusal("l/x")).toBe("ok");
        expect(await at("l/x")).toEqual(["d/new.txt/x", "absent"]);
      });

      it("with a trailing slash in the target need a directory", async () => {
        play.link("a.txt/", "l");
        play.link("d/", "ld");
        expect(await refusal("l")).toBe("not_a_directory");
        expect(await at("ld")).toEqual(["d", "directory"]);
      });

      it("are followed 40 times and not more", async () => {
        play.link("a.txt", "n1");
        for (let i = 2; i <= 41; i++) play.link(`n${i - 1}`, `n${i}`);
        expect(await at("n40")).toEqual(["a.txt", "file"]);
        expect(await refusal("n41")).toBe("symlink_loop");
        play.link("y", "x");
        play.link("x", "y");
        play.link(".", "d/self");
        expect(await refusal("x")).toBe("symlink_loop");
        expect(await refusal("x/z")).toBe("symlink_loop");
        expect(await at("d/self/self/self/e")).toEqual(["d/e", "directory"]);
      });

      it("to names that are not UTF-8 are refused, never guessed", async () => {
        symlinkSync(Buffer.from([0x61, 0xff]), join(play.ws, "l"));
        expect(await refusal("l")).toBe("invalid_path");
      });
    });

    describe("the root", () => {
      it("may be given through a link, and both spellings lead inside", async () => {
        const alias = join(play.base, "alias");
        symlinkSync(play.ws, alias);
        const through = open(alias);
        const found = async (raw: string) => (await through.resolve(raw)).path;
        expect(await found(`${alias}/a.txt`)).toBe("a.txt");
        expect(await found(`${play.ws}/a.txt`)).toBe("a.txt");
        play.link(`${alias}/d`, "via");
        expect(await found("via/e/f.txt")).toBe("d/e/f.txt");
        expect(await kindOf(() => found(`${alias}/../outside`))).toBe("outside_workspace");
        await through.close();
      });

      it("must be a directory that exists", async () => {
        expect(await kindOf(() => open(join(play.base, "nope")))).toBe("not_found");
        expect(await kindOf(() => open(join(play.ws, "a.txt")))).toBe("not_a_directory");
        expect(await kindOf(() => open(" "))).toBe("invalid_path");
      });
    });

    it.skipIf(process.platform !== "linux")("leaves no descriptor open", async () => {
      play.link("d/e", "l");
      const raws = ["a.txt", "d/e/f.txt", "l/f.txt", "l/../../a.txt", "a.txt/x", "d/nope/x", "../x", "d/e/../../../x"];
      for (const raw of raws) await refusal(raw);
      const before = readdirSync("/proc/self/fd").length;
      for (const raw of raws) await refusal(raw);
      expect(readdirSync("/proc/self/fd").length).toBe(before);
    });
  });
}
