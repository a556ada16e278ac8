// A database that has no room for what sessions were shown: reads are answered, what was made is told as made, and edits ask for a read.
import { Workspace } from "stet";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { openPool, postgres } from "stet/backends/postgres";
import { call, workspaceBySession } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { textAt, version } from "../support/assertions.ts";
import { testDatabase } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("PostgreSQL without room for what was seen", async () => {
  if (missingPostgres() !== undefined) return;
  const { url, pool } = await testDatabase();
  /** As where the disk is full under this table alone. */
  async function full(isFull: boolean): Promise<void> {
    await pool.query(`create or replace function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`);
    await pool.query("drop trigger if exists full_disk on seen");
    if (isFull)
      await pool.query(
        "create trigger full_disk before insert or update or delete on seen for each row execute function full_disk()",
      );
  }

  const UNSEEN = "hat you have seen of the file could not be written down: read it again before";
  const WHY = "The database has no space left.";

  it("answers reads, and asks for another one before an edit", async () => {
    const backend = await postgres({ database: pool, workspace: "reads" });
    await new Workspace(backend).session().create("a.txt", "one\n");
    const session = new Workspace(backend, { strict: true }).session();
    const ask = (tool: string, input: object) => call(session, workspaceBySession, tool, input);
    const edit = { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] };
    await full(true);
    const read = await ask("read_file", { path: "a.txt" });
    expect(read).toMatchObject({ ok: true, text: expect.stringContaining("one") });
    expect(read.text).toContain(`Warning: W${UNSEEN} you change it. ${WHY}`);
    await full(false);
    expect(await ask("edit_file", edit)).toMatchObject({ ok: false });
    expect(await textAt(backend, "a.txt")).toBe("one\n");
    expect((await ask("read_file", { path: "a.txt" })).text).not.toContain("Warning");
    expect(await ask("edit_file", edit)).toMatchObject({ ok: true });
  });

  it("answers reads of a storage, which has no place for the warning, and asks for another one before an edit", async () => {
    const backend = await postgres({ database: pool, workspace: "storage" });
    await new Workspace(backend).session().create("a.txt", "one\n");
    const storage = deepagentsBackend(new Workspace(backend).session());
    await full(true);
    expect(await storage.read("/a.txt")).toMatchObject({ content: "one" });
    await full(false);
    expect(await storage.edit("/a.txt", "one", "two")).toMatchObject({ error: expect.stringMatching(/Read it first/) });
    await storage.read("/a.txt");
    expect(await storage.edit("/a.txt", "one", "two")).toMatchObject({ occurrences: 1 });
  });

  it("tells what was made as made", async () => {
    const backend = await postgres({ database: pool, workspace: "made" });
    const session = new Workspace(backend).session();
    for (const name of ["a", "b"]) await session.create(name, `${name}\n`);
    const ask = (tool: string, input: object) => call(session, workspaceBySession, tool, input);
    await full(true);
    const moved = await ask("move_file", { fromPath: "a", toPath: "c", expectedSha256: version("a\n").sha });
    const deleted = await ask("delete_file", { path: "b", expectedSha256: version("b\n").sha });
    await full(false);
    for (const each of [moved, deleted]) {
      expect(each).toMatchObject({ ok: true });
      expect(each.text).toContain(`Warning: The change was made, but w${UNSEEN} the next change. ${WHY}`);
    }
    expect([await textAt(backend, "c"), await textAt(backend, "b")]).toEqual(["a\n", null]);
  });

  it("answers reads of a database that takes no changes", async () => {
    const writable = await postgres({ database: pool, workspace: "standby" });
    await new Workspace(writable).session().create("a.txt", "one\n");
    const standby = await openPool(`${url}?options=-c%20default_transaction_read_only%3Don`);
    const backend = await postgres({ database: standby, workspace: "standby", make: false, waitMs: 100 });
    const read = await call(new Workspace(backend).session(), workspaceBySession, "read_file", { path: "a.txt" });
    expect(read).toMatchObject({ ok: true, text: expect.stringContaining("one") });
    expect(read.text).toContain(`Warning: W${UNSEEN}`);
    await backend.close();
    await standby.end();
  });
});
