// The copy that is searched in lies in a cache: emptied, cut short or on a full disk, it changes no answer.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { openPool, type PostgresOptions, postgres } from "../../src/backends/postgres/index.ts";
import { type Backend, LINK_MODE, type Path } from "../../src/core/backend.ts";
import { startDeadline } from "../../src/core/deadline.ts";
import { versionOf } from "../../src/core/version.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { findFiles } from "../../src/search/find.ts";
import { grep } from "../../src/search/grep.ts";
import { AUTHOR, change, version, write } from "../../src/testing/assertions.ts";
import { withFault } from "../support/faults.ts";

const FILES = 60;
const NAMES = Array.from({ length: FILES }, (_, n) => `d${n % 5}/e${n % 7}/f${String(n).padStart(2, "0")}.txt`);
const root = "" as Path;

describe.skipIf(missingPostgres() !== undefined)("the copy of a workspace in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  const bases: string[] = [];
  let opened: Backend[] = [];
  afterEach(async () => {
    for (const backend of opened) await backend.close();
    opened = [];
  });
  afterAll(async () => {
    for (const base of bases) rmSync(base, { recursive: true, force: true });
    await pool.end();
    await server.remove();
  });

  function newBase(): string {
    const base = mkdtempSync(join(tmpdir(), "stet-mirror-"));
    bases.push(base);
    return base;
  }

  async function open(workspace: string, more: Partial<PostgresOptions>) {
    const backend = await postgres({ database: pool, workspace, ...more });
    opened.push(backend);
    return { backend, session: new Workspace(backend).session() };
  }
  type Session = Awaited<ReturnType<typeof open>>["session"];

  async function filled(workspace: string, more: Partial<PostgresOptions>) {
    const { backend, session } = await open(workspace, more);
    const changes = NAMES.map((name, n) => change(name, null, version(`${n}\nneedle\n`), true));
    await backend.commit(changes, AUTHOR);
    return { backend, session };
  }

  const count = async (session: Session, at = root) => {
    const { hits, engine } = await grep(session, { pattern: "needle", root: at, limit: 1000 });
    return { engine, hits: hits.length };
  };
  const found = async (session: Session) =>
    (await findFiles(session, { pattern: "**/*.txt", root, limit: 1000 })).files.length;

  function filesIn(base: string): string[] {
    // A copy that is being removed may go under it.
    const all = spawnSync("find", [base, "-type", "f", "-name", "*.txt"], { encoding: "utf8" }).stdout;
    return all.split("\n").filter(Boolean).sort();
  }

  it("without its files, and then without one of them, is made anew, and no match is missing", async () => {
    const base = newBase();
    const { session } = await filled("emptied", { mirror: base });
    expect(await count(session)).toEqual({ engine: "ripgrep", hits: FILES });
    spawnSync("find", [base, "-type", "f", "-delete"]);
    expect((await count(session)).hits).toBe(FILES);
    expect(await count(session)).toEqual({ engine: "ripgrep", hits: FILES });
    spawnSync("find", [base, "-type", "f", "-delete"]);
    expect(await found(session)).toBe(FILES);

    await count(session);
    const [one] = filesIn(base);
    rmSync(one!, { force: true });
    expect((await count(session)).hits).toBe(FILES);
    expect(await count(session)).toEqual({ engine: "ripgrep", hits: FILES });
  });

  it("cleaned by a program that gives directories their times back, it is made anew", async () => {
    const base = newBase();
    const { session } = await filled("cleaned", { mirror: base });
    await count(session);
    await pause(20);
    const [one] = filesIn(base);
    const { atime, mtime } = statSync(dirname(one!));
    rmSync(one!);
    utimesSync(dirname(one!), atime, mtime);
    expect((await count(session)).hits).toBe(FILES);
  });

  it("a file that is gone is missed also when its directory is changed by the next change, and in a part of the tree", async () => {
    const base = newBase();
    const { session, backend } = await filled("next", { mirror: base });
    await count(session);
    const gone = filesIn(base).find((file) => file.endsWith("/d0/e0/f00.txt"));
    rmSync(gone!);
    await write(backend, "d0/e0/more.txt", "needle\n");
    expect((await count(session)).hits).toBe(FILES + 1);
    await count(session);
    rmSync(filesIn(base).find((file) => file.endsWith("/d1/e1/f01.txt"))!);
    expect((await count(session, "d1/e1" as Path)).hits).toBe(2);
    expect((await count(session, "d1/e1/f01.txt" as Path)).hits).toBe(1);
  });

  it("removed again and again while searches run, it changes no answer", async () => {
    const base = newBase();
    const { session } = await filled("removed", { mirror: base });
    let isOver = false;
    const cleaner = (async () => {
      while (!isOver) {
        for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true, force: true });
        await pause(3);
      }
    })();
    try {
      for (let n = 0; n < 15; n++) {
        expect((await count(session)).hits).toBe(FILES);
        expect(await found(session)).toBe(FILES);
      }
    } finally {
      isOver = true;
      await cleaner;
    }
  });

  it.skipIf(!canMount())("on a disk that is full, or fills up, the database is searched", async () => {
    const base = newBase();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", base]);
    try {
      const { session, backend } = await open("full", { mirror: base });
      const text = `${"line\n".repeat(20_000)}needle\n`;
      await backend.commit(
        [change("a.txt", null, version(`needle\n${text}`)), change("b.txt", null, version(text))],
        AUTHOR,
      );
      expect(await count(session)).toEqual({ engine: "ripgrep", hits: 3 });
      await write(backend, "c.txt", `${text}2`);
      expect(await count(session)).toEqual({ engine: "javascript", hits: 4 });
      expect(await count(session)).toEqual({ engine: "javascript", hits: 4 });
      await backend.close();
    } finally {
      execFileSync("umount", ["-l", base]);
    }
  });

  it("whatever call to the disk fails, no answer is wrong", async () => {
    const hit = new Set<string>();
    for (let failAt = 1; failAt < 400; failAt += 23) {
      const { session, backend } = await (failAt === 1 ? filled : open)("faults", { mirror: newBase() });
      const { hit: at, result } = await withFault({ failAt, code: "ENOSPC", lasting: true }, () => count(session));
      if (at !== undefined) hit.add(at.split(" ")[0]!);
      expect(result).toMatchObject({ status: "fulfilled", value: { hits: FILES } });
      await backend.close();
    }
    expect(hit.size).toBeGreaterThan(2);
  });

  it("what is deleted where a link was, and made below it, is written to no other place", async () => {
    const base = newBase();
    const { session, backend } = await filled("link", { mirror: base });
    const link = versionOf([Buffer.from("d0")], LINK_MODE);
    await backend.commit([change("l", null, link)], AUTHOR);
    await write(backend, "files-leads-nowhere/a.txt", "needle\n");
    await count(session);
    await backend.commit([change("l", link.sha, null)], AUTHOR);
    await backend.commit([change("l/x.txt", null, version("needle\n"), true)], AUTHOR);
    expect((await count(session)).hits).toBe(FILES + 2);
    expect(filesIn(base).filter((file) => file.endsWith("x.txt"))).toEqual([
      expect.stringMatching(/\/files\/l\/x\.txt$/),
    ]);
  });

  it("has the directories that the database has, with their times", async () => {
    const base = newBase();
    const { backend } = await open("directories", {});
    const one = await write(backend, "empty/deep/a", "x\n");
    await backend.commit([change("empty/deep/a", one.sha, null)], AUTHOR);
    await write(backend, "b/a", "x\n");
    const { session } = await open("directories", { mirror: base });
    const { session: without } = await open("directories", {});
    const directories = async (each: Session) =>
      (await findFiles(each, { root, kind: "directory", order: "newest", limit: 10 })).files.map(
        ({ path, mtimeMs }) => `${path} ${Math.round(mtimeMs)}`,
      );
    expect(await directories(session)).toEqual(await directories(without));
    const two = await write(backend, "came/and/went", "x\n");
    await backend.commit([change("came/and/went", two.sha, null)], AUTHOR);
    await write(backend, "c/d/e", "x\n");
    expect(await directories(session)).toEqual(await directories(without));
    expect(await directories(session)).toHaveLength(7);
  });

  it("those searched longest ago go when all together are too large", async () => {
    const base = newBase();
    const most = { mirror: base, mirrorTotalBytes: 2 * FILES * 4096 + 3 * FILES * 10 };
    const all = [];
    for (const name of ["t1", "t2", "t3"]) all.push(await filled(name, most));
    const [one, two, three] = all.map(({ session }) => session);
    await count(one!);
    await count(two!);
    await count(one!);
    expect(filesIn(base)).toHaveLength(2 * FILES);
    expect(await count(three!)).toEqual({ engine: "ripgrep", hits: FILES });
    await expect.poll(() => filesIn(base).length).toBe(2 * FILES);
    const places = new Set(filesIn(base).map((file) => file.split("/files/")[0]));
    expect(await count(one!)).toEqual({ engine: "ripgrep", hits: FILES });
    expect(new Set(filesIn(base).map((file) => file.split("/files/")[0]))).toEqual(places);
    expect(await count(two!)).toEqual({ engine: "ripgrep", hits: FILES });
    const { session: tiny } = await open("t1", { mirror: newBase(), mirrorTotalBytes: 100 });
    expect(await count(tiny)).toEqual({ engine: "javascript", hits: FILES });
  });

  it("searches that take each other's room are answered all the same, and closing leaves nothing", async () => {
    const base = newBase();
    const most = { mirror: base, mirrorTotalBytes: FILES * 4096 + 2 * FILES * 10 };
    const all = [await filled("r1", most), await filled("r2", most), await filled("r3", most)];
    for (let n = 0; n < 10; n++) {
      const searches = all.map(async ({ session }, at) => {
        await pause(at * (n % 5));
        return (await count(session)).hits;
      });
      expect(await Promise.all(searches)).toEqual([FILES, FILES, FILES]);
    }
    await Promise.all(all.map(({ backend }) => backend.close()));
    for (let n = 0; n < 6; n++) {
      const { backend } = await open("r1", { mirror: base });
      const late = () => backend.searchable!(startDeadline(1)).catch(() => undefined);
      await late();
      await pause(n);
      await late();
      await backend.close();
    }
    await pause(200);
    expect(readdirSync(base)).toEqual([]);
  });

  it("one that is closed while the database is asked what is to be in it is not made afterwards", async () => {
    const base = newBase();
    const { backend } = await filled("closed", { mirror: base });
    const holder = await pool.connect();
    await holder.query("begin; lock table workspace in access exclusive mode");
    await backend.searchable!(startDeadline(1)).catch(() => undefined);
    await backend.close();
    await holder.query("rollback");
    holder.release();
    await pause(300);
    expect(readdirSync(base)).toEqual([]);
  });

  it("copies that no process has shown to be in use for minutes are removed, whatever their number; others are not", async () => {
    const base = newBase();
    const other = (name: string, minutesAgo: number): string => {
      const place = join(base, name);
      mkdirSync(place);
      const at = Date.now() / 1000 - 60 * minutesAgo;
      for (const file of ["in-use", "file"]) writeFileSync(join(place, file), "1");
      for (const each of [join(place, "in-use"), place]) utimesSync(each, at, at);
      return place;
    };
    const dead = other("stet-copies-aaaaaa", 6);
    const live = other("stet-copies-bbbbbb", 3);
    const strange = other("1-cccccc", 600);
    const { session } = await filled("beats", { mirror: base });
    await count(session);
    await expect.poll(() => existsSync(dead)).toBe(false);
    expect([live, strange].map((place) => readFileSync(join(place, "file"), "utf8"))).toEqual(["1", "1"]);
  });
});

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const place = mkdtempSync(join(tmpdir(), "stet-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", place], { stdio: "ignore" });
    execFileSync("umount", [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
