// Pushes that get in each other's way: a workspace that is there is never touched by one, and of one that failed nothing stays.
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
  const env = { USER: "ada", STET_STATE: mkdtempSync(join(tmpdir(), "stet-races-states-")) };
  const pool = await openPool(server.url);
  await migrate(pool);
  afterAll(async () => {
    await proxy.close();
    await pool.end();
    for (const each of [cwd, env.STET_STATE]) rmSync(each, { recursive: true });
    await server.remove();
  });

  const run = (...args: readonly string[]) => stet(args, { cwd, env });
  const headOf = async (root: string) => /head (\S+)/.exec((await run("verify", "--root", root)).out)?.[1];

  async function directory(name: string): Promise<string> {
    const root = join(cwd, name);
    mkdirSync(root);
    const workspace = openWorkspace({ root, stateDir: env.STET_STATE });
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
    const held = proxy.holdAt("pg_advisory_xact_lock");
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

  it("one that is made under the same name meanwhile wins, and nobody waits for the push", async () => {
    const held = proxy.holdAt("stet-place");
    const slow = run("push", join(cwd, "one"), `${server.through(proxy)}/acme/taken`);
    await held.held;
    const taken = `${server.url}/acme/taken`;
    const made = await run("call", "create_file", '{"path":"new.txt","content":"by an agent\\n"}', "--root", taken);
    expect([made.code, made.err]).toEqual([0, ""]);
    held.letGo();
    const { code, err } = await slow;
    expect([code, err]).toEqual([1, expect.stringContaining("There is a workspace 'taken'")]);
    expect((await run("log", "--root", taken)).out).not.toContain("one-1.txt");
  });

  it("a push under way is listed nowhere and counts as no workspace; of one that was cut off nothing stays", async () => {
    const held = proxy.holdAt("stet-place");
    const slow = run("push", join(cwd, "other"), `${server.through(proxy)}/left/w`);
    await held.held;
    const database = ["--database", server.url];
    expect((await run("workspaces", "list", "--tenant", "left", ...database)).out).toBe("");
    expect((await run("quota", "list", ...database)).out).not.toMatch(/^left /m);
    const deleted = await run("workspaces", "delete", "left/w", ...database, "--yes");
    expect([deleted.code, deleted.err]).toEqual([1, expect.stringContaining("There is no workspace 'w'")]);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_locks where classid = 7243002 and database = (select oid from pg_database where datname = current_database())",
    );
    held.letGo();
    expect((await slow).code).toBe(1);
    const { rows } = await pool.query(
      "select 1 from workspace w where tenant = 'left' or not exists (select 1 from entry where ws = w.id)",
    );
    expect(rows).toEqual([]);
    const blobs = await pool.query("select 1 from blob b where not exists (select 1 from workspace where id = b.ws)");
    expect(blobs.rows).toEqual([]);
  });

  it("a workspace that went while its owner thought about it is not said to be deleted", async () => {
    const [address, database] = [`${server.url}/twice/w`, ["--database", server.url]];
    await run("call", "create_file", '{"path":"a","content":"1"}', "--root", address);
    const first = await stet(["workspaces", "delete", "twice/w", ...database], {
      cwd,
      env,
      answers: ["yes"],
      beforeAnswer: async () => void (await run("workspaces", "delete", "twice/w", ...database, "--yes")),
    });
    expect([first.code, first.out]).toEqual([1, ""]);
    expect(first.err).toContain("There is no workspace 'w'");
  });

  it("workspaces are listed with what they have, for programs as well", async () => {
    const { workspaces } = (
      await run("workspaces", "list", "--tenant", "acme", "--database", server.url, "--json")
    ).json();
    expect(workspaces).toContainEqual({
      tenant: "acme",
      name: "both",
      entries: 5,
      files: 3,
      bytes: expect.any(Number),
      madeAt: expect.any(String),
    });
  });
});
