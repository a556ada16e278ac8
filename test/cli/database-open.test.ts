// What is not opened in a database, and told in words: one of an encoding that has no place for many names, and by stet ui a workspace that is not there.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { stet } from "../support/cli.ts";
import { ownDatabase } from "../support/postgres.ts";

describe.skipIf(missingPostgres() !== undefined)("opening a database", async () => {
  if (missingPostgres() !== undefined) return;
  const server = await ownDatabase();
  const pool = await openPool(server.url);
  const cwd = mkdtempSync(join(tmpdir(), "stet-opened-"));
  afterAll(async () => {
    await pool.end();
    await server.remove();
    rmSync(cwd, { recursive: true });
  });
  const run = (...args: readonly string[]) => stet(args, { cwd, env: { USER: "ada" } });
  const create = (path: string) => ["call", "create_file", JSON.stringify({ path, content: "x" }), "--root"];

  async function databaseOf(encoding: string): Promise<string> {
    const name = encoding.toLowerCase();
    await pool.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
    return server.url.replace(/\w+$/, name);
  }
  const serverFinding = async (url: string) => {
    const { findings } = (await run("doctor", "--root", `${url}/web`, "--json")).json();
    return findings.find(({ about }: { about: string }) => about === "server");
  };

  it("is refused where its encoding has no place for many names, and doctor tells so", async () => {
    const url = await databaseOf("LATIN1");
    const words = "The encoding of this database is LATIN1";
    for (const args of [create("a.txt"), ["mcp"], ["log", "--root"]]) {
      const { code, err } = await run(...args, `${url}/web`);
      expect([code, err]).toEqual([1, expect.stringContaining(words)]);
    }
    expect(await serverFinding(url)).toMatchObject({ state: "fail", what: expect.stringContaining(words) });
  });

  it("of SQL_ASCII doctor warns; names of any script are the same there and back", async () => {
    const url = await databaseOf("SQL_ASCII");
    expect((await run(...create("日本.txt"), `${url}/web`)).code).toBe(0);
    expect((await run("pull", `${url}/web`, "out")).code).toBe(0);
    expect((await run("call", "read_file", '{"path":"日本.txt"}', "--root", "out", "--text")).out).toContain("x");
    expect(await serverFinding(url)).toMatchObject({ state: "warn", what: expect.stringContaining("SQL_ASCII") });
    expect(await serverFinding(server.url)).toMatchObject({ state: "ok" });
  });

  it("stet ui makes no workspace: one that is not there is refused", async () => {
    expect((await run(...create("a.txt"), `${server.url}/acme/web`)).code).toBe(0);
    const { code, err } = await run("ui", "--port", "0", "--root", `${server.url}/acme/none`);
    expect([code, err]).toEqual([1, expect.stringContaining("There is no workspace 'none'")]);
    const { rows } = await pool.query("select name from workspace");
    expect(rows).toEqual([{ name: "web" }]);
  });
});
