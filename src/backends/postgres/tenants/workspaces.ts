// All workspaces of a database, for its owner: what there is of them, and how one is deleted.
import { inTransaction, onConnection, type Pool } from "../connection/client.ts";
import { again, within } from "../connection/database.ts";
import { HIDDEN, hiddenName, lockForPush, nameOfHidden } from "../moving/hidden.ts";
import { noSuchWorkspace } from "./place.ts";

export interface WorkspaceAbout {
  readonly tenant: string;
  readonly name: string;
  /** A push fills it, or was cut short while it did. */
  readonly unfinished: boolean;
  readonly entries: number;
  readonly files: number;
  /** Of all kept versions and of the journal. */
  readonly bytes: number;
  readonly madeAt: Date;
}

export async function listWorkspaces(pool: Pool, tenant?: string): Promise<readonly WorkspaceAbout[]> {
  const { rows } = await again(0, () => pool.query<WorkspaceAbout>({ text: LIST, values: [HIDDEN, tenant ?? null] }));
  return rows.map((row) => (row.unfinished ? { ...row, name: nameOfHidden(row.name) } : row));
}

/** Of one that is not finished nothing is counted before its end. */
const LIST = `select tenant, name, starts_with(name, $1) as unfinished, made_at as "madeAt", files,
    case when starts_with(name, $1) then (select count(*) from entry where ws = id) else seq end as entries,
    case when starts_with(name, $1) then (select coalesce(sum(size), 0)::bigint from blob where ws = id)
      + (select coalesce(sum(length(line) + 1), 0)::bigint from entry where ws = id)
      else version_bytes + line_bytes end as bytes
  from workspace where ($2::text is null or tenant = $2) order by tenant, name`;

/** All there is of it; what pushes to it left when `unfinished`. Refuses where there is nothing. */
export async function deleteWorkspace(pool: Pool, { tenant, name, unfinished }: Which): Promise<void> {
  await onConnection(pool, async (connection) => {
    if (unfinished) await lockForPush(connection, tenant, name);
    const names = unfinished ? [hiddenName(name, true), hiddenName(name, false)] : [name];
    await inTransaction(connection, async (client) => {
      const gone = await within<{ id: number }>(client, {
        text: "delete from workspace where tenant = $1 and name = any($2) returning id",
        values: [tenant, names],
      });
      if (gone.length === 0) throw noSuchWorkspace(tenant, name);
      await client.query({ text: "delete from seen where ws = any($1)", values: [gone.map(({ id }) => id)] });
    });
  });
}

export type Which = Pick<WorkspaceAbout, "tenant" | "name" | "unfinished">;
