// Where in a database a workspace lies, and its number there.
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { type Client, inTransaction, type Pool } from "../connection/client.ts";
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
  // no text in the database has this character
  if (name.includes("\0")) return undefined;
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
  const making = (client: Client) => inTransaction(client, () => client.query(make));
  await again(waitMs, () => inScope(pool, { tenant }, making));
  return (await numberIn(pool, tenant, name, waitMs))!;
}

export function noSuchWorkspace(tenant: string, name: string): Refusal {
  const whose = tenant === "" ? "" : ` of the tenant ${shown(tenant)}`;
  return new Refusal("not_found", `There is no workspace ${shown(name)}${whose} in this database.`, {
    next: "Check the name.",
  });
}
