// How long a stream stays open when nobody can say whether its token was revoked. From outside it takes a minute to see.
import { openPool } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../../scripts/postgres-proxy.mjs";
import { tokensIn } from "../../../src/fleet/tokens.ts";
import { startFleet } from "../../serve/fleet-support.ts";

describe.skipIf(missingPostgres() !== undefined)("a token whose database fell silent", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const proxy = await startDatabaseProxy(fleet.database.port);
  afterAll(async () => {
    proxy.speak();
    await fleet.end();
    await proxy.close();
  });

  it("ends what it opened when it cannot be told any more whether it was revoked, and not before", async () => {
    const looking = await openPool(fleet.through(proxy), { connections: 2, silentMs: 30, connectMs: 200 });
    const { token: secret } = await fleet.token();
    const tokens = tokensIn(looking, 600);
    expect(await tokens.authenticate(`Bearer ${secret}`)).toMatchObject({ name: "acme/ada" });
    let isOver = false;
    const stop = tokens.watch!(`Bearer ${secret}`, () => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(isOver).toBe(false);
    proxy.hush(true);
    await expect.poll(() => isOver).toBe(true);
    stop();
    proxy.speak();
    await looking.end();
  });
});
