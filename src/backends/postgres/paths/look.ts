// All that a call begins with, by one question: what is at a path and above it, and what the session has seen there.
import type { Path, Resolved, Seen } from "../../../core/backend.ts";
import type { Query } from "../connection/client.ts";
import { again, type Database } from "../connection/database.ts";
import { type Asked, withNeighbours } from "../connection/together.ts";
import type { Node } from "./nodes.ts";

interface Wanted {
  readonly paths: readonly string[];
  /** Of the ledger. */
  readonly key: string | undefined;
}

export interface Look {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly seen: ReadonlyMap<string, Seen | undefined>;
}

/** What is at a path, or what was seen by this key. */
type Row = { readonly ws: number } & (Node | { readonly kind: "s"; readonly path: string; readonly text: string });

interface Looking {
  readonly paths: Set<string>;
  readonly nodes: Map<string, Node>;
  readonly seen: Map<string, Seen | undefined>;
}

export const look = withNeighbours(async (asked: readonly Asked<Wanted>[]): Promise<readonly Look[]> => {
  const all = new Map<number, Looking>();
  for (const { database, key: wanted } of asked) {
    const looking = all.get(database.ws) ?? { paths: new Set(), nodes: new Map(), seen: new Map() };
    all.set(database.ws, looking);
    for (const path of wanted.paths) looking.paths.add(path);
    if (wanted.key !== undefined) looking.seen.set(wanted.key, undefined);
  }
  for (const row of await rowsOf(asked, all)) {
    const { nodes, seen } = all.get(row.ws)!;
    if (row.kind === "s") seen.set(row.path, JSON.parse(row.text));
    else nodes.set(row.path, row);
  }
  return asked.map(({ database }) => all.get(database.ws)!);
});

async function rowsOf(asked: readonly Asked<Wanted>[], all: ReadonlyMap<number, Looking>): Promise<readonly Row[]> {
  const wanted = [...all].filter(([, { paths, seen }]) => paths.size + seen.size > 0);
  if (wanted.length === 0) return [];
  const ws = wanted.map(([each]) => each).toSorted((a, b) => a - b);
  const query = queryOf(new Map(wanted));
  const waitMs = Math.max(...asked.map(({ database }) => database.waitMs));
  return again(waitMs, () => asked[0]!.database.tenancy.quick<Row>(ws, query));
}

function queryOf(all: ReadonlyMap<number, Looking>): Query {
  const paths = [...all].flatMap(([each, { paths }]) => [...paths].map((path) => [each, path] as const));
  const keys = [...all].flatMap(([each, { seen }]) => [...seen.keys()].map((key) => [each, key] as const));
  return {
    name: "stet-look",
    text: `select n.ws, n.path, n.kind, n.sha, n.size, n.mode, n.mtime, n.target, n.seq, null as text
        from unnest($1::bigint[], $2::text[]) v(ws, path) join node n on n.ws = v.ws and n.path = v.path
      union all select s.ws, s.key, 's', null, null, null, null, null, null, s.seen::text
        from unnest($3::bigint[], $4::text[]) v(ws, key) join seen s on s.ws = v.ws and s.key = v.key`,
    values: [
      ...[paths.map(([each]) => each), paths.map(([, path]) => path)],
      ...[keys.map(([each]) => each), keys.map(([, key]) => key)],
    ],
  };
}

/** What was found when a path was resolved, for the rest of the call. */
interface Found extends Pick<Look, "seen"> {
  readonly node: Node | undefined;
  /** What this process had changed by then. */
  readonly changes: number;
}

const found = new WeakMap<Resolved, Found>();
const changes = new WeakMap<Database, number>();

const changesOf = (database: Database): number => changes.get(database) ?? 0;

/** By this process: what was found before may not be what is there now, so it is asked for again. */
export function noteChange(database: Database): void {
  changes.set(database, changesOf(database) + 1);
}

/** To be called before the question: what is changed while it is under way counts as changed since. */
export function finding(database: Database): (at: Resolved, what: Omit<Found, "changes">) => void {
  const then = changesOf(database);
  return (at, what) => void found.set(at, { ...what, changes: then });
}

export function foundAt(database: Database, path: Path, at: Resolved | undefined): Found | undefined {
  const known = at?.path === path ? found.get(at) : undefined;
  return known?.changes === changesOf(database) ? known : undefined;
}
