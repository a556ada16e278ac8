// Makes and renews the tables: each step is taken once, whichever server comes first.
import { Refusal } from "../../../core/failure.ts";
import { type Client, inTransaction, onConnection, type Pool } from "../connection/client.ts";
import { inWords } from "../connection/failures.ts";
import { STEPS } from "./steps.ts";

export const SCHEMA = STEPS.length;

/** Any number will do, as long as every server takes the same. */
const MIGRATING = 7_243_001;

/** Makes or renews the tables; many servers may do so at once. Tables of a newer stet are refused. */
export async function migrate(pool: Pool): Promise<void> {
  const version = await versionIn(pool);
  refuseNewer(version);
  if (version === SCHEMA) return;
  await onConnection(pool, (connection) => inTransaction(connection, taken)).catch((error: Refusal) => {
    throw error.kind === "permission_denied" ? notAllowed(version, error) : error;
  });
}

async function taken(client: Client): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${MIGRATING})`);
  await client.query("create table if not exists stet_schema (version int not null)");
  const { rows } = await client.query<{ version: number }>("select version from stet_schema");
  const from = rows[0]?.version ?? 0;
  refuseNewer(from);
  // changes that are under way come to their end first; those that come later see the new version
  if (from > 0) await client.query("lock table workspace in exclusive mode");
  for (const step of STEPS.slice(from)) await client.query(step);
  await client.query("delete from stet_schema");
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
