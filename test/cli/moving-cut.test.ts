// A push that is cut off, changed under its hands, or too large: what arrives is what was sent, or nothing.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

describe.skipIf(missingPostgres() !== undefined)("a push that is cut off", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const proxy = await startHoldingProxy(server.port);
  const cutting = await startDatabaseProxy(server.port);
  const slow = await startHoldingProxy(Number(new URL(cutting.url).port));
  const cwd = mkdtempSync(join(tmpdir(), "stet-cut-"));
  const env = { USER: "ada", STET_STATE: mkdtempSync(join(tmpdir(), "stet-cut-states-")) };
  const pool = await openPool(server.url);
  await migrate(pool);
  afterAll(async () => {
    for (const each of [proxy, slow, cutting]) await each.close();
    await pool.end();
    for (const each of [cwd, env.STET_STATE]) rmSync(each, { recursive: true });
    await server.remove();
  });

  const run = (...args: readonly string[]) => stet(args, { cwd, env });
  const at = (name: string) => `${server.url}/acme/${name}`;

  async function directory(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const root = join(cwd, name);
    mkdirSync(root);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
    const workspace = openWorkspace({ root, stateDir: env.STET_STATE });
    await workspace.session({ agent: "writer" }).create("made.txt", `made in ${name}\n`);
    await workspace.close();
    return root;
  }

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
    expect([pushed.code, pushed.err]).toEqual([code, code === 0 ? "" : expect.stringMatching(/same command/)]);
    if (code === 1) await expect.poll(async () => (await run("push", root, at(name))).code).toBe(0);
    const log = await run("log", "--root", at(name), "--json");
    expect(log.out).toContain("made.txt");
  });

  it("a file that is changed while it is moved is told of, and nothing is seen", async () => {
    const root = await directory("moving", { "a.txt": "as it was\n" });
    const held = proxy.holdAt("pg_advisory_xact_lock");
    const pushing = run("push", root, `${server.through(proxy)}/acme/moving`);
    await held.held;
    writeFileSync(join(root, "made.txt"), "by another program\n");
    held.letGo();
    const { code, err } = await pushing;
    expect([code, err]).toEqual([1, expect.stringMatching(/made\.txt was changed by another program/)]);
    expect((await run("log", "--root", at("moving"))).err).toContain("There is no workspace 'moving'");
    expect((await run("push", root, at("moving"))).code).toBe(0);
  });

  it("a pull that is cut off, or called off, leaves nothing", async () => {
    const root = await directory("source", { "a.txt": "a\n" });
    expect((await run("push", root, at("source"))).code).toBe(0);
    const before = readdirSync(env.STET_STATE);
    const held = proxy.holdAt("stet-read");
    const cut = run("pull", `${server.through(proxy)}/acme/source`, "out");
    await held.held;
    expect(readdirSync(cwd)).toContain(".out.pulling");
    const second = await run("pull", at("source"), "out");
    expect([second.code, second.err]).toEqual([1, expect.stringContaining("Another stet is at work")]);
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'");
    held.letGo();
    expect((await cut).code).toBe(1);
    const off = await stet(["pull", at("source"), "out"], { cwd, env, signal: AbortSignal.abort() });
    expect([off.code, off.err]).toEqual([1, expect.stringContaining("called off")]);
    expect(readdirSync(cwd).filter((name) => name.includes("out"))).toEqual([]);
    expect(readdirSync(env.STET_STATE)).toEqual(before);
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
