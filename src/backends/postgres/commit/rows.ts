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
import { IF_SO } from "./as-one.ts";
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

/** With `stored` versions are counted there: rows with their `size`, and whether each `is_new`. */
export function writing(
  ws: number,
  { sealed, nodes, keep, seen, versions, tail, files, fileBytes, pathBytes }: Gathered,
  stored?: string,
): Query[] {
  const versionBytes = [...versions.values()].reduce((sum, { size }) => sum + size, 0);
  const lineBytes = sealed.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  return [
    ...(keep.size === 0 ? [] : [keeping(ws, [...keep])]),
    ...(nodes.size === 0 ? [] : [placing(ws, [...nodes.values()])]),
    ...telling(ws, sealed),
    ...(seen.size === 0 ? [] : [showing(ws, seen)]),
    {
      name: stored === undefined ? "stet-head" : "stet-sum",
      text: `update workspace set seq = $2, hash = $3, at = $4, files = files + $5, file_bytes = file_bytes + $6,
        line_bytes = line_bytes + $7, path_bytes = path_bytes + $8, ${stored === undefined ? GIVEN : countedIn(stored)}
        where id = $1 and ${IF_SO}`,
      values: [
        ...[ws, tail.seq, tail.hash, tail.at, files, fileBytes, lineBytes, pathBytes],
        ...(stored === undefined ? [versions.size, versionBytes] : []),
      ],
    },
  ];
}

const GIVEN = "versions = versions + $9, version_bytes = version_bytes + $10";

function countedIn(stored: string): string {
  return `versions = versions + (select count(*) from ${stored} where is_new),
    version_bytes = version_bytes + (select coalesce(sum(size), 0) from ${stored} where is_new)`;
}

/** The entries, and how they are found. */
export function telling(ws: number, sealed: readonly Told[]): Query[] {
  return [entering(ws, sealed), ...finding(ws, sealed), ...using(ws, sealed)];
}

/** The same for many at once, of which some are long: in a list bytes are written out as text, twice as long. */
export function tellingMany(ws: number, told: readonly Told[]): Query[] {
  const isLong = ({ line }: Told): boolean => line.length > LONG_LINE;
  const short = told.filter((each) => !isLong(each));
  return [
    ...(short.length === 0 ? [] : [entering(ws, short)]),
    ...told.filter(isLong).map((each) => enteringOne(ws, each)),
    ...finding(ws, told),
    ...using(ws, told),
  ];
}

const LONG_LINE = 4096;

function enteringOne(ws: number, told: Told): Query {
  const { values } = entering(ws, [told]);
  const [, ...columns] = values as [number, ...(readonly unknown[])[]];
  return {
    name: "stet-enter-one",
    text: `insert into entry (ws, seq, at, outcome, session, agent, tool, aspects, line)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [ws, ...columns.map(([only]) => only)],
  };
}

export interface Told {
  readonly entry: Entry;
  readonly line: string | Buffer;
}

function keeping(ws: number, shas: readonly Sha[]): Query {
  return {
    name: "stet-keep",
    text: `update blob set kept = true, kept_at = clock_timestamp() where ws = $1 and sha = any($2) and not kept and ${IF_SO}`,
    values: [ws, shas.map(bytesOfSha)],
  };
}

export function placing(ws: number, nodes: readonly Node[]): Query {
  const column = <K extends keyof Node>(key: K): Node[K][] => nodes.map((node) => node[key]);
  return {
    name: "stet-place",
    text: `insert into node (ws, path, parent, kind, sha, size, mode, mtime, target, seq)
      select $1, * from unnest($2::text[], $3::text[], $4::"char"[], $5::bytea[], $6::bigint[], $7::int[],
        $8::float8[], $9::bytea[], $10::bigint[]) where ${IF_SO}
      on conflict (ws, path) do update set kind = excluded.kind, sha = excluded.sha, size = excluded.size,
        mode = excluded.mode, mtime = excluded.mtime, target = excluded.target, seq = excluded.seq`,
    values: [
      ws,
      column("path"),
      nodes.map(({ path }) => parentOf(path)),
      column("kind"),
      column("sha"),
      column("size"),
      column("mode"),
      column("mtime"),
      column("target"),
      column("seq"),
    ],
  };
}

function entering(ws: number, sealed: readonly Told[]): Query {
  const column = <T>(of: (entry: Entry) => T): T[] => sealed.map(({ entry }) => of(entry));
  return {
    name: "stet-enter",
    text: `insert into entry (ws, seq, at, outcome, session, agent, tool, aspects, line)
      select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::smallint[], $9::bytea[]) where ${IF_SO}`,
    values: [
      ws,
      column(({ seq }) => seq),
      column(({ at }) => at),
      column(({ outcome }) => outcome),
      column(({ session }) => keyOf(session)),
      column(({ agent }) => (agent === undefined ? null : keyOf(agent))),
      column(({ tool }) => keyOf(tool)),
      column((entry) => aspectsOf(entry).reduce((bits, aspect) => bits | ASPECTS[aspect], 0)),
      sealed.map(({ line }) => (typeof line === "string" ? Buffer.from(line) : line)),
    ],
  };
}

/** An entry is found by the old name of a file that it moved, too. */
function finding(ws: number, sealed: readonly Told[]): Query[] {
  const rows = sealed.flatMap(({ entry: { seq, changes } }) => {
    const paths = changes.flatMap(({ path, movedFrom }) => (movedFrom === undefined ? [path] : [path, movedFrom]));
    return [...new Set(paths)].map((path) => ({ path, seq }));
  });
  if (rows.length === 0) return [];
  return [
    {
      name: "stet-find",
      text: `insert into change (ws, path, seq) select $1, * from unnest($2::text[], $3::bigint[]) where ${IF_SO}`,
      values: [ws, rows.map(({ path }) => path), rows.map(({ seq }) => seq)],
    },
  ];
}

/** Of each version at each path the last use only: several in one statement would meet the same row twice. */
function using(ws: number, sealed: readonly Told[]): Query[] {
  const last = new Map<string, { sha: Sha; path: Path; seq: number; at: string }>();
  for (const { entry } of sealed) {
    const { outcome, seq, at, changes } = entry;
    if (outcome !== "applied" && outcome !== "external") continue;
    for (const { path, from, to } of changes)
      for (const sha of [from, to]) if (sha !== null) last.set(`${sha}${path}`, { sha, path, seq, at });
  }
  if (last.size === 0) return [];
  const rows = [...last.values()];
  return [
    {
      name: "stet-use",
      text: `insert into used (ws, sha, path, seq, at)
        select $1, * from unnest($2::bytea[], $3::text[], $4::bigint[], $5::text[]) where ${IF_SO}
        on conflict (ws, sha, path) do update set seq = excluded.seq, at = excluded.at`,
      values: [
        ws,
        rows.map(({ sha }) => bytesOfSha(sha)),
        rows.map(({ path }) => path),
        rows.map(({ seq }) => seq),
        rows.map(({ at }) => at),
      ],
    },
  ];
}
