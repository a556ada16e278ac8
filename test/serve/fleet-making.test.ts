// Workspaces come with the first call that changes files in them, and go when their owner deletes them; readiness goes by the tables.
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { all, textAt } from "../support/assertions.ts";
import { startFleet } from "./fleet-support.ts";
import { send } from "./http-support.ts";

describe.skipIf(missingPostgres() !== undefined)("workspaces of a fleet come and go", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { pool, home, asServer, serve, command, token, call, workspace } = fleet;
  afterAll(fleet.end);
  const [one, other] = [await serve(), await serve({ url: asServer })];
  const { token: owner } = await token({ role: "owner", principal: "olga" });
  const { token: writer } = await token();
  const namesOf = async (tenant: string) => {
    const found = await pool.query<{ name: string }>({
      text: "select name from workspace where tenant = $1 order by name",
      values: [tenant],
    });
    return found.rows.map(({ name }) => name);
  };

  it("a call of another than an owner makes none, nor does a look", async () => {
    const input = { workspace: "none", file_path: "a.txt", content: "x" };
    for (const server of [one, other]) {
      expect((await call(server, writer, "Write", input)).isError).toBe(true);
      expect((await call(server, owner, "Read", input)).isError).toBe(true);
    }
    expect(await namesOf("acme")).toEqual([]);
  });

  it("the first change makes it, and all that come at the same moment find one and the same", async () => {
    const writes = Array.from({ length: 8 }, (_, n) =>
      call(n % 2 === 0 ? one : other, owner, "Write", { workspace: "many", file_path: `f${n}.txt`, content: `${n}` }),
    );
    for (const { isError, text } of await Promise.all(writes))
      expect([isError, text]).toEqual([false, expect.anything()]);
    expect(await namesOf("acme")).toEqual(["many"]);
    const backend = await workspace("acme", "many");
    for (let n = 0; n < 8; n++) expect(await textAt(backend, `f${n}.txt`)).toBe(`${n}`);
    expect(await all(backend.log())).toHaveLength(8);
    expect((await backend.verify()).ok).toBe(true);
    // seen by those who wrote it, at every server
    for (const server of [one, other]) {
      const edit = { workspace: "many", file_path: "f0.txt", old_string: "0", new_string: "00" };
      expect((await call(server, owner, "Edit", edit)).isError).toBe(server === other);
    }
  });

  it("of those who make it with the same file one wins, and the others are told that it exists", async () => {
    const args = ["--surface", "workspace"];
    const metricsToken = "m".repeat(20);
    const servers = [await serve({}, args), await serve({ url: asServer }, args, { http: { metricsToken } })];
    for (let round = 0; round < 2; round++) {
      const input = { workspace: `race${round}`, path: "same.txt" };
      const creates = Array.from({ length: 6 }, (_, n) =>
        call(servers[n % 2]!, owner, "create_file", { ...input, content: `by ${n}\n` }),
      );
      const answers = await Promise.all(creates);
      const won = answers.findIndex(({ isError }) => !isError);
      const kinds = answers.map(({ isError, failure }) => (isError ? failure.kind : "made"));
      expect(kinds).toEqual(kinds.map((_, n) => (n === won ? "made" : "already_exists")));
      expect(await textAt(await workspace("acme", input.workspace), "same.txt")).toBe(`by ${won}\n`);
    }
  });

  it("what is opened for the call that makes it is closed with it: no copies are left when the server has ended", async () => {
    const end = new AbortController();
    const mirror = join(home, "copies");
    const server = await serve({ mirror }, undefined, { signal: fleet.until(end) });
    await workspace("acme", "searched", { "a.txt": "needle\n" });
    const made = { workspace: "made-here", file_path: "a.txt", content: "needle\n" };
    expect((await call(server, owner, "Write", made)).isError).toBe(false);
    const refused = { workspace: "never-made", file_path: "../a.txt", content: "needle\n" };
    expect((await call(server, owner, "Write", refused)).isError).toBe(true);
    const found = await call(server, owner, "Grep", { workspace: "searched", pattern: "needle" });
    expect(found.text).toContain("a.txt");
    expect(readdirSync(mirror)).toHaveLength(1);
    end.abort();
    expect((await server.ran).code).toBe(0);
    expect(readdirSync(mirror)).toEqual([]);
  });

  it("a server does not start whose copies other users could replace", async () => {
    const mirror = join(home, "open-to-all");
    mkdirSync(mirror);
    chmodSync(mirror, 0o777);
    await expect(serve({ mirror }, ["--surface", "tracked"])).rejects.toThrow(/written by other users/);
  });

  it("one that was deleted is soon as if it had never been, and a new one of its name is another", async () => {
    await workspace("acme", "gone", { "a.txt": "of old\n" });
    const ofOthers = await workspace("umbrella", "gone", { "a.txt": "of umbrella\n" });
    const file = { workspace: "gone", file_path: "a.txt" };
    for (const server of [one, other]) expect((await call(server, writer, "Read", file)).text).toContain("of old");
    const args = ["workspaces", "delete", "acme/gone"];
    const asked = await command(...args);
    expect([asked.code, asked.err]).toEqual([1, expect.stringMatching(/--yes.*1 file/s)]);
    expect((await command(...args, "--yes")).code).toBe(0);
    expect(await textAt(ofOthers, "a.txt")).toBe("of umbrella\n");
    for (const server of [one, other])
      await expect
        .poll(async () => (await call(server, writer, "Read", file)).text, { timeout: 30_000 })
        .toContain("There is no workspace");
    const { rows } = await pool.query(`select 1 from entry where convert_from(line, 'UTF8') like '%gone%'
      union all select 1 from seen where not exists (select 1 from workspace where id = ws)`);
    expect(rows).toEqual([]);
    expect((await call(one, owner, "Write", { ...file, content: "of new\n" })).isError).toBe(false);
    expect((await call(other, writer, "Read", file)).text).toContain("of new");
  });

  it("a server is not ready while the tables are those of a newer stet", async () => {
    const ready = async () => (await send(one, { method: "GET", path: "/readyz" })).status;
    expect(await ready()).toBe(200);
    await pool.query("update stet_schema set version = version + 1");
    await expect.poll(ready, { timeout: 30_000 }).toBe(503);
    const refused = await call(one, owner, "Write", { workspace: "many", file_path: "new.txt", content: "x" });
    expect(refused.text).toContain("Use a newer stet");
    await pool.query("update stet_schema set version = version - 1");
    await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  });
});
