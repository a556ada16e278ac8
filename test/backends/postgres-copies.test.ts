// Searching a workspace in a database, with a copy of its files on the disk of the server: the same answers with it and without, always of the newest files, whatever becomes of the copy.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LINK_MODE, type Path, type Session, versionOf, Workspace } from "stet";
import type { PostgresOptions } from "stet/backends/postgres";
import { findFiles, grep } from "stet/search";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { AUTHOR, change, refuses, version, write } from "../support/assertions.ts";
import { testDatabase } from "../support/database.ts";
import { withFault } from "../support/faults.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const FILES = 30;
const NAMES = Array.from({ length: FILES }, (_, n) => `d${n % 5}/e${n % 7}/f${String(n).padStart(2, "0")}.txt`);
const root = "" as Path;

describe.skipIf(missingPostgres() !== undefined)("search in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await testDatabase();

  async function open(workspace: string, more: Partial<PostgresOptions>) {
    const backend = await database.open(workspace, more);
    return { backend, session: new Workspace(backend).session() };
  }
  /** With a needle in every file. */
  async function filled(workspace: string, more: Partial<PostgresOptions> = {}) {
    const opened = await open(workspace, more);
    const changes = NAMES.map((name, n) => change(name, null, version(`${n}\nneedle\n`), true));
    await opened.backend.commit(changes, AUTHOR);
    return opened;
  }

  const hits = async (session: Session, pattern: string, at = root) => {
    const { hits: found, engine } = await grep(session, { pattern, root: at, limit: 1000 });
    return { engine, found: found.map(({ path, line }) => `${path}:${line}`) };
  };
  const count = async (session: Session, at = root) => {
    const { engine, found } = await hits(session, "needle", at);
    return { engine, hits: found.length };
  };
  const names = async (session: Session, pattern = "**/*.txt") =>
    (await findFiles(session, { pattern, root, limit: 1000, order: "newest" })).files.map(({ path }) => path);
  // A copy that is being removed may go under it.
  const filesIn = (base: string): string[] =>
    spawnSync("find", [base, "-type", "f", "-name", "*.txt"], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  const WHOLE = { engine: "ripgrep", hits: FILES };

  it("finds what is there now: created, changed, moved and deleted by any server", async () => {
    const [{ session, backend }, { session: other }] = [
      await open("now", { mirror: tempDir() }),
      await open("now", {}),
    ];
    await write(backend, "src/a.ts", "one\nneedle a\n");
    await write(backend, "src/deep/b.ts", "needle b\n");
    await write(backend, ".gitignore", "ignored\n");
    await write(backend, "ignored", "needle\n");
    expect(await hits(session, "needle")).toEqual({ engine: "ripgrep", found: ["src/a.ts:2", "src/deep/b.ts:1"] });
    await other.read("src/a.ts");
    await other.write("src/a.ts", "needle a\n");
    await other.read("src/deep/b.ts");
    await other.move("src/deep/b.ts", "c.ts");
    expect((await hits(session, "needle")).found).toEqual(["c.ts:1", "src/a.ts:1"]);
    await other.delete("src/a.ts");
    expect((await hits(session, "needle")).found).toEqual(["c.ts:1"]);
    expect(await names(session, "**/*.ts")).toEqual(["c.ts"]);
    const before = hits(session, "needle");
    await write(backend, "new", "needle\n");
    expect((await hits(session, "needle")).found).toEqual(["c.ts:1", "new:1"]);
    await before;
  });

  it("answers alike with a copy, without one, and where the workspace is too large for one", async () => {
    const ways = [{ mirror: tempDir() }, {}, { mirror: tempDir(), mirrorBytes: 10 }];
    const [{ session, backend }, ...others] = [
      await open("alike", ways[0]!),
      await open("alike", ways[1]!),
      await open("alike", ways[2]!),
    ] as const;
    for (let n = 0; n < 12; n++) await write(backend, `d${n % 4}/f${n}.txt`, `line\nword ${n % 3} here\n`);
    await write(backend, "large.txt", `${"x\n".repeat(40_000)}word 1\n`);
    await write(backend, "empty.txt", "");
    for (const pattern of ["word 1", "wor. [02]", "nothing"]) {
      const { engine, found } = await hits(session, pattern);
      expect(engine).toBe("ripgrep");
      for (const other of others) expect(await hits(other.session, pattern)).toEqual({ engine: "javascript", found });
    }
    for (const other of others)
      expect(await names(other.session, "d1/*.txt")).toEqual(await names(session, "d1/*.txt"));
    expect(await names(session, "d1/*.txt")).toEqual(["d1/f9.txt", "d1/f5.txt", "d1/f1.txt"]);
    const one = await write(backend, "came/and/went", "x\n");
    await backend.commit([change("came/and/went", one.sha, null)], AUTHOR);
    const directories = async (each: Session) =>
      (await findFiles(each, { root, kind: "directory", order: "newest", limit: 10 })).files.map(
        ({ path, mtimeMs }) => `${path} ${Math.round(mtimeMs)}`,
      );
    expect(await directories(session)).toEqual(await directories(others[0].session));
  });

  it("more files than the database tells at once are all there: listed, kept, searched, verified", async () => {
    const many = Array.from({ length: 5_020 }, (_, n) => `f${String(n).padStart(5, "0")}`);
    const { backend, session } = await open("pages", HEAVY ? { mirror: tempDir() } : {});
    const changes = many.map((name) => change(name, null, version(`of ${name}\n`)));
    await backend.commit(changes, AUTHOR);
    const shas = changes.map(({ to }) => to!.sha);
    const listed: string[] = [];
    for await (const { name } of backend.list(root)) listed.push(name);
    expect(listed).toEqual(many);
    const kept: string[] = [];
    for await (const { sha } of backend.kept()) kept.push(sha);
    expect(kept.toSorted()).toEqual(shas.toSorted());
    expect((await hits(session, "of f0501.$")).found).toEqual(many.slice(5010).map((name) => `${name}:1`));
    const last = shas.toSorted().at(-1)!;
    const text = "update blob set bytes = 'x' where sha = $1";
    await database.pool.query({ text, values: [Buffer.from(last, "hex")] });
    expect((await backend.verify()).problems).toEqual([
      { seq: expect.anything(), problem: expect.stringContaining(many[shas.indexOf(last)]!) },
    ]);
  });

  it("a copy without its files, or without one of them, is made anew, and no match is missing", async () => {
    const base = tempDir();
    const { session, backend } = await filled("emptied", { mirror: base });
    expect(await count(session)).toEqual(WHOLE);
    for (const name of readdirSync(base)) expect(statSync(join(base, name)).mode & 0o077).toBe(0);
    for (const remove of [
      () => spawnSync("find", [base, "-type", "f", "-delete"]),
      () => readdirSync(base).map((name) => rmSync(join(base, name), { recursive: true })),
      () => rmSync(filesIn(base)[0]!),
      () => {
        const [one] = filesIn(base);
        const { atime, mtime } = statSync(dirname(one!));
        rmSync(one!);
        utimesSync(dirname(one!), atime, mtime);
      },
    ]) {
      remove();
      expect((await count(session)).hits).toBe(FILES);
      expect(await names(session)).toHaveLength(FILES);
      expect(await count(session)).toEqual(WHOLE);
    }
    rmSync(filesIn(base).find((file) => file.endsWith("/d0/e0/f00.txt"))!);
    await write(backend, "d0/e0/more.txt", "needle\n");
    expect((await count(session)).hits).toBe(FILES + 1);
    await expect.poll(() => count(session)).toMatchObject({ engine: "ripgrep" });
    rmSync(filesIn(base).find((file) => file.endsWith("/d1/e1/f01.txt"))!);
    expect((await count(session, "d1/e1" as Path)).hits).toBe(1);
  });

  it("a copy that is removed again and again while searches run changes no answer", async () => {
    const base = tempDir();
    const { session } = await filled("removed", { mirror: base });
    let isOver = false;
    const cleaner = (async () => {
      while (!isOver) {
        for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true, force: true });
        await pause(3);
      }
    })();
    try {
      for (let n = 0; n < (HEAVY ? 30 : 3); n++) {
        expect((await count(session)).hits).toBe(FILES);
        expect(await names(session)).toHaveLength(FILES);
      }
    } finally {
      isOver = true;
      await cleaner;
    }
  });

  it("whatever call to the disk fails, no answer is wrong", async () => {
    const hit = new Set<string>();
    for (let failAt = 1; failAt < 400; failAt += HEAVY ? 3 : 67) {
      const { session, backend } = await (failAt === 1 ? filled : open)("faults", { mirror: tempDir() });
      const { hit: at, result } = await withFault({ failAt, code: "ENOSPC", lasting: true }, () => count(session));
      if (at !== undefined) hit.add(at.split(" ")[0]!);
      expect(result).toMatchObject({ status: "fulfilled", value: { hits: FILES } });
      await backend.close();
    }
    expect(hit.size).toBeGreaterThan(1);
  });

  it.skipIf(!canMount())("on a disk that is full, or fills up, the database is searched", async () => {
    const base = tempDir();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", base]);
    try {
      const { session, backend } = await open("full", { mirror: base });
      const text = `${"line\n".repeat(20_000)}needle\n`;
      await backend.commit([change("a", null, version(`needle\n${text}`)), change("b", null, version(text))], AUTHOR);
      expect(await count(session)).toEqual({ engine: "ripgrep", hits: 3 });
      await write(backend, "c", `${text}2`);
      expect(await count(session)).toEqual({ engine: "javascript", hits: 4 });
      await backend.close();
    } finally {
      execFileSync("umount", ["-l", base]);
    }
  });

  it("nothing is written through a link, nor where a link or another file was", async () => {
    const [base, victim] = [tempDir(), tempDir()];
    const { session, backend } = await filled("links", { mirror: base });
    const link = versionOf([Buffer.from(victim)], LINK_MODE);
    await backend.commit(
      [change("x", null, link), change("y", null, link), change("z", null, version("needle\n"))],
      AUTHOR,
    );
    expect((await count(session)).hits).toBe(FILES + 1);
    const gone = [change("x", link.sha, null), change("y", link.sha, null), change("z", version("needle\n").sha, null)];
    await backend.commit(gone, AUTHOR);
    await backend.commit([change("x/file", null, version("needle\n"), true)], AUTHOR);
    await backend.commit([change("y", null, version("needle\n"))], AUTHOR);
    await backend.commit([change("z/deep/er", null, version("x\nneedle\n"), true)], AUTHOR);
    expect((await hits(session, "needle")).found.filter((hit) => /^[xyz]/.test(hit))).toEqual([
      "x/file:1",
      "y:1",
      "z/deep/er:2",
    ]);
    expect(readdirSync(victim)).toEqual([]);
  });

  it("copies that were searched longest ago go when all together are too large, and answers stay right", async () => {
    const base = tempDir();
    const most = { mirror: base, mirrorTotalBytes: 2 * FILES * 4096 + 3 * FILES * 10 };
    const all = [await filled("t1", most), await filled("t2", most), await filled("t3", most)];
    for (const n of [0, 1, 0, 2]) expect(await count(all[n]!.session)).toEqual(WHOLE);
    await expect.poll(() => filesIn(base).length).toBe(2 * FILES);
    const searches = all.map(async ({ session }) => (await count(session)).hits);
    expect(await Promise.all(searches)).toEqual([FILES, FILES, FILES]);
    const { session: tiny } = await open("t1", { mirror: tempDir(), mirrorTotalBytes: 100 });
    expect(await count(tiny)).toEqual({ engine: "javascript", hits: FILES });
    await Promise.all(all.map(({ backend }) => backend.close()));
    await expect.poll(() => readdirSync(base)).toEqual([]);
  });

  it("who cannot wait is told so; closing meanwhile leaves nothing", async () => {
    const base = tempDir();
    const { session, backend } = await filled("slow", { mirror: base });
    const late = () => grep(session, { pattern: "needle", root, limit: 10 }, { deadlineMs: 1 });
    await refuses("timeout", late);
    await backend.close();
    await expect.poll(() => readdirSync(base)).toEqual([]);
  });

  it("copies that no process has shown to be in use for minutes are removed; others are not", async () => {
    const base = tempDir();
    const other = (name: string, minutesAgo: number): string => {
      const place = join(base, name);
      mkdirSync(place);
      const at = Date.now() / 1000 - 60 * minutesAgo;
      for (const file of ["in-use", "file"]) writeFileSync(join(place, file), "1");
      for (const each of [join(place, "in-use"), place]) utimesSync(each, at, at);
      return place;
    };
    const [dead, live] = [other("stet-copies-aaaaaa", 6), other("stet-copies-bbbbbb", 3)];
    const strange = other("1-cccccc", 600);
    const { session } = await filled("beats", { mirror: base });
    await count(session);
    await expect.poll(() => existsSync(dead)).toBe(false);
    expect([live, strange].map((place) => readFileSync(join(place, "file"), "utf8"))).toEqual(["1", "1"]);
  });

  it("a change that was seen and then lost with the database is not searched in", async () => {
    const { pool } = database;
    const { session, backend } = await open("lost", { mirror: tempDir() });
    const found = async () => (await grep(session, { pattern: "line", root, limit: 10 })).hits.map(({ text }) => text);
    await write(backend, "a", "line of a\n");
    await write(backend, "b", "line of b\n");
    const TABLES = ["blob", "node", "entry", "change", "used"];
    const SUMS = "seq, hash, at, files, file_bytes, versions, version_bytes, line_bytes, path_bytes";
    const id = "(select id from workspace where name = 'lost')";
    await pool.query(`create table old_workspace as select * from workspace where id = ${id}`);
    for (const table of TABLES)
      await pool.query(`create table old_${table} as select * from ${table} where ws = ${id}`);
    await write(backend, "a", "line that was lost\n");
    expect(await found()).toEqual(["line that was lost", "line of b"]);
    // the database as it was before, as another one is that has not heard of what came since
    for (const table of TABLES.toReversed()) await pool.query(`delete from ${table} where ws = ${id}`);
    for (const table of TABLES) await pool.query(`insert into ${table} select * from old_${table}`);
    await pool.query(`update workspace set (${SUMS}) = (select ${SUMS} from old_workspace) where id = ${id}`);
    await write(backend, "b", "line that came instead\n");
    expect(await found()).toEqual(["line of a", "line that came instead"]);
  });
});

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const place = tempDir();
  const made = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", place], { stdio: "ignore" });
  return made.status === 0 && spawnSync("umount", [place]).status === 0;
}
