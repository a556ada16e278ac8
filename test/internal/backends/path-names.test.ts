// Which strings can be paths, which names may be created, and how names are printed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Root } from "../../../src/backends/disk/paths/root.ts";
import { resolve } from "../../../src/backends/disk/paths/walk.ts";
import { checkNewNames, parsePath, parseTarget, relativeTo } from "../../../src/backends/paths.ts";
import { namesOf, splitPath } from "../../../src/core/paths.ts";
import { shown } from "../../../src/core/printable.ts";
import { kindOfRefusal, type Playground, playground } from "./disk-playground.ts";

const parse = (raw: string, platform: NodeJS.Platform) => kindOfRefusal(() => parsePath(raw, { platform }));

describe("on every platform", () => {
  it.each(["linux", "darwin", "win32"] as const)("%s refuses what cannot be a path", (platform) => {
    for (const raw of ["", " ", "\t\n", "\u00a0", "a\0b", "ok\0/../../etc/x", "a\ud800b", "\udc00", "d/\ud83d"]) {
      expect(parse(raw, platform), JSON.stringify(raw)).toBe("invalid_path");
    }
    expect(parse("a😀b", platform)).toBe("ok");
  });

  it("counts bytes, not characters", () => {
    expect(parse("é".repeat(127), "linux")).toBe("ok");
    expect(parse("é".repeat(128), "linux")).toBe("invalid_path");
    expect(parse(`d/${"x".repeat(255)}/y`, "linux")).toBe("ok");
    expect(parse(`d/${"x".repeat(256)}/y`, "linux")).toBe("invalid_path");
    expect(parse("ab/".repeat(1365), "linux")).toBe("ok");
    expect(parse("ab/".repeat(1366), "linux")).toBe("invalid_path");
  });

  it("takes everything else literally", () => {
    for (const raw of ["..%2fx", "%252e%252e/x", "$HOME/x", "~/x", "é", "e\u0301", "a b", "-rf", "*?"]) {
      expect(splitPath(raw, "linux").names.join("/")).toBe(raw);
    }
  });

  it("knows a trailing slash or dot", () => {
    expect(splitPath("a/b")).toEqual({ absolute: false, names: ["a", "b"], directory: false });
    expect(splitPath("/a/./b//")).toEqual({ absolute: true, names: ["a", "b"], directory: true });
    expect(splitPath("a/.")).toEqual({ absolute: false, names: ["a"], directory: true });
    expect(splitPath("a/..")).toEqual({ absolute: false, names: ["a", ".."], directory: true });
  });

  it("lets no forged canonical path name a parent", () => {
    expect(namesOf("")).toEqual([]);
    expect(namesOf("a/b")).toEqual(["a", "b"]);
    for (const path of ["../x", "a/../x", "a//b", "/a", "a/", "./a", ".", "..", "a\0b"]) {
      expect(
        kindOfRefusal(() => namesOf(path)),
        path,
      ).toBe("invalid_path");
    }
  });

  it("prints names so that they cannot disturb a terminal or the text around them", () => {
    expect(shown("plain é 😀.txt")).toBe("'plain é 😀.txt'");
    expect(shown("\x1b[2Jx")).toBe("'\\u{1b}[2Jx'");
    expect(shown("a\u202etxt.exe")).toBe("'a\\u{202e}txt.exe'");
    expect(shown("a\nb\u2028c\u200bd\ud800")).toBe("'a\\u{a}b\\u{2028}c\\u{200b}d\\u{d800}'");
    expect(shown("x".repeat(5000)).length).toBeLessThan(210);
  });
});

describe("names to be created", () => {
  const create = (raw: string) => kindOfRefusal(() => checkNewNames(raw, splitPath(raw, "linux").names, "linux"));

  it("may not hold control characters, be white space, or come from another world", () => {
    for (const raw of [
      "a\nb",
      "d/\x1b[2J",
      "\x7f",
      "a\u0085b",
      "d/ /x",
      "C:\\Windows\\x",
      "c:/x",
      "\\\\host\\share",
      "file:///x",
    ]) {
      expect(create(raw), JSON.stringify(raw)).toBe("invalid_path");
    }
    for (const raw of [
      "a b",
      " a",
      "..\\outside\\x",
      "a:b",
      "C:",
      "x\u2028y",
      "a\u202etxt",
      ".e\u200bnv",
      'x","op":"y',
      "--pre=sh",
    ]) {
      expect(create(raw), JSON.stringify(raw)).toBe("ok");
    }
  });

  let play: Playground;
  let root: Root;
  beforeEach(() => {
    play = playground();
    root = play.root();
  });
  afterEach(() => play.remove());

  it.skipIf(process.platform === "win32")("may still be read where they exist", () => {
    for (const name of ["a\nb", "\x1b[2Jx", "C:\\Windows\\x", "..\\outside\\x"]) {
      expect(
        kindOfRefusal(() => resolve(root, name)),
        JSON.stringify(name),
      ).toBe(name.startsWith("..") ? "ok" : "invalid_path");
      writeFileSync(join(play.ws, name), "x");
      expect(resolve(root, name)).toMatchObject({ path: name, kind: "file" });
    }
  });

  it("are checked behind a dangling link too", () => {
    play.link("d/a\nb", "l");
    expect(kindOfRefusal(() => resolve(root, "l"))).toBe("invalid_path");
  });

  it.skipIf(process.platform !== "linux")("are bytes: two spellings of é are two files", () => {
    play.file("é.txt", "A");
    expect(resolve(root, "é.txt").kind).toBe("file");
    expect(resolve(root, "e\u0301.txt").kind).toBe("absent");
  });

  it.skipIf(process.platform === "win32")("give the refusal an escaped message and the raw path", () => {
    try {
      resolve(root, "a\x1b[2Jb");
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ failure: { kind: "invalid_path", path: "a\x1b[2Jb", recoverable: true } });
      expect((error as Error).message).not.toContain("\x1b");
    }
  });
});

