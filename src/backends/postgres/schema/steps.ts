// The tables, as numbered steps; one that was taken somewhere is never changed again.

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
export const STEPS: readonly string[] = [
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
  `
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
  `,
  // Second wall, for roles that do not own the tables: no row of another workspace, whatever a statement forgets to say.
  `
  alter table workspace enable row level security;
  create policy own on workspace using (tenant = current_setting('stet.tenant', true));
  ${["node", "blob", "chunk", "entry", "change", "used", "seen"]
    .map(
      (table) => `
  alter table ${table} enable row level security;
  create policy own on ${table} using (ws = nullif(current_setting('stet.ws', true), '')::bigint);`,
    )
    .join("")}
  alter table token enable row level security;
  create policy own on token for select using (
    strpos(current_setting('stet.token', true), encode(hash, 'hex')) > 0
  );
  `,
  `
  create table quota (tenant text primary key, max_bytes bigint, max_files bigint, per_second double precision);
  create table pace (
    tenant text primary key,
    level double precision not null,
    at timestamptz not null default clock_timestamp()
  ) with (fillfactor = 20);
  alter table quota enable row level security;
  create policy own on quota for select using (tenant = current_setting('stet.tenant', true));
  alter table pace enable row level security;
  create policy own on pace using (tenant = current_setting('stet.tenant', true));
  `,
  // What paths take that no line and no version has: rows of directories stay when their last file goes.
  `
  alter table workspace add column path_bytes bigint not null default 0;
  update workspace w set path_bytes =
    (select coalesce(sum(100 + 4 * octet_length(path)), 0) from node where ws = w.id);
  `,
  // A statement may be for several workspaces of a tenant: the rows of those that it was told, and of no others. Neither
  // condition is one that an index answers: it would be taken where rows were never counted, instead of their keys.
  `
  alter policy own on workspace using (tenant || '' = current_setting('stet.tenant', true));
  ${["node", "blob", "chunk", "entry", "change", "used", "seen"]
    .map(
      (table) => `
  alter policy own on ${table}
    using (array_position(string_to_array(current_setting('stet.ws', true), ',')::bigint[], ws) is not null);`,
    )
    .join("")}
  `,
];
