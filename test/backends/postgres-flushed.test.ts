// The lock of a change is free before the change is on the disk: nothing is told to be made before it is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import type { Client, Query } from "../../src/backends/postgres/connection/client.ts";
import { openPool, type Pool, postgres } from "../../src/backends/postgres/index.ts";
import type { Backend, Path } from "../../src/core/backend.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { grep } from "../../src/search/grep.ts";
import { AUTHOR, all, change, textAt, version, write } from "../../src/testing/assertions.ts";
import { clientClass } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("what PostgreSQL has on the disk", async () => {
  if (missingPostgres() !== undefined) return;
  // by itself it would write nothing down for seconds
  const server = await startPostgres({ settings: { wal_writer_delay: "10s" } });
  const opened: { backend: Backend; pool: Pool }[] = [];
  const mirror = mkdtempSync(join(tmpdir(), "stet-flushed-"));
  afterAll(async () => {
    for (const { backend } of opened) await backend.close();
    for (const pool of new Set(opened.map(({ pool }) => pool))) await pool.end();
    rmSync(mirror, { recursive: true, force: true });
    await server.remove();
  });

  async function open(workspace: string, url = server.url): Promise<{ backend: Backend; pool: Pool }> {
    const pool = await openPool(url);
    const one = { backend: await postgres({ database: pool, workspace, mirror }), pool };
    opened.push(one);
    return one;
  }

  async function crash(): Promise<void> {
    await server.stop("immediate");
    await server.start();
  }

  /** Of paths that nothing is known of: the long way. */
  async function survives(backend: Backend): Promise<void> {
    for (let n = 0; n < 3; n++) {
      const { entry } = await backend.commit([change(`f${n}`, null, version(`${n}`))], AUTHOR);
      await crash();
      expect(await textAt(backend, `f${n}`)).toBe(`${n}`);
      expect((await all(backend.log())).map(({ hash }) => hash)).toContain(entry.hash);
    }
    expect((await backend.verify()).ok).toBe(true);
  }

  it("has what was told to be made when it crashes in that moment", async () => {
    const { backend } = await open("told");
    await survives(backend);
  });

  it("has it as well where its user may not ask for that, and it has to be found out", async () => {
    const { pool } = await open("any");
    await pool.query("create role plain login");
    await pool.query("create database plain owner plain");
    const url = Object.assign(new URL(server.url), { username: "plain", pathname: "/plain" }).href;
    const owner = await openPool(server.url.replace("/postgres", "/plain"));
    const { rows } = await owner.query<{ name: string }>(
      "select oid::regprocedure::text as name from pg_proc where proname = 'pg_logical_emit_message'",
    );
    for (const { name } of rows) await owner.query(`revoke execute on function ${name} from public`);
    await owner.end();
    const { backend } = await open("asked", url);
    await survives(backend);
  });

  describe("a change that was seen and then lost with the database is not searched in", () => {
    const TABLES = ["blob", "node", "entry", "change", "used"];
    const SUMS = "seq, hash, at, files, file_bytes, versions, version_bytes, line_bytes, path_bytes";

    async function opened(name: string) {
      const { backend, pool } = await open(name);
      const session = new Workspace(backend).session();
      await write(backend, "a", "line of a\n");
      await write(backend, "b", "line of b\n");
      const run = async (text: string) =>
        void (await pool.query(text.replaceAll("$1", `(select id from workspace where name = '${name}')`)));
      await run(`drop table if exists old_workspace, ${TABLES.map((table) => `old_${table}`).join(", ")}`);
      await run("create table old_workspace as select * from workspace where id = $1");
      for (const table of TABLES) await run(`create table old_${table} as select * from ${table} where ws = $1`);
      return {
        backend,
        pool,
        async found(): Promise<string[]> {
          const { hits } = await grep(session, { pattern: "line", root: "" as Path, limit: 10 });
          return hits.map(({ path, text }) => `${path} ${text}`).toSorted();
        },
        /** The database as it was before, as another one is that has not heard of what came since. */
        async fallBack(): Promise<void> {
          for (const table of TABLES.toReversed()) await run(`delete from ${table} where ws = $1`);
          for (const table of TABLES) await run(`insert into ${table} select * from old_${table}`);
          await run(`update workspace set (${SUMS}) = (select ${SUMS} from old_workspace) where id = $1`);
        },
      };
    }

    for (const made of ["before the search", "in the midst of it"])
      it(`made ${made}`, async () => {
        const { backend, pool, found, fallBack } = await opened(`lost ${made}`);
        const lose = () => write(backend, "a", "line that was lost\n");
        if (made === "before the search") await lose();
        else beforeNext(pool, isAboutFiles, lose);
        expect(await found()).toEqual(["a line that was lost", "b line of b"]);
        await fallBack();
        await write(backend, "b", "line that came instead\n");
        expect(await found()).toEqual(["a line of a", "b line that came instead"]);
        expect((await backend.verify()).ok).toBe(true);
      });

    for (const comes of ["nothing", "another"])
      it(`and lost in the midst of the search, and ${comes} comes instead`, async () => {
        const { backend, pool, found, fallBack } = await opened(`lost meanwhile ${comes}`);
        await write(backend, "a", "line that was lost\n");
        const instead = () => write(backend, "b", "line that came instead\n");
        const asked = beforeSecondState(pool, async () => {
          await fallBack();
          if (comes === "another") await instead();
        });
        await found();
        expect(asked()).toBe(2);
        await instead();
        expect(await found()).toEqual(["a line of a", "b line that came instead"]);
      });

    it("made in the midst of the search, and lost before its end: all that was there before is still there", async () => {
      const { backend, pool, found, fallBack } = await opened("made and lost");
      let lost = false;
      beforeNext(pool, isAboutFiles, async () => {
        await write(backend, "a", "line that was lost\n");
        beforeNext(pool, isAboutState, async () => {
          await fallBack();
          lost = true;
        });
      });
      await found();
      expect(lost).toBe(true);
      await write(backend, "b", "line that came instead\n");
      expect(await found()).toEqual(["a line of a", "b line that came instead"]);
    });
  });

  it("a change that is made when all is copied is searched by the next search", async () => {
    const { backend, pool } = await open("behind");
    const session = new Workspace(backend).session();
    const found = async (): Promise<string[]> =>
      (await grep(session, { pattern: "line", root: "" as Path, limit: 10 })).hits.map(({ text }) => text);
    await write(backend, "a", "line 1\n");
    const asked = beforeSecondState(pool, () => write(backend, "a", "line 2\n"));
    await found();
    expect(asked()).toBe(2);
    expect(await found()).toEqual(["line 2"]);
  });
});

/** What a copy asks: where the workspace is, and which files have changed. */
const isAboutState = ({ name }: Query): boolean => name === "stet-mirrored";
const isAboutFiles = ({ text }: Query): boolean => text.startsWith("select path, kind, sha, size, mtime");

/** `work` is done before the first such question goes out. */
function beforeNext(pool: Pool, is: (query: Query) => boolean, work: () => Promise<unknown>): void {
  const { prototype } = clientClass(pool);
  const { query } = prototype;
  const spy = vi.spyOn(prototype, "query").mockImplementation(async function (this: Client, ...args) {
    const [asked] = args;
    if (typeof asked !== "string" && is(asked)) {
      spy.mockRestore();
      await work();
    }
    return query.apply(this, args);
  });
}

/** When a copy is made: then all is copied. Gives back how often was asked. */
function beforeSecondState(pool: Pool, work: () => Promise<unknown>): () => number {
  let asked = 0;
  beforeNext(pool, (query) => isAboutState(query) && ++asked === 2, work);
  return () => asked;
}
