// The tables.

/**
 * Second wall, for roles that do not own the tables: no row of another workspace, whatever a statement forgets to say. None
 * of the conditions is one that an index answers: it would be taken where rows were never counted, instead of their keys.
 */
const visible = (table: string, condition: string, what = ""): string => `
  alter table ${table} enable row level security;
  create policy own on ${table} ${what} using (${condition});`;

/** As the connection was told. */
const OF_TENANT = "tenant || '' = current_setting('stet.tenant', true)";
const OF_WORKSPACES =
  "array_position(string_to_array(current_setting('stet.ws', true), ',')::bigint[], ws) is not null";

/**
 * `workspace` has one row for each; the lock on it is the workspace's lock, and it holds the end of the journal.
 * `node` says what is at a path, or was: a path that is gone keeps the journal's last word.
 * `blob` has the bytes of versions by sha256, for each workspace its own; those of large ones lie in `chunk`.
 * `entry` holds the journal's lines as they were sealed; `change` finds them by path.
 * `used` says which entry had a version at a path last, before it or after it.
 * `seen` is what sessions were shown. Losing it costs them a read.
 * `quota` says what a tenant may have; a row of `pace` is the lock that its workspaces share when it has one.
 * `token` says who may call a server, and what for; of the token itself it has the sha256 only.
 */
export const TABLES = `
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
    path_bytes bigint not null default 0,
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
  create table token (
    id text primary key,
    hash bytea not null unique,
    tenant text not null,
    principal text not null,
    role text not null check (role in ('read', 'write', 'owner')),
    workspaces text[] not null,
    made_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz
  );
  create index token_tenant on token (tenant, made_at);
  create table quota (tenant text primary key, max_bytes bigint, max_files bigint, per_second double precision);
  create table pace (
    tenant text primary key,
    level double precision not null,
    at timestamptz not null default clock_timestamp()
  ) with (fillfactor = 20);
  ${["workspace", "pace"].map((table) => visible(table, OF_TENANT)).join("")}
  ${visible("quota", OF_TENANT, "for select")}
  ${["node", "blob", "chunk", "entry", "change", "used", "seen"].map((table) => visible(table, OF_WORKSPACES)).join("")}
  ${visible("token", "strpos(current_setting('stet.token', true), encode(hash, 'hex')) > 0", "for select")}
`;
