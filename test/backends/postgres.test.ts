// The conformance suite on a real PostgreSQL server.
import { afterAll, describe, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { openPool, postgres } from "../../src/backends/postgres/index.ts";
import { testBackend } from "../../src/testing/index.ts";

const missing = missingPostgres();

describe.skipIf(missing !== undefined)("PostgreSQL", async () => {
  if (missing !== undefined) return;
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });

  await testBackend((workspace) => postgres({ database: pool, workspace }));
});

it.skipIf(missing === undefined)("cannot be started here", (context) => context.skip(missing));
