// How long and how much of what sessions were shown is kept in a database, and what goes when a session ends.
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { showing } from "../../src/backends/postgres/state/ledger.ts";
import type { Seen } from "../../src/core/backend.ts";
import { shaOf } from "../../src/index.ts";
import { path } from "../../src/testing/assertions.ts";
import { testDatabase } from "../support/database.ts";

const MOST_OF_ALL = 100_000;
const SOON = { timeout: 10_000 };

describe.skipIf(missingPostgres() !== undefined)("what sessions were shown, in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  /** As the next server does: what is too old goes then. */
  const { pool, open } = await testDatabase();
  const SEEN: Seen = { sha: shaOf([]), lines: 1, shown: [{ from: 1, to: 1 }] };

  const daysAgo = (workspace: string, days: number) =>
    pool.query({
      text: `update seen set at = now() - $2 * interval '1 day' where ws = (select id from workspace where name = $1)`,
      values: [workspace, days],
    });
  async function count(workspace: string): Promise<number> {
    const { rows } = await pool.query<{ n: number }>({
      text: "select count(*)::int as n from seen s join workspace w on w.id = s.ws where w.name = $1",
      values: [workspace],
    });
    return rows[0]!.n;
  }

  it("a session that was not heard of for a month has to read again; one that goes on does not", async () => {
    const backend = await open("days");
    for (const session of ["gone", "goes on"]) await backend.ledger!(session).set(path("a"), SEEN);
    await daysAgo("days", 31);
    await backend.ledger!("goes on").set(path("a"), SEEN);
    await backend.ledger!("late").set(path("a"), SEEN);
    const next = await open("days");
    await expect.poll(() => next.ledger!("gone").get(path("a")), SOON).toBeUndefined();
    for (const session of ["goes on", "late"]) expect(await next.ledger!(session).get(path("a"))).toMatchObject(SEEN);
    await daysAgo("days", 29);
    const later = await open("days");
    await later.ledger!("another").set(path("a"), SEEN);
    expect(await count("days")).toBe(3);
  });

  it("of all sessions together so much is kept and no more, however young it is", async () => {
    const backend = await open("many");
    await pool.query({
      text: `insert into seen (ws, key, seen, at) select w.id, 'k' || n, '{}', now() - n * interval '1 second'
        from workspace w, generate_series(1, $1::int) n where w.name = 'many'`,
      values: [MOST_OF_ALL + 500],
    });
    await backend.ledger!("young").set(path("a"), SEEN);
    const next = await open("many");
    await expect.poll(() => count("many"), SOON).toBeLessThanOrEqual(MOST_OF_ALL + 1);
    expect(await count("many")).toBeGreaterThanOrEqual(MOST_OF_ALL);
    expect(await next.ledger!("young").get(path("a"))).toMatchObject(SEEN);
  });

  it("what is written at once is written in one order, so that two who do so do not wait for each other", () => {
    const { values } = showing([
      [
        2,
        [
          ["b", SEEN],
          ["c", SEEN],
          ["a", SEEN],
        ],
      ],
      [1, [["d", SEEN]]],
    ]);
    expect(values!.slice(0, 2)).toEqual([
      [1, 2, 2, 2],
      ["d", "a", "b", "c"],
    ]);
  });

  it("what one session clears or unsees is its own", async () => {
    const backend = await open("clear");
    const sessions = Array.from({ length: 16 }, (_, n) => `s${n}`);
    for (const session of sessions) for (const name of ["a", "b"]) await backend.ledger!(session).set(path(name), SEEN);
    for (const [n, session] of sessions.entries()) {
      await backend.ledger!(session).delete(path("a"));
      expect(await backend.ledger!(session).get(path("b"))).toMatchObject(SEEN);
      await backend.ledger!(session).clear!();
      expect(await count("clear")).toBe(2 * (sessions.length - n - 1));
    }
  });
});
