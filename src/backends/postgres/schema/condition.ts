// What there is to know of a database before it is trusted with files: for a diagnosis, in facts.
import type { Pool } from "../connection/client.ts";
import { inWords } from "../connection/failures.ts";
import { serverOf } from "../connection/server.ts";
import { SCHEMA, versionIn } from "./migrate.ts";
import { PRIVILEGES } from "./privileges.ts";

export interface Condition {
  /** As in 180004. */
  readonly version: number;
  readonly versionText: string;
  readonly encoding: string;
  /** A pooler hands its connections on after each transaction. */
  readonly isHandedOn: boolean;
  readonly synchronousCommit: string;
  readonly fsync: boolean;
  /** It follows another one: nothing can be changed here. */
  readonly isStandby: boolean;
  readonly standbys: number;
  /** Those that every commit waits for, as the settings name them. */
  readonly synchronousStandbys: string;
  /** Its clock less that of this machine, as far as that can be told. */
  readonly clockMs: number;
  /** By how much that may be wrong. */
  readonly clockDoubtMs: number;
  readonly role: string;
  /** Row-level security does not hold for it. */
  readonly isPastRowSecurity: boolean;
  /** Of the tables that there are: "insert on entry". */
  readonly missingPrivileges: readonly string[];
  readonly mayMakeTables: boolean;
  /** 0: there are no tables yet. */
  readonly schema: number;
  readonly knownSchema: number;
}

type Row = Omit<
  Condition,
  "isHandedOn" | "encoding" | "clockMs" | "clockDoubtMs" | "schema" | "knownSchema" | "missingPrivileges"
> & {
  readonly now: number;
};

/** Never refuses a newer schema: that is for the diagnosis to tell. */
export async function conditionOf(pool: Pool): Promise<Condition> {
  try {
    const { isHandedOn, encoding } = await serverOf(pool);
    const schema = await versionIn(pool);
    const began = Date.now();
    const { rows } = await pool.query<Row>(FACTS);
    const took = Date.now() - began;
    const { now, ...facts } = rows[0]!;
    return {
      ...facts,
      isHandedOn,
      encoding,
      clockMs: Math.round(now - (began + took / 2)),
      clockDoubtMs: Math.ceil(took / 2),
      missingPrivileges: schema === 0 ? [] : await missingIn(pool),
      schema,
      knownSchema: SCHEMA,
    };
  } catch (error) {
    throw inWords(error);
  }
}

const FACTS = `select current_setting('server_version_num')::int as version,
  current_setting('server_version') as "versionText",
  current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('fsync')::bool as fsync,
  pg_is_in_recovery() as "isStandby",
  (select count(*) from pg_stat_replication) as standbys,
  current_setting('synchronous_standby_names') as "synchronousStandbys",
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  current_user as role,
  (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isPastRowSecurity",
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayMakeTables"`;

async function missingIn(pool: Pool): Promise<string[]> {
  const needed = Object.entries(PRIVILEGES).flatMap(([table, all]) => all.map((privilege) => ({ table, privilege })));
  const { rows } = await pool.query<{ what: string }>({
    text: `select privilege || ' on ' || name as what from unnest($1::text[], $2::text[]) as needed(name, privilege)
      where to_regclass(name) is not null and not has_table_privilege(name, privilege)`,
    values: [needed.map(({ table }) => table), needed.map(({ privilege }) => privilege)],
  });
  return rows.map(({ what }) => what);
}
