// Listing a directory: lossless names, links left alone, and no more work than the consumer asks for.
import { linkSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DiskListed, listDirectory } from "../../src/backends/disk/paths/list.ts";
import type { Root } from "../../src/backends/disk/paths/root.ts";
import { resolve } from "../../src/backends/disk/paths/walk.ts";
import type { Path } from "../../src/core/backend.ts";
import { kindOfRefusal, PINNINGS, type Playground, playground } from "./disk-playground.ts";

const path = (text: string) => text as Path;

describe.each(PINNINGS)("listDirectory, %s", (_name, pinning) => {
  let play: Playground;
  let root: Root;
  beforeEach(() => {
    play = playground();
    root = play.root(pinning);
  });
  afterEach(() => play.remove());

  const list = (dir = ""): Record<string, DiskListed> =>
    Object.fromEntries([...listDirectory(root, path(dir))].map((entry) => [entry.name, entry]));

  it("gives names, paths, kinds, sizes and times", () => {
    play.file("d/a.txt", "12345");
    play.dir("d/sub");
    play.fifo("d/p");
    const entries = list("d");
    expect(Object.keys(entries).sort()).toEqual(["a.txt", "p", "sub"]);
    expect(entries["a.txt"]).toEqual({
      name: "a.txt",
      path: "d/a.txt",
      kind: "file",
      size: 5,
      mtimeMs: lstatSync(join(play.ws, "d/a.txt")).mtimeMs,
    });
    expect(entries.sub).toMatchObject({ path: "d/sub", kind: "directory", size: 0 });
    expect(entries.p).toMatchObject({ kind: "other", size: 0 });
    expect(list().d).toMatchObject({ path: "d", kind: "directory" });
  });

  it("says nothing about the target of a link", () => {
    play.file("$OUT/secret.txt", "x".repeat(4321));
    play.link("$OUT/secret.txt", "l");
    play.link("nowhere", "dangling");
    play.link(".", "self");
    const entries = list();
    expect(entries.l).toEqual({
      name: "l",
      path: "l",
      kind: "link",
      size: 0,
      mtimeMs: lstatSync(join(play.ws, "l")).mtimeMs,
    });
    expect(entries.dangling?.kind).toBe("link");
    expect(entries.self?.kind).toBe("link");
  });

  it("keeps odd names as they are, so that they can be used", () => {
    for (const name of ["\x1b[2Jx", "a\u202etxt.exe", "e\u0301", "é", "back\\slash", "new\nline", "\ufffd"])
      play.file(name, name);
    for (const entry of Object.values(list())) {
      expect(entry.bytes).toBeUndefined();
      expect(resolve(root, entry.name)).toMatchObject({ path: entry.path, kind: "file" });
    }
    expect(Object.keys(list())).toHaveLength(7);
  });

  it.skipIf(process.platform !== "linux")(
    "shows names that are not UTF-8 escaped, with their bytes, out of reach",
    () => {
      const names = [Buffer.from([0xff, 0xfe]), Buffer.from([0x61, 0x5c, 0xe9])];
      for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${play.ws}/`), name]), "1");
      const entries = list();
      expect(Object.keys(entries).sort()).toEqual(["\\xff\\xfe", "a\\\\\\xe9"]);
      expect(entries["\\xff\\xfe"]).toMatchObject({ kind: "other", size: 0, bytes: names[0] });
      expect(resolve(root, "\\xff\\xfe").kind).toBe("absent");
    },
  );

  it("refuses what is not a directory", () => {
    play.file("a.txt");
    play.link("$OUT", "l");
    const refusal = (dir: string) => kindOfRefusal(() => list(dir));
    expect(refusal("a.txt")).toBe("not_a_directory");
    expect(refusal("nope")).toBe("not_found");
    expect(refusal("l")).toBe("path_changed");
    expect(refusal("../outside")).toBe("invalid_path");
  });

  it("skips what vanishes while it is listing", () => {
    for (let i = 0; i < 300; i++) play.file(`f${i}`);
    const seen: string[] = [];
    for (const entry of listDirectory(root, path(""))) {
      if (seen.push(entry.name) > 1) continue;
      for (const name of readdirSync(play.ws)) rmSync(join(play.ws, name));
    }
    expect(seen).toHaveLength(1);
  });
});

const ENTRIES = process.env.STET_HEAVY ? 100_000 : 10_000;

describe(`a directory with ${ENTRIES} entries`, () => {
  it.skipIf(process.platform !== "linux")("is read no further than asked, and nothing stays open", () => {
    const play = playground();
    try {
      // Hard links, because they are quick to make and to remove; a file can have 65,000 at most.
      for (const name of ["many/a", "many/b"]) {
        play.file(name);
        for (let i = 1; i < ENTRIES / 2; i++) linkSync(join(play.ws, name), join(play.ws, `${name}${i}`));
      }
      const root = play.root();
      const before = readdirSync("/proc/self/fd").length;
      const listing = listDirectory(root, path("many"));
      const take = (count: number) => {
        for (let i = 0; i < count; i++) if (listing.next().done) expect.unreachable();
        return readPosition(join(play.ws, "many"));
      };
      const early = take(10);
      expect(take(ENTRIES / 2)).toBeGreaterThan(early);
      expect(readdirSync("/proc/self/fd").length).toBeGreaterThan(before);
      listing.return();
      expect(readdirSync("/proc/self/fd").length).toBe(before);
      let whole = 0;
      for (const _entry of listDirectory(root, path("many"))) whole += 1;
      expect(whole).toBe(ENTRIES);
    } finally {
      play.remove();
    }
  });
});

/** How far this process has read in a directory that it has open for reading. */
function readPosition(directory: string): bigint {
  for (const fd of readdirSync("/proc/self/fd")) {
    const info = placeOf(fd) === directory ? readFileSync(`/proc/self/fdinfo/${fd}`, "utf8") : "";
    const position = BigInt(/^pos:\s+(\d+)/m.exec(info)?.[1] ?? 0);
    if (position > 0n) return position;
  }
  return 0n;
}

function placeOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}
