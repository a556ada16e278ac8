// All workspaces of a database, for its owner: what there is of them, and how one is deleted.
import { inTransaction, onConnection, type Pool } from "../connection/client.ts";
import { again, within } from "../connection/database.ts";
import { noSuchWorkspace } from "./place.ts";

export interface WorkspaceAbout {
  readonly tenant: string;
  readonly name: string;
  readonly entries: number;
  readonly files: number;
  /** Of all kept versions and of the journal. */
  readonly bytes: number;
  readonly madeAt: Date;
}

export async function listWorkspaces(pool: Pool, tenant?: string): Promise<readonly WorkspaceAbout[]> {
  const { rows } = await again(0, () => pool.query<WorkspaceAbout>({ text: LIST, values: [tenant ?? null] }));
  return rows;
}

const LIST = `select tenant, name, made_at as "madeAt", files, seq as entries, version_bytes + line_bytes as bytes
  from workspace where ($1::text is null or tenant = $1) order by tenant, name`;

/** All there is of it. Refuses where there is nothing. */
export async function deleteWorkspace(
  pool: Pool,
  { tenant, name }: Pick<WorkspaceAbout, "tenant" | "name">,
): Promise<void> {
  await onConnection(pool, (connection) =>
    inTransaction(connection, async (client) => {
      const gone = await within<{ id: number }>(client, {
        text: "delete from workspace where tenant = $1 and name = $2 returning id",
        values: [tenant, name],
      });
      if (gone.length === 0) throw noSuchWorkspace(tenant, name);
      await client.query({ text: "delete from seen where ws = any($1)", values: [gone.map(({ id }) => id)] });
    }),
  );
}
