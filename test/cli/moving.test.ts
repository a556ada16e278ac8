// A workspace moves between a directory and a database with its whole journal, and nothing half-moved is ever to be seen.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "stet";
import { migrate, openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { stet } from "../support/cli.ts";
import { ownDatabase } from "../support/postgres.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

describe.skipIf(missingPostgres() !== undefined)("moving a workspace", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const cwd = mkdtempSync(join(tmpdir(), "stet-moving-"));
  const env = { USER: "ada", STET_STATE: mkdtempSync(join(tmpdir(), "stet-moving-states-")) };
  // One connection holds a lock for as long as a process takes to start.
  const pool = await openPool(server.url, { heldMs: 0 });
  await migrate(pool);
  const children: ChildProcess[] = [];
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await pool.end();
    for (const each of [cwd, env.STET_STATE]) rmSync(each, { recursive: true });
    await server.remove();
  });

  const run = (...args: readonly string[]) => stet(args, { cwd, env });
  const headOf = async (root: string) => /head (\S+)/.exec((await run("verify", "--root", root)).out)?.[1];
  const web = `${server.url}/acme/web`;
  const from = join(cwd, "from");

  async function makeDirectory(): Promise<void> {
    mkdirSync(join(from, "deep", "empty"), { recursive: true });
    writeFileSync(join(from, "never-touched.txt"), "as it was\n", { mode: 0o640 });
    writeFileSync(join(from, "large.bin"), Buffer.alloc(5 * 1024 * 1024, 7));
    writeFileSync(join(from, ".env"), "SECRET=1\n");
    symlinkSync("never-touched.txt", join(from, "link"));
    symlinkSync("../../outside", join(from, "deep", "dangling"));
    const workspace = openWorkspace({ root: from, stateDir: env.STET_STATE });
    const session = workspace.session({ agent: "writer" });
    await session.create("a.txt", "one\n");
    await session.write("a.txt", "two\n");
    await session.create("deep/b.txt", "b\n");
    await session.delete("deep/b.txt");
    await session.read("link");
    await session.move("link", "moved-link");
    await session.create("c.txt", "c\n");
    await workspace.close();
    appendFileSync(join(from, "c.txt"), "by another program\n");
  }

  /** Every name, kind, content, mode and time, but not the state. */
  function treeOf(dir: string, below = ""): string[] {
    return readdirSync(join(dir, below))
      .sort()
      .filter((name) => ![".stet", ".env"].includes(name))
      .flatMap((name) => {
        const path = join(below, name);
        const stat = lstatSync(join(dir, path));
        if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(dir, path))}`];
        if (stat.isDirectory()) return [`${path}/`, ...treeOf(dir, path)];
        const bytes = readFileSync(join(dir, path)).toString("base64").slice(0, 200);
        return [`${path} ${stat.mode.toString(8)} ${Math.round(stat.mtimeMs)} ${stat.size} ${bytes}`];
      });
  }

  /** Words of the same length in the log of a directory. */
  function alterHistory(root: string, old: string, forged: string): void {
    const all = readdirSync(env.STET_STATE).map((id) => join(env.STET_STATE, id));
    const own = all.find((dir) => readFileSync(join(dir, "root"), "utf8") === root)!;
    const log = readdirSync(join(own, "log")).find((name) => name.endsWith(".log"))!;
    const bytes = readFileSync(join(own, "log", log), "latin1");
    writeFileSync(join(own, "log", log), bytes.replace(old, forged), "latin1");
  }

  /** Killed while it waits for a table that this test holds. */
  async function killedAt(table: string, args: readonly string[]): Promise<void> {
    const client = await pool.connect();
    await client.query(`begin; lock table ${table} in ${table === "chunk" ? "access exclusive" : "exclusive"} mode`);
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    const waits = `select 1 from pg_locks where not granted and relation = '${table}'::regclass`;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    let waited = false;
    while (!waited && child.exitCode === null) {
      await sleep(10);
      waited = (await pool.query(waits)).rows.length > 0;
    }
    child.kill("SIGKILL");
    await ended;
    await client.query("rollback");
    client.release();
    expect([waited, said]).toEqual([true, ""]);
  }

  it("push: nothing is there of one that was killed, and the next brings all of it", async () => {
    await makeDirectory();
    for (const table of ["entry", "node"]) {
      await killedAt(table, ["push", from, web]);
      expect((await run("log", "--root", web)).err).toContain("There is no workspace 'web'");
    }
    const pushed = await run("push", from, web);
    expect([pushed.code, pushed.out]).toEqual([0, expect.stringContaining("Copied 6 files")]);
    expect(pushed.err).toContain(".env");
    const { rows } = await pool.query("select (select count(*)::int from workspace) as all, name from workspace");
    expect(rows).toEqual([{ all: 1, name: "web" }]);
    const head = await headOf(from);
    expect(pushed.out).toContain(`head ${head}`);
    expect(await headOf(web)).toBe(head);
  });

  it("a workspace that is there is refused, and so is an address that is none", async () => {
    const again = await run("push", from, web);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("There is a workspace 'web'")]);
    expect((await run("push", from, "elsewhere")).code).toBe(2);
    expect((await run("pull", `${server.url}/acme/none`, "x")).err).toContain("There is no workspace 'none'");
  });

  it("the history is all there: log, show, trash, and undo of what was done in the directory", async () => {
    const log = (await run("log", "--root", web)).out;
    expect(log).toContain("changed outside stet: ");
    expect(log).toBe((await run("log", "--root", from)).out);
    expect((await run("show", "2", "--root", web)).out).toContain("-one");
    expect((await run("trash", "list", "--root", web)).out).toContain("deep/b.txt");
    const undone = await run("undo", "4", "--root", web, "--yes");
    expect([undone.code, undone.err]).toEqual([0, expect.anything()]);
    const read = await run("call", "read_file", '{"path":"deep/b.txt"}', "--root", web, "--text");
    expect(read.out).toContain("b\n");
    expect((await run("undo", "5", "--root", web, "--yes")).code).toBe(0);
    const found = await run(
      "call",
      "search_files",
      '{"mode":"text","query":"as it was"}',
      "--root",
      `${web}?mirror=${cwd}/m`,
      "--text",
    );
    expect(found.out).toContain("never-touched.txt");
  });

  /** What a transfer builds before it is whole, here and in the home of histories. */
  const unfinished = () =>
    [...readdirSync(cwd), ...readdirSync(env.STET_STATE)].filter((name) => /pulling|^new-/.test(name));

  it("pull: nothing counts of one that was killed; the next one has the same files and the same head", async () => {
    const to = join(cwd, "to");
    await killedAt("chunk", ["pull", web, to]);
    expect(existsSync(to)).toBe(false);
    const pulled = await run("pull", web, to);
    expect([pulled.code, pulled.err]).toEqual([0, ""]);
    expect(unfinished()).toEqual([]);
    expect(await headOf(to)).toBe(await headOf(web));
    expect(pulled.out).toContain(`head ${await headOf(to)}`);
    expect((await run("log", "--root", to)).out).toBe((await run("log", "--root", web)).out);
    const [here, there] = [treeOf(from), treeOf(to)].map((tree) =>
      tree.filter((line) => !/^(deep\/b|link|moved-link)/.test(line)),
    );
    expect(there).toEqual(here);
    expect(readFileSync(join(to, "deep", "b.txt"), "utf8")).toBe("b\n");
    expect(readlinkSync(join(to, "link"))).toBe("never-touched.txt");
    // in use as any that was made here: changed, undone, checked
    expect((await run("undo", "2", "--root", to, "--yes")).code).toBe(0);
    expect(readFileSync(join(to, "a.txt"), "utf8")).toBe("one\n");
    expect((await run("verify", "--root", to)).out).toContain("whole");
    expect((await run("pull", web, to)).err).toContain("is there already");
  });

  it("without a history only the files move", async () => {
    const bare = `${server.url}/acme/bare`;
    expect((await run("push", from, bare, "--no-history")).out).toContain("without a history");
    expect((await run("log", "--root", bare)).out).not.toContain("create");
    expect((await run("call", "read_file", '{"path":"c.txt"}', "--root", bare, "--text")).out).toContain("by another");
    expect((await run("pull", bare, "bare", "--no-history")).code).toBe(0);
    expect(treeOf(join(cwd, "bare"))).toEqual(treeOf(from));
    expect(existsSync(join(cwd, "bare", ".stet"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("a name with a backslash is one like any other, there and back", async () => {
    const odd = join(cwd, "odd");
    mkdirSync(odd);
    const workspace = openWorkspace({ root: odd, stateDir: env.STET_STATE });
    await workspace.session().create("back\\slash/a\\..\\b", "by an agent\n", { createParents: true });
    await workspace.close();
    writeFileSync(join(odd, "..\\x"), "by another program\n");
    expect((await run("push", odd, `${server.url}/acme/odd`)).code).toBe(0);
    const pulled = await run("pull", `${server.url}/acme/odd`, "odd-again");
    expect([pulled.code, pulled.err]).toEqual([0, ""]);
    expect(treeOf(join(cwd, "odd-again"))).toEqual(treeOf(odd));
    expect((await run("verify", "--root", join(cwd, "odd-again"))).out).toContain("whole");
  });

  it("pull: a path that would leave the directory, or lie in its state, is refused, whatever the database says", async () => {
    const small = `${server.url}/acme/forged`;
    await run("call", "create_file", '{"path":"a.txt","content":"x"}', "--root", small);
    const pull = () => run("pull", small, "forged", "--no-history");
    let path = "a.txt";
    for (const forged of ["../forged.txt", "/forged.txt", "sub/../../forged.txt", ".stet/x", "sub/.Stet/x"]) {
      const ws = "(select id from workspace where name = 'forged')";
      const text = `update node set path = $2 where path = $1 and ws = ${ws}`;
      await pool.query({ text, values: [path, forged] });
      path = forged;
      const { code, err } = await pull();
      expect([code, err]).toEqual([1, expect.stringContaining(`'${forged}' cannot be the name of a file`)]);
      expect([...unfinished(), ...readdirSync(cwd).filter((name) => name.startsWith("forged"))]).toEqual([]);
    }
    await pool.query({ text: "update node set path = 'a.txt' where path = $1", values: [path] });
    mkdirSync(join(cwd, "forged"));
    expect((await pull()).code).toBe(0);
    rmSync(join(cwd, "forged", "a.txt"));
    writeFileSync(join(cwd, "forged", "own.txt"), "mine\n");
    expect((await pull()).err).toContain("is not an empty directory");
    expect(readdirSync(join(cwd, "forged"))).toEqual(["own.txt"]);
  });

  it("paths that the database has no room for are refused by name, and nothing is left of it", async () => {
    const long = join(cwd, "long");
    mkdirSync(long);
    const random = (bytes: number) => randomBytes(bytes / 2).toString("hex");
    const path = `${Array.from({ length: 18 }, () => random(200)).join("/")}/x`;
    const workspace = openWorkspace({ root: long, stateDir: env.STET_STATE });
    const session = workspace.session();
    await session.create(path, "x", { createParents: true });
    await session.delete(path);
    await workspace.close();
    rmSync(join(long, path.slice(0, 200)), { recursive: true });
    const said = (name: string) => `In the database a path has at most 1250 bytes, and '${name.slice(0, 200)}…' has`;
    const pushed = await run("push", long, `${server.url}/acme/long`);
    expect([pushed.code, pushed.err]).toEqual([1, expect.stringContaining(`${said(path)} 3619.`)]);
    expect(pushed.err).toContain("--no-history");
    const { rows } = await pool.query("select 1 from workspace where name like '%long'");
    expect(rows).toEqual([]);
    const there = path.slice(0, 1400);
    mkdirSync(join(long, there.slice(0, 1206)), { recursive: true });
    writeFileSync(join(long, there), "x");
    const bare = await run("push", long, `${server.url}/acme/long`, "--no-history");
    expect([bare.code, bare.err]).toEqual([1, expect.stringContaining(`${said(there)} 1400.`)]);
  });

  it("a damaged journal is not moved, and says what is wrong", async () => {
    alterHistory(from, '"writer"', '"forger"');
    const { code, err } = await run("push", from, `${server.url}/acme/damaged`);
    expect([code, err]).toEqual([1, expect.stringMatching(/^(?=.*stet verify).*(?:altered|damaged)/s)]);
    const { rows } = await pool.query<{ n: number }>("select count(*) as n from workspace where name like '%damaged'");
    expect(rows[0]?.n).toBe(0);
  });
});
