// The tables, as numbered steps that are taken once each, whichever server comes first.
import { Refusal } from "../../../core/failure.ts";
import { inTransaction, type Pool } from "../connection/client.ts";
import { inWords } from "../connection/failures.ts";

/**
 * `workspace` has one row for each; the lock on it is the workspace's lock, and it holds the end of the journal.
 * `node` says what is at a path, or was: a path that is gone keeps the journal's last word.
 * `blob` has the bytes of versions by sha256, for each workspace its own; those of large ones lie in `chunk`.
 * `entry` holds the journal's lines as they were sealed; `change` finds them by path.
 * `used` says which entry had a version at a path last, before it or after it.
 * `seen` is what sessions were shown. Losing it costs them a read.
 */
const STEPS: readonly string[] = [
  `
  create table workspace (
    id bigint generated always as identity primary key,
    tenant text not null,
    name text not null,
    made_at timestamptz not null default clock_timestamp(),
    seq bigint not null default 0,
    hash text not null default repeat('0', 64),
    at text not null default '',
    files bigint not null default 0,
    file_bytes bigint not null default 0,
    versions bigint not null default 0,
    version_bytes bigint not null default 0,
    line_bytes bigint not null default 0,
    unique (tenant, name)
  ) with (fillfactor = 20);
  create table node (
    ws bigint not null references workspace on delete cascade,
    path text collate "C" not null,
    parent text collate "C" not null,
    kind "char" not null,
    sha bytea,
    size bigint not null default 0,
    mode int,
    mtime double precision not null default 0,
    target bytea,
    seq bigint,
    primary key (ws, path)
  ) with (fillfactor = 80);
  create index node_parent on node (ws, parent, path) where kind <> 'g';
  create index node_seq on node (ws, seq);
  create index node_sha on node (ws, sha) where kind in ('f', 'l');
  create table blob (
    ws bigint not null references workspace on delete cascade,
    sha bytea not null,
    size bigint not null,
    kept boolean not null,
    kept_at timestamptz not null default clock_timestamp(),
    bytes bytea,
    primary key (ws, sha)
  );
  alter table blob alter column bytes set storage external;
  create table chunk (
    ws bigint not null,
    sha bytea not null,
    n int not null,
    bytes bytea not null,
    primary key (ws, sha, n),
    foreign key (ws, sha) references blob on delete cascade
  );
  alter table chunk alter column bytes set storage external;
  create table entry (
    ws bigint not null references workspace on delete cascade,
    seq bigint not null,
    at text collate "C" not null,
    outcome text not null,
    session text not null,
    agent text,
    tool text not null,
    aspects smallint not null default 0,
    line bytea not null,
    primary key (ws, seq)
  );
  create index entry_session on entry (ws, session, seq);
  create index entry_agent on entry (ws, agent, seq) where agent is not null;
  create index entry_tool on entry (ws, tool, seq);
  create index entry_at on entry (ws, at, seq);
  create index entry_outcome on entry (ws, outcome, seq) where outcome <> 'applied';
  create index entry_of on entry (ws, seq) where aspects & 1 <> 0;
  create index entry_trash on entry (ws, seq) where aspects & 2 <> 0;
  create table change (
    ws bigint not null references workspace on delete cascade,
    path text collate "C" not null,
    seq bigint not null,
    primary key (ws, path, seq)
  );
  create table used (
    ws bigint not null references workspace on delete cascade,
    sha bytea not null,
    path text collate "C" not null,
    seq bigint not null,
    at text collate "C" not null,
    primary key (ws, sha, path)
  ) with (fillfactor = 80);
  create index used_seq on used (ws, seq);
  create unlogged table seen (
    ws bigint not null,
    key text not null,
    seen jsonb not null,
    at timestamptz not null default clock_timestamp(),
    primary key (ws, key)
  );
  create index seen_at on seen (at);
  `,
];

/** The number that this stet's tables have. */
export const SCHEMA = STEPS.length;

/** Any number will do, as long as every server takes the same. */
const MIGRATING = 7_243_001;

/** Makes or renews the tables; many servers may do so at once. Tables of a newer stet are refused. */
export async function migrate(pool: Pool): Promise<void> {
  const version = await versionIn(pool);
  refuseNewer(version);
  if (version === SCHEMA) return;
  await inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${MIGRATING})`);
    await client.query("create table if not exists stet_schema (version int not null)");
    const { rows } = await client.query<{ version: number }>("select version from stet_schema");
    const from = rows[0]?.version ?? 0;
    refuseNewer(from);
    for (const step of STEPS.slice(from)) await client.query(step);
    await client.query("delete from stet_schema");
    await client.query({ text: "insert into stet_schema values ($1)", values: [SCHEMA] });
  });
}

export async function hasTables(pool: Pool): Promise<boolean> {
  return (await versionIn(pool)) > 0;
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

function refuseNewer(version: number): void {
  if (version <= SCHEMA) return;
  throw new Refusal(
    "unsupported",
    `The tables in this database have version ${version}; this stet knows them up to version ${SCHEMA}.`,
    { next: "Use a newer stet." },
  );
}
