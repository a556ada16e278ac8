// A workspace that another server makes in the moment in which this one looks for it stays open under the calls that use it.
import pg from "pg";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { whileHeld } from "../support/database.ts";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { startFleet } from "./fleet-support.ts";
import { send } from "./http-support.ts";

/** As long as a server does not look whether a workspace is still the one of its name, and more. */
const LOOKS_AGAIN_MS = 1_100;

describe.skipIf(missingPostgres() !== undefined)("a workspace that is in use", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { database, pool, through, serve, token, call, workspace } = fleet;
  afterAll(fleet.end);
  afterEach(() => vi.restoreAllMocks());
  const server = await serve();
  const { token: writer } = await token();
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  /** Runs `work` once, behind the first look for a workspace of this name, which finds none. */
  function behindFirstLook(name: string, work: () => Promise<unknown>): void {
    const { query } = pg.Client.prototype;
    let isFirst = true;
    vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      const answer = Reflect.apply(query, this, args);
      const asked = args[0] as { readonly name?: string; readonly values?: readonly unknown[] };
      if (!isFirst || asked.name !== "stet-number" || asked.values?.[1] !== name) return answer;
      isFirst = false;
      return (answer as unknown as Promise<unknown>).then(async (rows) => {
        await work();
        return rows;
      }) as never;
    });
  }

  it("was made by another server between two looks for it", async () => {
    behindFirstLook("just-made", () => workspace("acme", "just-made", { "a.txt": "there\n" }));
    const read = { workspace: "just-made", file_path: "a.txt" };
    await expect.poll(async () => (await call(server, writer, "Read", read)).isError, { timeout: 30_000 }).toBe(false);
    const reading = await whileHeld(database.url, "lock table node in access exclusive mode", async () => {
      const first = call(server, writer, "Read", read);
      await pause(LOOKS_AGAIN_MS);
      const second = call(server, writer, "Read", read);
      await pause(200);
      return { first, second };
    });
    for (const each of [reading.first, reading.second]) expect((await each).text).toContain("there");
  });

  it("and was deleted is closed when its last user has let go of it, not before", async () => {
    const proxy = await startHoldingProxy(database.port);
    const metricsToken = "m".repeat(20);
    const other = await serve({ url: through(proxy) }, undefined, { http: { metricsToken } });
    const open = async () => {
      const { text } = await send({ ...other, token: metricsToken }, { method: "GET", path: "/metrics" });
      return /^stet_workspaces_open (\d+)$/m.exec(text)?.[1];
    };
    await workspace("acme", "deleted", { "a.txt": "of old\n" });
    const read = { workspace: "deleted", file_path: "a.txt" };
    const hold = proxy.holdAt("stet-read");
    const reading = call(other, writer, "Read", read);
    await hold.held;
    await pool.query("delete from workspace where tenant = 'acme' and name = 'deleted'");
    await pause(LOOKS_AGAIN_MS);
    expect((await call(other, writer, "Read", read)).text).toContain("There is no workspace");
    expect(await open()).toBe("1");
    hold.letGo();
    await reading;
    await expect.poll(open).toBe("0");
    await proxy.close();
  });
});
