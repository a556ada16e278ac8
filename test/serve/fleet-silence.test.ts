// A fleet whose database falls silent, or whose locks are held: calls go on, and what cannot be known any more is given up.
import type { HttpServing } from "stet/serve";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { all } from "../support/assertions.ts";
import { startFleet } from "./fleet-support.ts";
import { openStream, send } from "./http-support.ts";

describe.skipIf(missingPostgres() !== undefined)("a fleet in trouble", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { pool, serve, command, through, token, revoke, call, workspace, until, database } = fleet;
  const proxy = await startDatabaseProxy(database.port);
  afterAll(async () => {
    proxy.speak();
    await fleet.end();
    await proxy.close();
  });
  await workspace("acme", "web", { "a.txt": "one\n" });
  const ready = async (server: HttpServing) => (await send(server, { method: "GET", path: "/readyz" })).status;

  it("connections that fell silent are replaced: calls, readiness and revocation go on, and SIGTERM ends the process", async () => {
    const end = new AbortController();
    const server = await serve({ url: through(proxy) }, ["--surface", "tracked"], { signal: until(end) });
    const [{ token: secret }, { token: leaving, id }] = [await token(), await token({ principal: "leaver" })];
    const read = () => call(server, secret, "Read", { workspace: "web", file_path: "a.txt" });
    await Promise.all(Array.from({ length: 6 }, read));
    const { ended } = await openStream(server, leaving);
    proxy.hush();
    await revoke(id);
    const many = await Promise.all(Array.from({ length: 6 }, read));
    expect(many.map(({ status, isError }) => [status, isError])).toEqual(Array(6).fill([200, false]));
    const write = { workspace: "web", file_path: "b.txt", content: "x" };
    expect(await call(server, secret, "Write", write)).toMatchObject({ status: 200, isError: false });
    await expect.poll(() => ready(server), { timeout: 30_000 }).toBe(200);
    await ended;

    proxy.hush(true);
    end.abort();
    expect((await server.ran).code).toBe(0);
    proxy.speak();
  });

  it("changes of one tenant that all wait for a lock leave connections to the others", async () => {
    const server = await serve({ connections: 4 });
    const names = Array.from({ length: 8 }, (_, n) => `w${n}`);
    for (const name of names) await workspace("held", name);
    await command("quota", "set", "held", "--entries-per-second", "1000");
    const [{ token: held }, { token: secret }] = [await token({ tenant: "held" }), await token()];
    for (const name of names) await call(server, held, "Write", { workspace: name, file_path: "a", content: "1" });
    const holder = await pool.connect();
    await holder.query("begin; set local idle_in_transaction_session_timeout = 0");
    await holder.query("select 1 from pace where tenant = 'held' for update");
    const waiting = names.map((name) => call(server, held, "Write", { workspace: name, file_path: "b", content: "1" }));
    await expect
      .poll(async () => {
        const { rows } = await pool.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
        return rows.length;
      })
      .toBeGreaterThan(0);
    const edits = await Promise.all(
      names.map((name) => call(server, secret, "Write", { workspace: "web", file_path: name, content: "x" })),
    );
    expect(edits.map(({ status, isError }) => [status, isError])).toEqual(Array(8).fill([200, false]));
    expect(await ready(server)).toBe(200);
    await holder.query("rollback");
    holder.release();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  });

  it("what is refused for its pace is not in the journal, and takes no place of a change", async () => {
    const server = await serve();
    const backend = await workspace("paced", "web");
    // so few that a machine that is busy makes more of them
    await command("quota", "set", "paced", "--entries-per-second", "1");
    const { token: secret } = await token({ tenant: "paced" });
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    const agents = Array.from({ length: 8 }, async (_, agent) => {
      for (let n = 0; n < 6; n++)
        answers.push(
          await call(server, secret, "Write", { workspace: "web", file_path: `f${agent}-${n}`, content: "x" }),
        );
    });
    await Promise.all(agents);
    const refused = answers.filter(({ isError }) => isError);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({
      failure: { kind: "busy" },
      text: expect.stringContaining("1 changes a second"),
    });
    const entries = await all(backend.log());
    expect(entries.filter(({ outcome }) => outcome === "refused")).toEqual([]);
    expect(entries).toHaveLength(answers.length - refused.length);
  });
});
