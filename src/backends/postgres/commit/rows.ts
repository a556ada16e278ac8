// The rows that a transaction writes: what is at each path, the entries, and how they are found.
import { hash } from "node:crypto";
import type { Entry, Path, Sha } from "../../../core/backend.ts";
import { parentOf } from "../../../core/paths.ts";
import { encode } from "../../journal/entry.ts";
import { aspectsOf } from "../../journal/entry-filter.ts";
import type { Query } from "../connection/client.ts";
import { bytesOfSha } from "../connection/database.ts";
import type { Node } from "../paths/nodes.ts";
import { showing } from "../state/ledger.ts";
import { columns, type Of } from "./columns.ts";
import type { Gathered } from "./gather.ts";

const KEY_CHARS = 400;

/**
 * A name as it is found by: as the journal writes it, since it may hold what `text` cannot (NUL, half a surrogate pair).
 * A long one would not fit into an index. Names that differ have different keys.
 */
export function keyOf(name: string): string {
  const written = encode(name);
  return written.length <= KEY_CHARS ? written : hash("sha256", written);
}

/** The bits of `entry.aspects`. */
export const ASPECTS = { "of entries": 1, trash: 2 } as const;

export function writing(all: Of<Gathered>): Query[] {
  const each = <T>(rows: (gathered: Gathered) => Iterable<T>): Of<T[]> => all.map(([ws, of]) => [ws, [...rows(of)]]);
  const some = <T>(rows: Of<T[]>, query: (rows: Of<T[]>) => Query): Query[] =>
    rows.some(([, of]) => of.length > 0) ? [query(rows)] : [];
  return [
    ...some(
      each(({ keep }) => keep),
      keeping,
    ),
    ...some(
      each(({ nodes }) => nodes.values()),
      placing,
    ),
    ...telling(each(({ sealed }) => sealed)),
    ...some(
      each(({ seen }) => seen),
      showing,
    ),
    heading(all),
  ];
}

function heading(all: Of<Gathered>): Query {
  const column = <T>(of: (gathered: Gathered) => T): T[] => all.map(([, gathered]) => of(gathered));
  return {
    name: "stet-head",
    text: `update workspace w set seq = v.seq, hash = v.hash, at = v.at, files = w.files + v.files,
      file_bytes = w.file_bytes + v.file_bytes, line_bytes = w.line_bytes + v.line_bytes,
      path_bytes = w.path_bytes + v.path_bytes, versions = w.versions + v.versions,
      version_bytes = w.version_bytes + v.version_bytes
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::bigint[], $10::bigint[])
        v(ws, seq, hash, at, files, file_bytes, line_bytes, path_bytes, versions, version_bytes)
      where w.id = v.ws`,
    values: [
      all.map(([ws]) => ws),
      column(({ tail }) => tail.seq),
      column(({ tail }) => tail.hash),
      column(({ tail }) => tail.at),
      column(({ files }) => files),
      column(({ fileBytes }) => fileBytes),
      column(({ sealed }) => sealed.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0)),
      column(({ pathBytes }) => pathBytes),
      column(({ versions }) => versions.size),
      column(({ versions }) => [...versions.values()].reduce((sum, { size }) => sum + size, 0)),
    ],
  };
}

function telling(all: Of<readonly Told[]>): Query[] {
  return [entering(all), ...finding(all), ...using(all)];
}

/** The same for many of one workspace, of which some are long: in a list bytes are written out as text, twice as long. */
export function tellingMany(ws: number, told: readonly Told[]): Query[] {
  const isLong = ({ line }: Told): boolean => line.length > LONG_LINE;
  const short = told.filter((each) => !isLong(each));
  return [
    ...(short.length === 0 ? [] : [entering([[ws, short]])]),
    ...told.filter(isLong).map((each) => enteringOne(ws, each)),
    ...finding([[ws, told]]),
    ...using([[ws, told]]),
  ];
}

const LONG_LINE = 4096;

