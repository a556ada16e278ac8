// What part of the connections of a pool one tenant may have: its changes may all wait for one lock, and hold a connection each.
import { type Limit, limit } from "../../../core/queue.ts";
import type { Pool } from "./client.ts";
import { inWords } from "./failures.ts";

const known = new WeakMap<Pool, Limit>();

/** Runs `work`, which takes one connection, when the tenant may have one more. Not within another: it would wait for itself. */
export async function inShare<T>(pool: Pool, tenant: string, work: () => Promise<T>): Promise<T> {
  const { max = Number.POSITIVE_INFINITY, connectionTimeoutMillis = 5_000 } = pool.options ?? {};
  const turns = known.get(pool) ?? limit(max);
  known.set(pool, turns);
  const place = turns.enter(tenant);
  try {
    if (place.turn !== undefined) await inTime(place.turn, connectionTimeoutMillis);
    return await work();
  } finally {
    place.leave();
  }
}

async function inTime(turn: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(inWords(new Error("timeout exceeded when trying to connect"))), ms);
  });
  await Promise.race([turn, late]).finally(() => clearTimeout(timer));
}
