// Pushes that get in each other's way: a workspace that is there is never touched by one, and none goes on with what is no longer its own.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { migrate, openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { stet } from "../support/cli.ts";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { ownDatabase } from "../support/postgres.ts";

describe.skipIf(missingPostgres() !== undefined)("two pushes to one name", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const proxy = await startHoldingProxy(server.port);
  const cwd = mkdtempSync(join(tmpdir(), "stet-races-"));
  const env = { USER: "ada", STET_REGISTER: mkdtempSync(join(tmpdir(), "stet-races-states-")) };
  const pool = await openPool(server.url);
  await migrate(pool);
  afterAll(async () => {
    await proxy.close();
    await pool.end();
    for (const each of [cwd, env.STET_REGISTER]) rmSync(each, { recursive: true });
    await server.remove();
  });

  const run = (...args: readonly string[]) => stet(args, { cwd, env });
  const headOf = async (root: string) => /head (\S+)/.exec((await run("verify", "--root", root)).out)?.[1];

  async function directory(name: string): Promise<string> {
    const root = join(cwd, name);
    mkdirSync(root);
    const workspace = openWorkspace({ root, registerDir: env.STET_REGISTER });
    const session = workspace.session({ agent: "writer" });
    for (const n of [1, 2, 3]) await session.create(`${name}-${n}.txt`, `${n} of ${name}\n`);
    await session.delete(`${name}-3.txt`);
    await workspace.close();
    return root;
  }

  async function whole(root: string, name: string): Promise<void> {
    const verified = await run("verify", "--root", root);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining("whole")]);
    for (const n of [1, 2]) {
      const read = await run(
        "call",
        "read_file",
        JSON.stringify({ path: `${name}-${n}.txt` }),
        "--root",
        root,
        "--text",
      );
      expect(read.out).toContain(`${n} of ${name}`);
    }
    expect((await run("undo", "4", "--root", root, "--yes")).code).toBe(0);
  }

  it("one that asks for its lock after the other has ended leaves what is there alone", async () => {
    const [first, second] = [await directory("early"), await directory("late")];
    const held = proxy.holdAt("pg_try_advisory_lock");
    const late = run("push", second, `${server.through(proxy)}/acme/race`);
    await held.held;
    expect((await run("push", first, `${server.url}/acme/race`)).code).toBe(0);
    const race = `${server.url}/acme/race`;
    const made = await run("call", "create_file", '{"path":"new.txt","content":"by an agent\\n"}', "--root", race);
    expect(made.code).toBe(0);
    const head = await headOf(race);
    held.letGo();
    const { code, err } = await late;
    expect([code, err]).toEqual([1, expect.stringContaining("There is a workspace 'race'")]);
    expect(await headOf(race)).toBe(head);
    await whole(race, "early");
    const read = await run("call", "read_file", '{"path":"new.txt"}', "--root", race, "--text");
    expect(read.out).toContain("by an agent");
  });

  it("one whose lock was lost ends in words, and what another one pushed is whole", async () => {
    const [first, second] = [await directory("cut"), await directory("next")];
    const held = proxy.holdAt("stet-enter");
    const cut = run("push", first, `${server.through(proxy)}/acme/lost`);
    await held.held;
    const { rows } = await pool.query(
      "select pg_terminate_backend(pid) from pg_locks where classid = 7243002 and database = (select oid from pg_database where datname = current_database())",
    );
    expect(rows).toHaveLength(1);
    const pushed = await run("push", second, `${server.url}/acme/lost`);
    held.letGo();
    const { code, err } = await cut;
    expect([pushed.code, pushed.err]).toEqual([0, ""]);
    expect([code, err]).toEqual([1, expect.stringMatching(/lost.*the same command/is)]);
    await whole(`${server.url}/acme/lost`, "next");
  });

  it("two at the same time, with and without a history: one is told to wait", async () => {
    const [first, second] = [await directory("one"), await directory("other")];
    const held = proxy.holdAt("stet-enter");
    const slow = run("push", first, `${server.through(proxy)}/acme/both`);
    await held.held;
    const { code, err } = await run("push", second, `${server.url}/acme/both`, "--no-history");
    expect([code, err]).toEqual([1, expect.stringContaining("Another push to 'both' is under way")]);
    held.letGo();
    expect((await slow).code).toBe(0);
    await whole(`${server.url}/acme/both`, "one");
  });

  for (const [what, change] of [
    ["another push took over", "update workspace set push = 'of another' where name like '%taken'"],
    ["was made visible", "update workspace set name = 'taken', push = null where name like '%taken'"],
  ] as const)
    it(`writes nothing more into what ${what}`, async () => {
      await pool.query("delete from workspace where name like '%taken'");
      // asked when the row is this push's, and no transaction holds it
      const held = proxy.holdAt("select line from entry");
      const slow = run("push", join(cwd, "one"), `${server.through(proxy)}/acme/taken`);
      await held.held;
      await pool.query(change);
      held.letGo();
      const { code, err } = await slow;
      expect([code, err]).toEqual([1, expect.stringMatching(/'taken'.*no longer.*of this push/is)]);
      const { rows } = await pool.query("select name, push, files from workspace where name like '%taken'");
      expect(rows).toMatchObject([{ files: 0 }]);
    });

  it("what a push left is listed as such, counts as no workspace, and can be deleted, but not while it goes on", async () => {
    const held = proxy.holdAt("stet-enter");
    const slow = run("push", join(cwd, "other"), `${server.through(proxy)}/left/w`);
    await held.held;
    const database = ["--database", server.url];
    const listed = await run("workspaces", "list", "--tenant", "left", ...database);
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/left +w .*push not finished/)]);
    expect((await run("quota", "list", ...database)).out).not.toMatch(/^left /m);
    const args = ["workspaces", "delete", "left/w", ...database, "--yes"];
    const whole = await run(...args);
    expect([whole.code, whole.err]).toEqual([1, expect.stringMatching(/no workspace 'w'.*--unfinished/s)]);
    const busy = await run(...args, "--unfinished");
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining("Another push to 'w' is under way")]);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_locks where classid = 7243002 and database = (select oid from pg_database where datname = current_database())",
    );
    held.letGo();
    expect((await slow).code).toBe(1);
    expect((await run(...args.slice(0, -1), "--unfinished")).err).toContain("--yes");
    const deleted = await run(...args, "--unfinished");
    expect([deleted.code, deleted.out]).toEqual([0, expect.stringContaining("Deleted")]);
    const { rows } = await pool.query("select 1 from workspace where tenant = 'left'");
    expect(rows).toEqual([]);
    expect((await run(...args, "--unfinished")).code).toBe(1);
  });

  it("workspaces are listed with what they have, for programs as well", async () => {
    const { workspaces } = (
      await run("workspaces", "list", "--tenant", "acme", "--database", server.url, "--json")
    ).json();
    expect(workspaces).toContainEqual({
      tenant: "acme",
      name: "both",
      unfinished: false,
      entries: 5,
      files: 3,
      bytes: expect.any(Number),
      madeAt: expect.any(String),
    });
  });
});
