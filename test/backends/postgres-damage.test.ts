// Bytes in the database that are not those of their sha256 are shown to no caller, and found by verify.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { openPool, postgres } from "../../src/backends/postgres/index.ts";
import { withWorkspaceInDatabase } from "../../src/backends/postgres/moving/whole.ts";
import type { Path } from "../../src/core/backend.ts";
import { shaOfStream } from "../../src/core/version.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { grep } from "../../src/search/grep.ts";
import { AUTHOR, change, path, refuses, version, write } from "../../src/testing/assertions.ts";

const LARGE = 5 * 1024 * 1024;

describe.skipIf(missingPostgres() !== undefined)("damaged content in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const base = mkdtempSync(join(tmpdir(), "stet-mirror-"));
  const owner = await openPool(server.url);
  afterAll(async () => {
    rmSync(base, { recursive: true, force: true });
    await owner.end();
    await server.remove();
  });

  /** Another server, which has read none of it. */
  async function elsewhere<T>(workspace: string, work: (at: Awaited<ReturnType<typeof opened>>) => Promise<T>) {
    const at = await opened(workspace);
    try {
      return await work(at);
    } finally {
      await at.backend.close();
    }
  }
  async function opened(workspace: string, mirror?: string) {
    const backend = await postgres({ database: server.url, workspace, ...(mirror !== undefined && { mirror }) });
    return { backend, session: new Workspace(backend).session() };
  }

  async function filled(workspace: string) {
    return elsewhere(workspace, async ({ backend }) => {
      await write(backend, "good.txt", "needle good\n");
      await write(backend, "small.txt", "needle small\n");
      const before = await write(backend, "old.txt", "needle old\n");
      await backend.commit([change("old.txt", before.sha, version("other\n"))], AUTHOR);
      await backend.commit([change("large.txt", null, version(`${"x".repeat(LARGE)}\nneedle\n`))], AUTHOR);
      expect(await backend.verify()).toMatchObject({ ok: true });
      return before.sha;
    });
  }
  const ofFile = (name: string) => `ws = (select id from workspace where name = $1) and sha =
    (select sha from node where path = '${name}' and ws = (select id from workspace where name = $1))`;
  const alter = (workspace: string, text: string) => owner.query({ text, values: [workspace] });

  it("is refused in words wherever a file is read, and nothing else is", async () => {
    await filled("read");
    await alter("read", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    await alter(
      "read",
      `update chunk set bytes = overlay(bytes placing 'y' from 9) where n = 0 and ${ofFile("large.txt")}`,
    );
    await elsewhere("read", async ({ backend, session }) => {
      for (const name of ["small.txt", "large.txt"]) {
        const { failure } = await refuses("journal_damaged", () => backend.read(path(name)));
        expect(failure).toMatchObject({ path: name, message: expect.stringContaining(`'${name}'`) });
        await refuses("journal_damaged", async () => shaOfStream((await backend.stream(path(name)))!));
        await refuses("journal_damaged", () => session.read(name));
      }
      await refuses("journal_damaged", () => writeFile(session, "small.txt", "mine\n"));
      expect((await session.read("good.txt")).body).toBe("needle good\n");
      const many = await backend.readMany!([path("good.txt"), path("small.txt")]);
      expect([...many.keys()]).toEqual(["good.txt"]);
    });
    const place = { url: server.url, tenant: "", workspace: "read" };
    await refuses("journal_damaged", () => withWorkspaceInDatabase(place, (whole) => whole.read("small.txt" as Path)));
  });

  it("is not searched, with a copy or without, and the answer says so", async () => {
    await filled("searched");
    await alter("searched", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    for (const mirror of [undefined, base]) {
      const { backend, session } = await opened("searched", mirror);
      const { hits, notes, atLeast, total } = await grep(session, { pattern: "needle", root: "" as Path, limit: 10 });
      expect(hits.map((hit) => hit.path)).toEqual(["good.txt", "large.txt"]);
      expect(notes).toEqual([expect.stringContaining("Not searched: The bytes of 'small.txt'")]);
      expect({ atLeast, total }).toEqual({ atLeast: 2, total: undefined });
      await backend.close();
    }
  });

  it("is found by verify: of files, of kept versions, in pieces, and where it is missing", async () => {
    const old = await filled("verified");
    await alter("verified", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    await alter("verified", `delete from chunk where n = 1 and ${ofFile("large.txt")}`);
    await alter("verified", `delete from blob where ${ofFile("good.txt")}`);
    await owner.query({ text: "update blob set bytes = 'x' where sha = $1", values: [Buffer.from(old, "hex")] });
    await elsewhere("verified", async ({ backend }) => {
      const { ok, problems } = await backend.verify();
      expect(ok).toBe(false);
      expect(problems.map(({ problem }) => problem).sort()).toEqual([
        "The bytes of 'good.txt' in the database are not those of its sha256.",
        "The bytes of 'large.txt' in the database are not those of its sha256.",
        "The bytes of 'small.txt' in the database are not those of its sha256.",
        `The kept version ${old.slice(0, 12)} does not have the bytes of its name.`,
      ]);
      for (const name of ["good.txt", "large.txt"]) await refuses("journal_damaged", () => backend.read(path(name)));
    });
  });

  it("a file that is replaced while it is streamed, and its version dropped, is told as such and not as damage", async () => {
    await filled("streamed");
    await elsewhere("streamed", async ({ backend }) => {
      const { sha } = (await backend.read(path("large.txt")))!;
      const pieces = (await backend.stream(path("large.txt")))![Symbol.asyncIterator]();
      expect((await pieces.next()).done).toBe(false);
      await backend.commit([change("large.txt", sha, version("small\n"))], AUTHOR);
      await backend.forget([sha]);
      await refuses("path_changed", async () => {
        while (!(await pieces.next()).done);
      });
    });
  });

  it("pull may take its time to write what it has read: longer than a change may keep its lock", async () => {
    await filled("slow");
    const place = { url: server.url, tenant: "", workspace: "slow" };
    const pool = await openPool(server.url);
    const { rows } = await pool.query<{ ms: number }>(
      "select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'",
    );
    await pool.end();
    const read = await withWorkspaceInDatabase(place, async (whole) => {
      await sleep(rows[0]!.ms + 500);
      return whole.read("good.txt" as Path);
    });
    expect(read?.size).toBe(12);
  });

  it("pull reads what was there at one moment", async () => {
    await filled("moment");
    const place = { url: server.url, tenant: "", workspace: "moment" };
    await withWorkspaceInDatabase(place, async (whole) => {
      await elsewhere("moment", async ({ backend }) => {
        const now = await backend.read(path("good.txt"));
        await backend.commit([change("good.txt", now!.sha, version("later\n"))], AUTHOR);
      });
      expect(Buffer.concat([...(await whole.read("good.txt" as Path))!.parts]).toString()).toBe("needle good\n");
    });
  });
});
