// Makes the tables, once, whichever server comes first.
import { Refusal } from "../../../core/failure.ts";
import { type Client, inTransaction, onConnection, type Pool } from "../connection/client.ts";
import { inWords } from "../connection/failures.ts";
import { TABLES } from "./tables.ts";

/** To be raised with each change of the tables, which then needs a step from the version before. */
export const SCHEMA = 1;

/** Any number will do, as long as every server takes the same. */
const MIGRATING = 7_243_001;

/** Makes the tables where they are missing; many servers may do so at once. Tables of a newer stet are refused. */
export async function migrate(pool: Pool): Promise<void> {
  const version = await versionIn(pool);
  refuseNewer(version);
  if (version === SCHEMA) return;
  await onConnection(pool, (connection) => inTransaction(connection, made)).catch((error: Refusal) => {
    throw error.kind === "permission_denied" ? notAllowed(version, error) : error;
  });
}

async function made(client: Client): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${MIGRATING})`);
  await client.query("create table if not exists stet_schema (version int not null)");
  const { rows } = await client.query<{ version: number }>("select version from stet_schema");
  refuseNewer(rows[0]?.version ?? 0);
  if (rows.length > 0) return;
  await client.query(TABLES);
  await client.query({ text: "insert into stet_schema values ($1)", values: [SCHEMA] });
}

/** Tables of a newer stet are refused. */
export async function hasTables(pool: Pool): Promise<boolean> {
  const version = await versionIn(pool);
  refuseNewer(version);
  return version > 0;
}

/** 0: there are no tables yet. */
export async function versionIn(pool: Pool): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>("select version from stet_schema");
    return rows[0]?.version ?? 0;
  } catch (error) {
    if ((error as { code?: string }).code === "42P01") return 0;
    throw inWords(error);
  }
}

function notAllowed(version: number, cause: Refusal): Refusal {
  const why = `The tables in this database have version ${version}, this stet needs version ${SCHEMA}, and its role may not make them.`;
  return new Refusal("permission_denied", why, { next: "Run stet token list once as the owner of the tables.", cause });
}

export function refuseNewer(version: number): void {
  if (version <= SCHEMA) return;
  throw new Refusal(
    "unsupported",
    `The tables in this database have version ${version}; this stet knows them up to version ${SCHEMA}.`,
    { next: "Use a newer stet." },
  );
}
