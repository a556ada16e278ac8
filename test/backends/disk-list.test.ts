// Listing a directory: lossless names, links left alone, and no more work than the consumer asks for.
import { linkSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Backend, Listed } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { all, path } from "../support/assertions.ts";
import { kindOf, type Playground, playground } from "../support/playground.ts";

let play: Playground;
let backend: Backend;
beforeEach(() => {
  play = playground();
  backend = disk({ root: play.ws });
});
afterEach(async () => {
  await backend.close();
  play.remove();
});

describe("a directory", () => {
  const list = async (dir = ""): Promise<Record<string, Listed>> =>
    Object.fromEntries((await all(backend.list(path(dir)))).map((entry) => [entry.name, entry]));

  it("gives names, paths, kinds, sizes and times", async () => {
    play.file("d/a.txt", "12345");
    play.dir("d/sub");
    play.fifo("d/p");
    const entries = await list("d");
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
    expect((await list()).d).toMatchObject({ path: "d", kind: "directory" });
  });

  it("says nothing about the target of a link", async () => {
    play.file("$OUT/secret.txt", "x".repeat(4321));
    play.link("$OUT/secret.txt", "l");
    play.link("nowhere", "dangling");
    play.link(".", "self");
    const entries = await list();
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

  it("keeps odd names as they are, so that they can be used", async () => {
    for (const name of ["\x1b[2Jx", "a\u202etxt.exe", "e\u0301", "é", "back\\slash", "new\nline", "\ufffd"])
      play.file(name, name);
    for (const entry of Object.values(await list())) {
      expect(await backend.resolve(entry.name)).toMatchObject({ path: entry.path, kind: "file" });
    }
    expect(Object.keys(await list())).toHaveLength(7);
  });

  it.skipIf(process.platform !== "linux")(
    "shows names that are not UTF-8 escaped, with their bytes, out of reach",
    async () => {
      const names = [Buffer.from([0xff, 0xfe]), Buffer.from([0x61, 0x5c, 0xe9])];
      for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${play.ws}/`), name]), "1");
      const entries = await list();
      expect(Object.keys(entries).sort()).toEqual(["\\xff\\xfe", "a\\\\\\xe9"]);
      expect(entries["\\xff\\xfe"]).toMatchObject({ kind: "other", size: 0 });
      expect((await backend.resolve("\\xff\\xfe")).kind).toBe("absent");
    },
  );

  it("refuses what is not a directory", async () => {
    play.file("a.txt");
    play.link("$OUT", "l");
    const refusal = (dir: string) => kindOf(() => list(dir));
    expect(await refusal("a.txt")).toBe("not_a_directory");
    expect(await refusal("nope")).toBe("not_found");
    expect(await refusal("l")).toBe("path_changed");
    expect(await refusal("../outside")).toBe("invalid_path");
  });

  it("skips what vanishes while it is listing", async () => {
    for (let i = 0; i < 300; i++) play.file(`f${i}`);
    const seen: string[] = [];
    for await (const entry of backend.list(path(""))) {
      if (seen.push(entry.name) > 1) continue;
      for (const name of readdirSync(play.ws)) rmSync(join(play.ws, name));
    }
    expect(seen).toHaveLength(1);
  });
});

const ENTRIES = process.env.STET_HEAVY ? 100_000 : 4_000;

describe(`a directory with ${ENTRIES} entries`, () => {
  it.skipIf(process.platform !== "linux")("is read no further than asked, and nothing stays open", async () => {
    // Hard links, because they are quick to make and to remove; a file can have 65,000 at most.
    for (const name of ["many/a", "many/b"]) {
      play.file(name);
      for (let i = 1; i < ENTRIES / 2; i++) linkSync(join(play.ws, name), join(play.ws, `${name}${i}`));
    }
    const before = readdirSync("/proc/self/fd").length;
    const listing = backend.list(path("many"))[Symbol.asyncIterator]();
    const take = async (count: number) => {
      for (let i = 0; i < count; i++) if ((await listing.next()).done) expect.unreachable();
      return readPosition(join(play.ws, "many"));
    };
    const early = await take(10);
    expect(await take(ENTRIES / 2)).toBeGreaterThan(early);
    expect(readdirSync("/proc/self/fd").length).toBeGreaterThan(before);
    await listing.return!();
    expect(readdirSync("/proc/self/fd").length).toBe(before);
    expect(await all(backend.list(path("many")))).toHaveLength(ENTRIES);
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
