// Others are told of every change, also of the last one before a workspace is closed.
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { openPool, type Pool, postgres } from "../../src/backends/postgres/index.ts";
import { put, testDatabase } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("hints of changes in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, open } = await testDatabase();

  /** As one whose connections are all in use: a hint leaves a moment after it was given. */
  function telling(pool: Pool, afterMs: number): Pool {
    const query: Pool["query"] = async (asked) => {
      if (typeof asked !== "string" && asked.name === "stet-tell") await pause(afterMs);
      return pool.query(asked);
    };
    return new Proxy(pool, {
      get: (target, name) => {
        const value = name === "query" ? query : Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  it("the last one before close() reaches those who listen, also where another is on its way", async () => {
    const listener = await open("w");
    let heard = 0;
    listener.watch!(() => (heard += 1));
    // that it listens
    await expect.poll(() => heard).toBe(1);
    const pool = telling(await openPool(server.url), 100);
    const writer = await postgres({ database: pool, workspace: "w" });
    await put(writer, "a.txt", null, "1");
    await writer.close();
    await pool.end();
    await expect.poll(() => heard).toBe(2);
  });
});
