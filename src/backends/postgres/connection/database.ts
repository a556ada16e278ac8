// One workspace in the database: its number, and questions to it that may be asked again when a connection was lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sha } from "../../../core/backend.ts";
import type { Client, Pool, Query } from "./client.ts";
import { inWords, isHeld, isLost, isUnprepared } from "./failures.ts";
import { inScope } from "./scope.ts";
import { sharing } from "./sharing.ts";
import { type Tenancy, tenancyOf } from "./tenancy.ts";

export interface Database {
  readonly pool: Pool;
  readonly tenant: string;
  /** The number of the workspace, the first column of every key. */
  readonly ws: number;
  /** How long a change waits for its turn, and a question for a database that is away. */
  readonly waitMs: number;
  /** Only what may be done twice: on another connection, if the one it was asked on is lost. */
  ask<Row>(query: Query): Promise<Row[]>;
  /** The same for what is found by its key and takes a moment: questions that are under way at the same time share a connection. */
  quick<Row>(query: Query): Promise<Row[]>;
  /** On one connection, which sees nothing but this workspace where row-level security holds. */
  on<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** What it has in common with the other workspaces of its tenant. */
  readonly tenancy: Tenancy;
}

export function databaseOf(pool: Pool, tenant: string, ws: number, waitMs: number): Database {
  const tenancy = tenancyOf(pool, tenant);
  const on: Database["on"] = (work) => inScope(pool, { tenant, ws: [ws] }, work);
  const onShared = sharing((work) => tenancy.on([ws], work));
  return {
    pool,
    tenant,
    ws,
    waitMs,
    on,
    tenancy,
    ask: <Row>(query: Query) => again(waitMs, () => on((client) => within<Row>(client, query))),
    quick: <Row>(query: Query) => again(waitMs, () => onShared((client) => within<Row>(client, query))),
  };
}

/** By a connection, or by what another does in the same moment. */
const passes = (error: unknown): boolean => isLost(error) || isHeld(error) || isUnprepared(error);

/** Until it works, or fails in a way that does not pass, or the time is up. */
export async function again<T>(waitMs: number, work: () => Promise<T>, mayPass = passes): Promise<T> {
  const until = performance.now() + waitMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || performance.now() + pause > until) throw inWords(error);
      await sleep(pause);
    }
  }
}

/** On a connection that is in a transaction. */
export async function within<Row>(client: Client, query: Query): Promise<Row[]> {
  const { rows } = await client.query<Row>(query);
  return rows;
}

export const bytesOfSha = (sha: Sha): Buffer => Buffer.from(sha, "hex");
export const shaOfBytes = (bytes: Buffer): Sha => bytes.toString("hex") as Sha;
