// What this process last heard of a workspace: where its journal ends, and what is at some paths by then. Every change moves
// the end, so as long as the end is the same, all of this is.
import type { Tail } from "../../journal/entry.ts";
import type { Database } from "../connection/database.ts";
import type { Node } from "../paths/nodes.ts";

export interface Belief {
  readonly end: Tail;
  /** Undefined: there is nothing at this path, and never was. */
  readonly nodes: Map<string, Node | undefined>;
  /** The database's clock, and this process's at the same moment, in milliseconds. */
  readonly clock: { readonly there: number; readonly here: number };
}

/** Paths that are kept in mind of one workspace. */
const MOST = 1_000;

const beliefs = new WeakMap<Database, Belief>();

export function believed(database: Database): Belief | undefined {
  return beliefs.get(database);
}

/** What was found at one moment, or made by a change of `before`. What is older than what is known is of no use. */
export function believe(database: Database, { end, before = end, nodes, clock }: News): void {
  const known = beliefs.get(database);
  if (known !== undefined && known.end.seq > end.seq) return;
  const goesOn = known !== undefined && known.end.hash === before.hash && known.nodes.size < MOST;
  const all = goesOn ? known.nodes : new Map<string, Node | undefined>();
  for (const [path, node] of nodes) all.set(path, node);
  beliefs.set(database, { end, nodes: all, clock });
}

interface News extends Pick<Belief, "end" | "clock"> {
  readonly before?: Tail;
  readonly nodes: Iterable<readonly [string, Node | undefined]>;
}

export function disbelieve(database: Database): void {
  beliefs.delete(database);
}

export function clockOf({ clock: { there, here } }: Belief): number {
  return there + performance.now() - here;
}