describe("on Windows", () => {
  it("refuses the network and devices before touching them", () => {
    for (const raw of [
      "\\\\evil\\share\\x",
      "//evil/share/x",
      "\\\\.\\PhysicalDrive0",
      "\\\\?\\C:\\Windows\\win.ini",
      "\\/x/y",
    ]) {
      expect(parse(raw, "win32"), raw).toBe("outside_workspace");
    }
  });

  it("refuses names that Windows reads differently than they are written", () => {
    const names = [
      "C:secret.txt",
      "a.txt:hidden",
      ".git::$INDEX_ALLOCATION/config",
      ".git /config",
      ".git./config",
      "x.",
    ];
    const devices = ["nul", "CON", "aux.txt", "com1", "LPT9.log", "com¹", "CONIN$", "d\\prn"];
    for (const raw of [...names, ...devices, "a<b", "a|b", 'a"b', "a?b", "a*b", "a\x01b"]) {
      expect(parse(raw, "win32"), raw).toBe("invalid_path");
    }
    for (const raw of [
      "console.log",
      "a.b.c",
      "d\\e\\f.txt",
      "..\\x",
      ".",
      "C:\\ws\\a.txt",
      "C:/ws/a.txt",
      "com10",
      "null",
    ]) {
      expect(parse(raw, "win32"), raw).toBe("ok");
    }
  });

  it("holds the targets of links to the same rules", () => {
    expect(kindOfRefusal(() => parseTarget("a.txt:hidden", "l", "win32"))).toBe("invalid_path");
    expect(kindOfRefusal(() => parseTarget("a.txt:hidden", "l", "linux"))).toBe("ok");
  });

  it("splits on both slashes and keeps the drive as the first name", () => {
    expect(splitPath("C:\\ws\\d/f.txt", "win32")).toEqual({
      absolute: true,
      names: ["C:", "ws", "d", "f.txt"],
      directory: false,
    });
    expect(splitPath("d\\e\\", "win32")).toEqual({ absolute: false, names: ["d", "e"], directory: true });
    expect(splitPath("d\\e", "linux").names).toEqual(["d\\e"]);
  });
});

it("macOS resource forks are not paths", () => {
  expect(parse("a.txt/..namedfork/rsrc", "darwin")).toBe("invalid_path");
  expect(parse("a.txt/..namedfork/rsrc", "linux")).toBe("ok");
});

describe("absolute paths and globs, relative to the root that they lie in", () => {
  const on = (platform: NodeJS.Platform, ...roots: string[]) => {
    const spellings = roots.map((root) => splitPath(root, platform).names);
    return (raw: string) => relativeTo(spellings, raw, platform);
  };

  it.each([
    ["/home/me/app/src/a.ts", "src/a.ts"],
    ["/home/me/app", "."],
    ["/home/me/app/", "."],
    ["//home//me/./app//src/", "src/"],
    ["/home/me/app/src/../a.ts", "src/../a.ts"],
    ["/link/a.ts", "a.ts"],
    ["/home/me/app/**/*.ts", "**/*.ts"],
    ["/home/me/app2/a.ts", undefined],
    ["/home/me/ap", undefined],
    ["/home/me", undefined],
    ["/home/me/App/a.ts", undefined],
    ["src/a.ts", undefined],
    ["home/me/app/a.ts", undefined],
    ["", undefined],
  ])("%s is %s", (raw, relative) => {
    expect(on("linux", "/home/me/app", "/link")(raw)).toBe(relative);
  });

  it.each([
    ["C:\\Users\\me\\app\\src\\a.ts", "src/a.ts"],
    ["c:\\users\\ME\\APP\\src\\A.ts", "src/A.ts"],
    ["C:/Users/me/app/src/a.ts", "src/a.ts"],
    ["C:\\Users/me\\app/src\\", "src/"],
    ["C:\\Users\\me\\app", "."],
    ["C:\\Users\\me\\app\\sub\\..\\a.ts", "sub/../a.ts"],
    ["C:\\Users\\me\\app2\\a.ts", undefined],
    ["D:\\Users\\me\\app\\a.ts", undefined],
    ["C:Users\\me\\app\\a.ts", undefined],
    ["\\Users\\me\\app\\a.ts", undefined],
    ["\\\\?\\C:\\Users\\me\\app\\a.ts", undefined],
    ["src\\a.ts", undefined],
  ])("on Windows %s is %s", (raw, relative) => {
    expect(on("win32", "C:\\Users\\me\\app")(raw)).toBe(relative);
  });

  it("the whole of a drive, or of everything", () => {
    expect(on("win32", "C:\\")("C:\\x\\a.ts")).toBe("x/a.ts");
    expect(on("linux", "/")("/x/a.ts")).toBe("x/a.ts");
    expect(on("linux", "/")("x/a.ts")).toBeUndefined();
  });
});