function enteringOne(ws: number, told: Told): Query {
  const { values } = entering([[ws, [told]]]);
  return {
    name: "stet-enter-one",
    text: `insert into entry (ws, seq, at, outcome, session, agent, tool, aspects, line)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: (values as (readonly unknown[])[]).map(([only]) => only),
  };
}

export interface Told {
  readonly entry: Entry;
  readonly line: string | Buffer;
}

function keeping(all: Of<readonly Sha[]>): Query {
  return {
    name: "stet-keep",
    text: `update blob b set kept = true, kept_at = clock_timestamp() from unnest($1::bigint[], $2::bytea[]) v(ws, sha)
      where b.ws = v.ws and b.sha = v.sha and not b.kept`,
    values: columns(all, bytesOfSha),
  };
}

export function placing(all: Of<readonly Node[]>): Query {
  return {
    name: "stet-place",
    text: `insert into node (ws, path, parent, kind, sha, size, mode, mtime, target, seq)
      select * from unnest($1::bigint[], $2::text[], $3::text[], $4::"char"[], $5::bytea[], $6::bigint[], $7::int[],
        $8::float8[], $9::bytea[], $10::bigint[]) v(ws)
      on conflict (ws, path) do update set kind = excluded.kind, sha = excluded.sha, size = excluded.size,
        mode = excluded.mode, mtime = excluded.mtime, target = excluded.target, seq = excluded.seq`,
    values: columns(
      all,
      ({ path }) => path,
      ({ path }) => parentOf(path),
      ({ kind }) => kind,
      ({ sha }) => sha,
      ({ size }) => size,
      ({ mode }) => mode,
      ({ mtime }) => mtime,
      ({ target }) => target,
      ({ seq }) => seq,
    ),
  };
}

function entering(all: Of<readonly Told[]>): Query {
  return {
    name: "stet-enter",
    text: `insert into entry (ws, seq, at, outcome, session, agent, tool, aspects, line)
      select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::smallint[], $9::bytea[]) v(ws)`,
    values: columns(
      all,
      ({ entry }) => entry.seq,
      ({ entry }) => entry.at,
      ({ entry }) => entry.outcome,
      ({ entry }) => keyOf(entry.session),
      ({ entry: { agent } }) => (agent === undefined ? null : keyOf(agent)),
      ({ entry }) => keyOf(entry.tool),
      ({ entry }) => aspectsOf(entry).reduce((bits, aspect) => bits | ASPECTS[aspect], 0),
      ({ line }) => (typeof line === "string" ? Buffer.from(line) : line),
    ),
  };
}

/** An entry is found by the old name of a file that it moved, too. */
function finding(all: Of<readonly Told[]>): Query[] {
  const rows = all.map(([ws, told]) => [ws, told.flatMap(pathsIn)] as const);
  if (rows.every(([, of]) => of.length === 0)) return [];
  return [
    {
      name: "stet-find",
      text: `insert into change (ws, path, seq)
        select * from unnest($1::bigint[], $2::text[], $3::bigint[]) v(ws)`,
      values: columns(
        rows,
        ({ path }) => path,
        ({ seq }) => seq,
      ),
    },
  ];
}

function pathsIn({ entry: { seq, changes } }: Told): { readonly path: Path; readonly seq: number }[] {
  const paths = changes.flatMap(({ path, movedFrom }) => (movedFrom === undefined ? [path] : [path, movedFrom]));
  return [...new Set(paths)].map((path) => ({ path, seq }));
}

interface Use {
  readonly sha: Sha;
  readonly path: Path;
  readonly seq: number;
  readonly at: string;
}

function using(all: Of<readonly Told[]>): Query[] {
  const rows = all.map(([ws, told]) => [ws, lastUses(told)] as const);
  if (rows.every(([, of]) => of.length === 0)) return [];
  return [
    {
      name: "stet-use",
      text: `insert into used (ws, sha, path, seq, at)
        select * from unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[], $5::text[]) v(ws)
        on conflict (ws, sha, path) do update set seq = excluded.seq, at = excluded.at`,
      values: columns(
        rows,
        ({ sha }) => bytesOfSha(sha),
        ({ path }) => path,
        ({ seq }) => seq,
        ({ at }) => at,
      ),
    },
  ];
}

/** Of each version at each path the last one only: several in one statement would meet the same row twice. */
function lastUses(told: readonly Told[]): Use[] {
  const last = new Map<string, Use>();
  for (const { entry } of told) {
    const { outcome, seq, at, changes } = entry;
    if (outcome !== "applied" && outcome !== "external") continue;
    for (const { path, from, to } of changes)
      for (const sha of [from, to]) if (sha !== null) last.set(`${sha}${path}`, { sha, path, seq, at });
  }
  return [...last.values()];
}
