// Searching a workspace in a database: the same answers with a copy and without, always of the newest files, and nothing outside the copy.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { openPool, postgres } from "../../src/backends/postgres/index.ts";
import { type Backend, LINK_MODE, type Path } from "../../src/core/backend.ts";
import { startDeadline } from "../../src/core/deadline.ts";
import { versionOf } from "../../src/core/version.ts";
import { deleteFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { findFiles } from "../../src/search/find.ts";
import { grep } from "../../src/search/grep.ts";
import { AUTHOR, change, refuses, version, write } from "../../src/testing/assertions.ts";

describe.skipIf(missingPostgres() !== undefined)("search in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  const base = mkdtempSync(join(tmpdir(), "stet-mirror-"));
  const opened: Backend[] = [];
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    expect(readdirSync(base)).toEqual([]);
    rmSync(base, { recursive: true });
    await pool.end();
    await server.remove();
  });

  async function open(workspace: string, more: { mirror?: string; mirrorBytes?: number } = { mirror: base }) {
    const backend = await postgres({ database: pool, workspace, ...more });
    opened.push(backend);
    return { backend, session: new Workspace(backend).session() };
  }

  const root = "" as Path;
  type Session = Awaited<ReturnType<typeof open>>["session"];
  const hits = async (session: Session, pattern: string) => {
    const { hits: found, engine } = await grep(session, { pattern, root, limit: 100 });
    return { engine, found: found.map(({ path: at, line }) => `${at}:${line}`) };
  };
  const names = async (session: Session, pattern: string) =>
    (await findFiles(session, { pattern, root, limit: 100, order: "newest" })).files.map(({ path: at }) => at);

  it("without a copy, many files are asked for at once, and the answers are the same", async () => {
    const { backend, session: copied } = await open("many");
    const names = Array.from({ length: 40 }, (_, n) => `d${n % 4}/f${String(n).padStart(2, "0")}.txt`);
    for (const [n, name] of names.entries()) await write(backend, name, `${n}\n${n % 9 === 0 ? "needle" : ""}\n`);
    await write(backend, "same.txt", "0\nneedle\n");
    await write(backend, "large.txt", `${"x\n".repeat(40_000)}needle\n`);
    await write(backend, "empty.txt", "");
    const streamed: string[] = [];
    const { searchable: _none, ...bare } = backend;
    const stream: Backend["stream"] = (at) => {
      streamed.push(at);
      return backend.stream(at);
    };
    const found = await hits(new Workspace({ ...bare, stream }).session(), "needle");
    expect(found).toEqual({ engine: "javascript", found: (await hits(copied, "needle")).found });
    expect(found.found).toHaveLength(7);
    expect(streamed).toEqual(["large.txt"]);
  });

  it("finds what is there now: created, changed, moved and deleted by any server", async () => {
    const { session, backend } = await open("now");
    const { session: other } = await open("now");
    await write(backend, "src/a.ts", "one\nneedle a\n");
    await write(backend, "src/deep/b.ts", "needle b\n");
    await write(backend, ".gitignore", "ignored\n");
    await write(backend, "ignored", "needle\n");
    const all = { engine: "ripgrep", found: ["src/a.ts:2", "src/deep/b.ts:1"] };
    expect(await hits(session, "needle")).toEqual(all);
    await other.read("src/a.ts");
    await writeFile(other, "src/a.ts", "needle a\n");
    expect((await hits(session, "needle")).found).toEqual(["src/a.ts:1", "src/deep/b.ts:1"]);
    await other.read("src/deep/b.ts");
    await moveFile(other, "src/deep/b.ts", "c.ts");
    expect((await hits(session, "needle")).found).toEqual(["c.ts:1", "src/a.ts:1"]);
    await deleteFile(other, "src/a.ts");
    expect((await hits(session, "needle")).found).toEqual(["c.ts:1"]);
    expect(await names(session, "**/*.ts")).toEqual(["c.ts"]);
  });

  it("answers alike with a copy, without one, and where the workspace is too large for one", async () => {
    const { session, backend } = await open("alike");
    const { session: without } = await open("alike", {});
    const { session: tooLarge } = await open("alike", { mirror: base, mirrorBytes: 10 });
    for (let n = 0; n < 30; n++) await write(backend, `d${n % 4}/f${n}.txt`, `line\nword ${n % 3} here\n`);
    const engines: string[] = [];
    for (const pattern of ["word 1", "wor. [02]", "nothing"]) {
      const [one, ...others] = await Promise.all([session, without, tooLarge].map((each) => hits(each, pattern)));
      engines.push(one!.engine, ...others.map(({ engine }) => engine));
      for (const each of others) expect(each.found).toEqual(one!.found);
    }
    expect(new Set(engines.filter((_, n) => n % 3 === 0))).toEqual(new Set(["ripgrep"]));
    expect(new Set(engines.filter((_, n) => n % 3 !== 0))).toEqual(new Set(["javascript"]));
    const [one, ...others] = await Promise.all([session, without, tooLarge].map((each) => names(each, "d1/*.txt")));
    for (const each of others) expect(each).toEqual(one);
    expect(one).toEqual([
      "d1/f29.txt",
      "d1/f25.txt",
      "d1/f21.txt",
      "d1/f17.txt",
      "d1/f13.txt",
      "d1/f9.txt",
      "d1/f5.txt",
      "d1/f1.txt",
    ]);
  });

  it("a copy that was deleted is made again, and is for this user alone", async () => {
    const { session, backend } = await open("deleted");
    await write(backend, "a/b", "needle\n");
    expect((await hits(session, "needle")).found).toEqual(["a/b:1"]);
    for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true });
    expect((await hits(session, "needle")).found).toEqual(["a/b:1"]);
    for (const name of readdirSync(base)) expect(statSync(join(base, name)).mode & 0o077).toBe(0);
  });

  it("nothing is written through a link, nor where a link was", async () => {
    const { session, backend } = await open("links");
    const victim = mkdtempSync(join(tmpdir(), "stet-victim-"));
    const link = versionOf([Buffer.from(victim)], LINK_MODE);
    await backend.commit([change("x", null, link), change("y", null, link)], AUTHOR);
    await write(backend, "a", "needle\n");
    expect((await hits(session, "needle")).found).toEqual(["a:1"]);
    await backend.commit([change("x", link.sha, null), change("y", link.sha, null)], AUTHOR);
    await backend.commit([change("x/file", null, version("needle\n"), true)], AUTHOR);
    await backend.commit([change("y", null, version("needle\n"))], AUTHOR);
    expect((await hits(session, "needle")).found).toEqual(["a:1", "x/file:1", "y:1"]);
    expect(readdirSync(victim)).toEqual([]);
    rmSync(victim, { recursive: true });
  });

  it("a directory takes the place of a file, and a file that of another, between two searches", async () => {
    const { session, backend } = await open("places");
    const first = await write(backend, "a", "needle\n");
    const other = await write(backend, ".stet-1", "needle\n");
    expect((await hits(session, "needle")).found).toEqual(["a:1"]);
    await backend.commit([change("a", first.sha, null), change(".stet-1", other.sha, null)], AUTHOR);
    await backend.commit([change("a/b/c", null, version("x\nneedle\n"), true)], AUTHOR);
    expect((await hits(session, "needle")).found).toEqual(["a/b/c:2"]);
  });

  it("a large file is copied from its pieces", async () => {
    const { session, backend } = await open("pieces");
    const lines = Array.from({ length: 400_000 }, (_, n) => `line number ${n}`).join("\n");
    await backend.commit([change("large.txt", null, version(lines))], AUTHOR);
    expect((await hits(session, "number 399999")).found).toEqual(["large.txt:400000"]);
  });

  it("what a caller changed is found by its own next search, while another search is being prepared", async () => {
    const { session, backend } = await open("own");
    for (let n = 0; n < 10; n++) await write(backend, `f${n}`, "x\n");
    for (let n = 0; n < 8; n++) {
      const before = hits(session, "needle");
      await write(backend, `new${n}`, "needle\n");
      expect((await hits(session, "needle")).found).toHaveLength(n + 1);
      await before;
    }
  });

  it("who cannot wait is told so; the copying goes on", async () => {
    const { session, backend } = await open("slow");
    for (let n = 0; n < 20; n++) await write(backend, `f${n}`, `needle ${n}\n`);
    await refuses("timeout", () => backend.searchable!(startDeadline(1)));
    expect((await hits(session, "needle 1$")).found).toEqual(["f1:1"]);
  });
});
