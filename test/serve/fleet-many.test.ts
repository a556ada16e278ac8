// More workspaces than a server keeps open: those that are not in use are closed, and none that a call has just found.
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { migrate, openPool } from "../../src/backends/postgres/index.ts";
import type { Role } from "../../src/backends/postgres/tenants/tokens.ts";
import { settingsOf } from "../../src/cli/config/settings.ts";
import { openFleet } from "../../src/cli/open/fleet.ts";
import { principalOf } from "../../src/cli/open/fleet-tokens.ts";
import { createMetrics } from "../../src/serve/http/metrics.ts";
import { refuses } from "../../src/testing/assertions.ts";

const MOST_OPEN = 1000;
const COUNT = MOST_OPEN + 150;

describe.skipIf(missingPostgres() !== undefined)("many workspaces", async () => {
  if (missingPostgres() !== undefined) return;
  const database = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(database.url);
  await migrate(pool);
  await pool.query(`insert into workspace (tenant, name) select 'acme', 'w' || n from generate_series(1, ${COUNT}) n`);
  afterAll(async () => {
    await pool.end();
    await database.remove();
  });

  it("what is found for the role read refuses changes itself, whatever is asked of it", async () => {
    const settings = await settingsOf({ cwd: process.cwd(), env: { HOME: "/nonexistent" } }, {});
    const fleet = await openFleet({ url: database.url, shown: "", mirror: undefined, policy: {} }, settings);
    const sessionOf = async (role: Role) => {
      const { find } = fleet.lookupFor(principalOf({ tenant: "acme", principal: "ada", role, workspaces: ["w1"] }));
      return (await find("w1", false))!.workspace.session();
    };
    for (const role of ["write", "owner"] as const) await (await sessionOf(role)).create(`${role}.txt`, "x\n");
    const reader = await sessionOf("read");
    await refuses("permission_denied", () => reader.create("read.txt", "x\n"));
    expect((await reader.read("write.txt")).body).toBe("x\n");
    await pool.query("delete from workspace where name = 'w1'");
    await pool.query("insert into workspace (tenant, name) values ('acme', 'w1')");
    await fleet.close();
  });

  it("one that was just found is not closed, however many are open and however short they are kept", async () => {
    const settings = await settingsOf({ cwd: process.cwd(), env: { HOME: "/nonexistent" } }, {});
    const metrics = createMetrics();
    const fleet = await openFleet(
      { url: database.url, shown: "", mirror: undefined, idleMs: 1, policy: {} },
      settings,
      metrics,
    );
    const open = () => Number(/^stet_workspaces_open (\d+)$/m.exec(metrics.text())?.[1]);
    const { find } = fleet.lookupFor(
      principalOf({ tenant: "acme", principal: "ada", role: "write", workspaces: ["*"] }),
    );
    const held: (() => void)[] = [];
    let most = 0;
    const names = Array.from({ length: COUNT }, (_, n) => `w${n + 1}`);
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let name = names.pop(); name !== undefined; name = names.pop()) {
          const served = (await find(name, false))!;
          // as a call does, in the same turn
          const letGo = served.hold!();
          most = Math.max(most, open());
          expect(await served.workspace.backend.tail!()).toBeNull();
          held.push(letGo);
        }
      }),
    );
    expect(most).toBeGreaterThan(MOST_OPEN);
    for (const letGo of held) letGo();
    await expect.poll(open).toBe(0);
    await fleet.close();
  });
});
