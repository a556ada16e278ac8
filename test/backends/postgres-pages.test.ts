// A workspace with more of everything than one answer of the database holds: no page is the last one before it is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { openPool, postgres } from "../../src/backends/postgres/index.ts";
import { withWorkspaceInDatabase } from "../../src/backends/postgres/moving/whole.ts";
import type { Path } from "../../src/core/backend.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { grep } from "../../src/search/grep.ts";
import { AUTHOR, all, change, path, version } from "../../src/testing/assertions.ts";

/** Of what is asked for by pages, none has more on one. */
const LARGEST_PAGE = 5_000;
const NAMES = Array.from({ length: LARGEST_PAGE + 20 }, (_, n) => `f${String(n).padStart(5, "0")}`);

describe.skipIf(missingPostgres() !== undefined)("more than one page in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  const base = mkdtempSync(join(tmpdir(), "stet-pages-"));
  const backend = await postgres({ database: pool, workspace: "pages", mirror: base });
  afterAll(async () => {
    await backend.close();
    await pool.end();
    rmSync(base, { recursive: true, force: true });
    await server.remove();
  });
  const changes = NAMES.map((name) => change(name, null, version(`of ${name}\n`)));
  await backend.commit(changes, AUTHOR);
  const shas = changes.map(({ to }) => to!.sha);

  it("a directory is listed to its end", async () => {
    expect((await all(backend.list(path("")))).map(({ name }) => name)).toEqual(NAMES);
  });

  it("all kept versions are told, and all uses of them: what is not told of would be dropped", async () => {
    expect((await all(backend.kept())).map(({ sha }) => sha)).toEqual(shas.toSorted());
    const uses = await all(backend.uses!(new Set(shas)));
    expect(uses.map((use) => use.path).toSorted()).toEqual(NAMES);
  });

  it("all files leave with a pull", async () => {
    const place = { url: server.url, tenant: "", workspace: "pages" };
    const items = await withWorkspaceInDatabase(place, (whole) => all(whole.items()));
    expect(items.map((item) => item.path)).toEqual(NAMES);
  });

  it("the copy that is searched has them all", async () => {
    const session = new Workspace(backend).session();
    const { hits, engine } = await grep(session, { pattern: "of f0501.$", root: "" as Path, limit: 100 });
    expect([engine, hits.map((hit) => hit.path)]).toEqual(["ripgrep", NAMES.slice(5010)]);
  });

  it("verify compares the last of them, too", async () => {
    const last = shas.toSorted().at(-1)!;
    await pool.query({ text: "update blob set bytes = 'x' where sha = $1", values: [Buffer.from(last, "hex")] });
    const { ok, problems } = await backend.verify();
    expect([ok, problems.map(({ problem }) => problem)]).toEqual([
      false,
      [`The bytes of '${NAMES[shas.indexOf(last)]}' in the database are not those of its sha256.`],
    ]);
  });
});
