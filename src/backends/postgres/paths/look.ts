// All that a call begins with, by one question: what is at a path and above it, what the session has seen there, and where the journal ends.
import type { Path, Resolved, Seen, Sha } from "../../../core/backend.ts";
import type { Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { together } from "../connection/together.ts";
import { believe } from "../state/believed.ts";
import type { Node } from "./nodes.ts";

interface Asked {
  readonly paths: readonly string[];
  /** Of the ledger. */
  readonly key: string | undefined;
}

export interface Look {
  readonly nodes: Map<string, Node>;
  /** By the keys that were asked for. */
  readonly seen: ReadonlyMap<string, Seen | undefined>;
}

/** What is at a path, what was seen by this key, or the end of the journal, by its hash, with the database's clock. */
type Row =
  | Node
  | { readonly kind: "s"; readonly path: string; readonly text: string }
  | { readonly kind: "e"; readonly path: Sha; readonly seq: number; readonly mtime: number; readonly text: string };

export const look = together(async (database, asked: readonly Asked[]): Promise<readonly Look[]> => {
  const { ws, quick } = database;
  const paths = [...new Set(asked.flatMap((each) => each.paths))];
  const keys = [...new Set(asked.flatMap(({ key }) => key ?? []))];
  const nodes = new Map<string, Node>();
  const seen = new Map<string, Seen | undefined>(keys.map((key) => [key, undefined]));
  if (paths.length + keys.length === 0) return asked.map(() => ({ nodes, seen }));
  let ending: (Row & { kind: "e" }) | undefined;
  for (const row of await quick<Row>(query(ws, paths, keys))) {
    if (row.kind === "s") seen.set(row.path, JSON.parse(row.text));
    else if (row.kind === "e") ending = row;
    else nodes.set(row.path, row);
  }
  if (ending !== undefined) {
    const { seq, path: hash, text: at, mtime: there } = ending;
    const all = paths.map((path) => [path, nodes.get(path)] as const);
    believe(database, { end: { seq, hash, at }, nodes: all, clock: { there, here: performance.now() } });
  }
  return asked.map(() => ({ nodes, seen }));
});

/** Most paths are not deeper. */
const FEW = 6;

function query(ws: number, paths: readonly string[], keys: readonly string[]): Query {
  if (paths.length > FEW || keys.length > 1)
    return { name: "stet-look", text: textOf("= any($2)", "= any($3)"), values: [ws, paths, keys] };
  // each value by itself: the statement for a list is planned anew whenever it is asked
  const among = `in (${paths.map((_, n) => `$${n + 3}`).join(", ") || "null"})`;
  return {
    name: `stet-look-${paths.length}`,
    text: textOf(among, "= $2"),
    values: [ws, keys[0] ?? null, ...paths],
  };
}

function textOf(paths: string, keys: string): string {
  return `select path, kind, sha, size, mode, mtime, target, seq, null as text from node where ws = $1 and path ${paths}
    union all select key, 's', null, null, null, null, null, null, seen::text from seen where ws = $1 and key ${keys}
    union all select hash, 'e', null, null, null, extract(epoch from clock_timestamp())::float8 * 1000, null, seq, at
      from workspace where id = $1`;
}

/** What was found when a path was resolved, for the rest of the call. */
interface Found extends Pick<Look, "seen"> {
  /** Undefined: there is none. */
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
