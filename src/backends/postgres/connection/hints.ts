// Hints that something changed: one connection of a process listens for all its workspaces. What changed is for the listener to find out.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Pool } from "./client.ts";

const CHANNEL = "stet";

/** A connection that only listens would never notice that the other end is gone. */
const STILL_THERE_MS = 2_000;

/** From one hint to the next: what changes meanwhile is told together. */
const PAUSE_MS = 20;

/** A commit that tells something waits for the disk like any other unless it is told not to; a hint may be lost. */
const TELL = `select set_config('synchronous_commit', 'off', true), pg_notify($1, ws::text)
  from unnest($2::bigint[]) ws`;

export interface Hints {
  /** Tells every process that listens, not in the transaction: there it would hold up all others. Never fails. */
  tell(ws: number): void;
  /** Until all that was told is out. Never fails. */
  flush(): Promise<void>;
  /** Until the returned function is called. May be told more than there is. */
  listen(ws: number, changed: () => void): () => void;
}

const known = new WeakMap<Pool, Hints>();

export function hintsOf(pool: Pool): Hints {
  const hints = known.get(pool) ?? createHints(pool);
  known.set(pool, hints);
  return hints;
}

function createHints(pool: Pool): Hints {
  const listeners = new Map<number, Set<() => void>>();
  const untold = new Set<number>();
  let sentAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> = Promise.resolve();
  let connection: { end(): void } | undefined;

  /** Behind the one that is on its way. */
  function send(): Promise<void> {
    sending = sending.then(async () => {
      const numbers = [...untold];
      untold.clear();
      if (numbers.length === 0) return;
      sentAt = performance.now();
      await pool.query({ name: "stet-tell", text: TELL, values: [CHANNEL, numbers] }).catch(() => {});
    });
    return sending;
  }

  function hear(ws: number | undefined): void {
    const all = ws === undefined ? [...listeners.values()] : [listeners.get(ws) ?? new Set()];
    for (const set of all) for (const changed of set) changed();
  }

  return {
    tell(ws) {
      if (untold.size === 0) setTimeout(send, Math.max(0, sentAt + PAUSE_MS - performance.now())).unref();
      untold.add(ws);
    },
    flush: send,
    listen(ws, changed) {
      const own = listeners.get(ws) ?? new Set();
      listeners.set(ws, own.add(changed));
      connection ??= stayConnected(pool, hear);
      return () => {
        own.delete(changed);
        if (own.size === 0 && listeners.get(ws) === own) listeners.delete(ws);
        if (listeners.size > 0) return;
        connection?.end();
        connection = undefined;
      };
    },
  };
}

/** Whatever was missed while there was no connection is hinted at when there is one again. */
function stayConnected(pool: Pool, hear: (ws: number | undefined) => void): { end(): void } {
  const ended = new AbortController();

  async function once(): Promise<void> {
    const client = (await pool.connect()) as Client & Notifying;
    if (ended.signal.aborted) return void client.release();
    const lost = new Promise<Error>((resolve) => {
      client.on("error", resolve);
      client.on("end", () => resolve(new Error("The connection was ended.")));
      ended.signal.addEventListener("abort", () => resolve(new Error("No longer needed.")));
    });
    client.on("notification", ({ payload }) => hear(Number(payload)));
    const asking = setInterval(() => client.query("select 1").catch(() => {}), STILL_THERE_MS).unref();
    try {
      await client.query(`listen ${CHANNEL}`);
      hear(undefined);
      client.release(await lost);
    } catch (error) {
      client.release(error as Error);
      throw error;
    } finally {
      clearInterval(asking);
    }
  }

  async function always(): Promise<void> {
    for (let pause = 50; !ended.signal.aborted; pause = Math.min(pause * 2, 2000)) {
      await once().then(
        () => {
          pause = 50;
        },
        () => {},
      );
      await sleep(pause, undefined, { signal: ended.signal, ref: false }).catch(() => {});
    }
  }

  void always();
  return { end: () => ended.abort() };
}

interface Notifying {
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): unknown;
  on(event: "end", listener: () => void): unknown;
}
