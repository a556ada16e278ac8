// Where in a database a workspace lies, and its number there.
import { LIMITS } from "../../../core/limits.ts";
import type { Pool } from "../connection/client.ts";
import { again, within } from "../connection/database.ts";
import { inScope } from "../connection/scope.ts";

export interface Place {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  readonly tenant: string;
  readonly workspace: string;
}

export async function numberIn(
  pool: Pool,
  tenant: string,
  name: string,
  waitMs: number = LIMITS.lockMs,
): Promise<number | undefined> {
  const find = {
    name: "stet-number",
    text: "select id from workspace where tenant = $1 and name = $2",
    values: [tenant, name],
  };
  const [row] = await again(waitMs, () => inScope(pool, { tenant }, (client) => within<{ id: number }>(client, find)));
  return row?.id;
}

/** By this process, or by another one at the same moment. */
export async function made(pool: Pool, tenant: string, name: string, waitMs: number = LIMITS.lockMs): Promise<number> {
  const make = {
    text: "insert into workspace (tenant, name) values ($1, $2) on conflict do nothing",
    values: [tenant, name],
  };
  await again(waitMs, () => inScope(pool, { tenant }, (client) => client.query(make)));
  return (await numberIn(pool, tenant, name, waitMs))!;
}
