// Where in a database a workspace lies, and its number there.
import { randomUUID } from "node:crypto";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { BEGIN, type Client, inTransaction, type Pool, type Query } from "../connection/client.ts";
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

/** A number that no workspace has or will have unless it is given to one. */
export async function numberToCome(pool: Pool, tenant: string, waitMs: number): Promise<number> {
  return again(waitMs, () =>
    inScope(pool, { tenant }, async (client) => {
      await client.query(BEGIN);
      try {
        // a name that nothing else may have, so that it waits for no other transaction
        const [row] = await within<{ id: number }>(client, {
          text: "insert into workspace (tenant, name) values ($1, $2) returning id",
          values: [tenant, `\u0001number ${randomUUID()}`],
        });
        return row!.id;
      } finally {
        await client.query("rollback");
      }
    }),
  );
}

/** With its number. Does nothing where there is one of this name. */
export function makingRow(ws: number, tenant: string, name: string): Query {
  return {
    name: "stet-make",
    text: `insert into workspace (id, tenant, name) overriding system value values ($1, $2, $3)
      on conflict do nothing`,
    values: [ws, tenant, name],
  };
}

export function noSuchWorkspace(tenant: string, name: string): Refusal {
  const whose = tenant === "" ? "" : ` of the tenant ${shown(tenant)}`;
  return new Refusal("not_found", `There is no workspace ${shown(name)}${whose} in this database.`, {
    next: "Check the name.",
  });
}
