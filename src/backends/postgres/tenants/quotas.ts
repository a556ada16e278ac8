// Quotas of tenants: what they may have and do, and what they have.
import { Refusal } from "../../../core/failure.ts";
import { inTransaction, onConnection, type Pool } from "../connection/client.ts";
import { again } from "../connection/database.ts";
import { checkName } from "./names.ts";

export interface Quota {
  /** Of versions, journal entries and paths together. Null: as many as there is room for; the others likewise. */
  readonly bytes: number | null;
  readonly files: number | null;
  readonly entriesPerSecond: number | null;
}

export interface Usage {
  readonly tenant: string;
  readonly workspaces: number;
  readonly bytes: number;
  readonly files: number;
  readonly quota: Quota | null;
}

/** In place of the one before. Holds for the next change that begins. */
export async function setQuota(pool: Pool, tenant: string, quota: Quota): Promise<void> {
  if (tenant !== "") checkName(tenant);
  const { bytes, files, entriesPerSecond } = quota;
  if (bytes === null && files === null && entriesPerSecond === null)
    throw new Refusal("invalid_input", "A quota needs a limit.", { next: "Give bytes, files or entries a second." });
  await onConnection(pool, (connection) =>
    inTransaction(connection, async (client) => {
      await client.query({
        text: "insert into pace (tenant, level) values ($1, $2) on conflict do nothing",
        values: [tenant, entriesPerSecond ?? 0],
      });
      await client.query({
        text: `insert into quota (tenant, max_bytes, max_files, per_second) values ($1, $2, $3, $4)
          on conflict (tenant) do update set max_bytes = excluded.max_bytes, max_files = excluded.max_files,
            per_second = excluded.per_second`,
        values: [tenant, bytes, files, entriesPerSecond],
      });
    }),
  );
}

/** False where there was none. */
export async function removeQuota(pool: Pool, tenant: string): Promise<boolean> {
  const remove = { text: "delete from quota where tenant = $1 returning 1", values: [tenant] };
  const { rows } = await again(0, () => pool.query(remove));
  return rows.length > 0;
}

/** Of all tenants that have a workspace or a quota. */
export async function usageOfTenants(pool: Pool): Promise<readonly Usage[]> {
  type Row = Omit<Usage, "quota"> & Quota & { readonly limited: boolean; readonly maxBytes: number; maxFiles: number };
  const { rows } = await again(0, () =>
    pool.query<Row>({
      text: `select coalesce(w.tenant, q.tenant) as tenant, coalesce(workspaces, 0)::bigint as workspaces,
        coalesce(bytes, 0)::bigint as bytes, coalesce(files, 0)::bigint as files, q.tenant is not null as limited,
        max_bytes as "maxBytes", max_files as "maxFiles", per_second as "entriesPerSecond"
      from (select tenant, count(*) as workspaces, sum(version_bytes + line_bytes + path_bytes) as bytes,
          sum(files) as files
        from workspace group by tenant) w
        full join quota q on q.tenant = w.tenant order by 1`,
    }),
  );
  return rows.map(({ limited, maxBytes, maxFiles, entriesPerSecond, ...usage }) => ({
    ...usage,
    quota: limited ? { bytes: maxBytes, files: maxFiles, entriesPerSecond } : null,
  }));
}
