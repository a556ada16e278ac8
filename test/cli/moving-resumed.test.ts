// A push that was cut short and begun again, of what is another directory by now; and one that does not fit: what arrives is what was sent, and no more.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { migrate, openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { stet } from "../support/cli.ts";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { ownDatabase } from "../support/postgres.ts";

describe.skipIf(missingPostgres() !== undefined)("a push that goes on", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const proxy = await startHoldingProxy(server.port);
  const cutting = await startDatabaseProxy(server.port);
  const slow = await startHoldingProxy(Number(new URL(cutting.url).port));
  const cwd = mkdtempSync(join(tmpdir(), "stet-resumed-"));
  const env = { USER: "ada", STET_REGISTER: mkdtempSync(join(tmpdir(), "stet-resumed-states-")) };
  const pool = await openPool(server.url);
  await migrate(pool);
  afterAll(async () => {
    for (const each of [proxy, slow, cutting]) await each.close();
    await pool.end();
    for (const each of [cwd, env.STET_REGISTER]) rmSync(each, { recursive: true });
    await server.remove();
  });

  const run = (...args: readonly string[]) => stet(args, { cwd, env });
  const at = (name: string) => `${server.url}/acme/${name}`;

  async function directory(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const root = join(cwd, name);
    mkdirSync(root);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
    await inDirectory(root, (session) => session.create("made.txt", `made in ${name}\n`));
    return root;
  }
  type Session = ReturnType<ReturnType<typeof openWorkspace>["session"]>;
  async function inDirectory(root: string, work: (session: Session) => Promise<unknown>): Promise<void> {
    const workspace = openWorkspace({ root, registerDir: env.STET_REGISTER });
    await work(workspace.session({ agent: "writer" }));
    await workspace.close();
  }

  /** Loses its connection when all is there but the files of the tree. */
  async function cutAtTheEnd(root: string, name: string): Promise<void> {
    const held = proxy.holdAt("stet-place");
    const cut = run("push", root, `${server.through(proxy)}/acme/${name}`);
    await held.held;
    await pool.query(
      "select pg_terminate_backend(pid) from pg_locks where classid = 7243002 and database = (select oid from pg_database where datname = current_database())",
    );
    held.letGo();
    expect((await cut).code).toBe(1);
  }

  async function keptIn(name: string, hidden?: string): Promise<string[]> {
    const { rows } = await pool.query<{ bytes: Buffer }>({
      text: "select bytes from blob b join workspace w on w.id = b.ws where w.name = $1",
      values: [hidden === undefined ? name : `\u0001moving ${hidden} ${name}`],
    });
    return rows.map(({ bytes }) => bytes.toString());
  }
  /** Of all files below. */
  const contentsOf = (dir: string): string[] =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

  /** The same as of one that nothing came before. */
  async function expectAsNew(root: string, name: string): Promise<void> {
    const pushed = [await run("push", root, at(name)), await run("push", root, at(`${name}-new`))];
    expect(pushed.map(({ code, err }) => [code, err])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const { workspaces } = (await run("workspaces", "list", "--database", server.url, "--json")).json();
    const [one, other] = [name, `${name}-new`].map((each) => {
      const { name: _name, madeAt: _madeAt, ...about } = workspaces.find((w: { name: string }) => w.name === each);
      return about;
    });
    expect(one).toEqual(other);
    const { rows } = await pool.query({
      text: `select (select count(*)::int from blob where ws = w.id) as blobs,
          (select count(*)::int from change where ws = w.id) as changes,
          (select count(*)::int from used where ws = w.id) as uses
        from workspace w where name = any($1)`,
      values: [[name, `${name}-new`]],
    });
    expect(rows[0]).toEqual(rows[1]);
    expect((await run("verify", "--root", at(name))).out).toContain("whole");
    expect((await run("log", "--root", at(name))).out).toBe((await run("log", "--root", at(`${name}-new`))).out);
  }

  it("a version that came as the content of a file, and is history by now, is kept: undo brings it back", async () => {
    const root = await directory("kept", { "a.txt": "as it was\n" });
    await cutAtTheEnd(root, "kept");
    await inDirectory(root, async (session) => {
      await session.read("a.txt");
      await session.write("a.txt", "as it is\n");
    });
    await expectAsNew(root, "kept");
    expect((await run("undo", "2", "--root", at("kept"), "--yes")).code).toBe(0);
    const read = await run("call", "read_file", '{"path":"a.txt"}', "--root", at("kept"), "--text");
    expect(read.out).toContain("as it was");
  });

  it("content that no file has any more does not stay", async () => {
    const root = await directory("stale", { "a.txt": "as it was\n" });
    await cutAtTheEnd(root, "stale");
    writeFileSync(join(root, "a.txt"), "by another program, before stet ever saw it\n");
    await expectAsNew(root, "stale");
  });

  const SECRET = "to be deleted for good\n";

  it("a version that was purged between two attempts does not come with the second: neither by a push …", async () => {
    const root = await directory("purged", { "a.txt": "a\n" });
    await inDirectory(root, async (session) => {
      await session.create("secret.txt", SECRET);
      await session.delete("secret.txt");
    });
    await cutAtTheEnd(root, "purged");
    expect(await keptIn("purged", "all")).toContain(SECRET);
    expect((await run("trash", "purge", "secret.txt", "--yes", "--root", root)).code).toBe(0);
    await expectAsNew(root, "purged");
    expect(await keptIn("purged")).not.toContain(SECRET);
  });

  it("… nor by a pull", async () => {
    const root = await directory("pulled", { "a.txt": "a\n" });
    await inDirectory(root, async (session) => {
      await session.create("secret.txt", SECRET);
      await session.delete("secret.txt");
    });
    expect((await run("push", root, at("pulled"))).code).toBe(0);
    const held = proxy.holdAt("stet-read");
    const cut = run("pull", `${server.through(proxy)}/acme/pulled`, "out");
    await held.held;
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'");
    held.letGo();
    expect((await cut).code).toBe(1);
    const objects = () => contentsOf(join(cwd, ".out.pulling", ".stet"));
    expect(objects()).toContain(SECRET);
    expect((await run("trash", "purge", "secret.txt", "--yes", "--root", at("pulled"))).code).toBe(0);
    expect((await run("pull", at("pulled"), "out")).code).toBe(0);
    expect(contentsOf(join(cwd, "out", ".stet"))).not.toContain(SECRET);
    expect((await run("verify", "--root", join(cwd, "out"))).out).toContain("whole");
  });

  it("nothing of another directory that was begun under this name stays", async () => {
    await cutAtTheEnd(await directory("wrong", { "other.txt": "of the wrong one\n" }), "right");
    await expectAsNew(await directory("right", { "a.txt": "of the right one\n" }), "right");
  });

  it.each([
    ["made", "behind", 0],
    ["made, and nothing is heard of the connection", "silent behind", 0],
    ["not made", "before", 1],
  ] as const)("a push whose last commit was not answered tells whether it was made: %s", async (_, cut, code) => {
    const name = cut.replace(" ", "-");
    const root = await directory(name, { "a.txt": "a\n" });
    const held = slow.holdAt("stet-place");
    const pushing = run("push", root, `${server.through(slow)}/acme/${name}`);
    await held.held;
    cutting.cutAtCommit(cut);
    held.letGo();
    const pushed = await pushing;
    expect([pushed.code, pushed.err]).toEqual([code, code === 0 ? "" : expect.stringMatching(/goes on where it was/)]);
    if (code === 1) await expect.poll(async () => (await run("push", root, at(name))).code).toBe(0);
    const log = await run("log", "--root", at(name), "--json");
    expect(log.out).toContain("made.txt");
  });

  it("a file that is changed while it is moved is told of, and nothing is seen", async () => {
    const root = await directory("moving", { "a.txt": "as it was\n" });
    const held = proxy.holdAt("stet-enter");
    const pushing = run("push", root, `${server.through(proxy)}/acme/moving`);
    await held.held;
    writeFileSync(join(root, "made.txt"), "by another program\n");
    held.letGo();
    const { code, err } = await pushing;
    expect([code, err]).toEqual([1, expect.stringMatching(/made\.txt was changed by another program/)]);
    expect((await run("log", "--root", at("moving"))).err).toContain("There is no workspace 'moving'");
    expect((await run("push", root, at("moving"))).code).toBe(0);
  });

  it("what is more than a quota allows does not appear, and is told in words", async () => {
    const root = await directory("large", { "a.txt": "x".repeat(20_000) });
    const quota = async (bytes: number | null, files: number | null) => {
      await run("quota", "remove", "small", "--database", server.url);
      const limits = [
        ...(bytes === null ? [] : ["--bytes", `${bytes}`]),
        ...(files === null ? [] : ["--files", `${files}`]),
      ];
      if (limits.length > 0) await run("quota", "set", "small", ...limits, "--database", server.url);
    };
    const push = () => run("push", root, `${server.url}/small/large`);
    await quota(10_000, null);
    const bytes = await push();
    expect([bytes.code, bytes.err]).toEqual([1, expect.stringMatching(/'small' has 0 of 10000 bytes/)]);
    await quota(null, 1);
    const files = await push();
    expect([files.code, files.err]).toEqual([1, expect.stringMatching(/'small' has 0 of 1 files.*2 more/)]);
    expect((await run("log", "--root", `${server.url}/small/large`)).err).toContain("There is no workspace 'large'");
    await quota(100_000, 2);
    expect((await push()).code).toBe(0);
  });
});
