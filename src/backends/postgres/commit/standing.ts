// What stands in the database, asked for under the lock.
import type { Sha } from "../../../core/backend.ts";
import type { Query } from "../connection/client.ts";
import { bytesOfSha, shaOfBytes } from "../connection/database.ts";
import { ancestorsOf, type Node } from "../paths/nodes.ts";
import { type Ending, LAST_LINE } from "./lock.ts";
import type { Job } from "./queue.ts";

export interface Asked {
  readonly paths: Set<string>;
  readonly shas: Set<Sha>;
}

export function isAsked({ paths, shas }: Asked, job: Job): boolean {
  return job.paths.every((path) => paths.has(path)) && job.shas.every((sha) => shas.has(sha));
}

export function askedBy(jobs: readonly Job[]): Asked {
  const paths = jobs.flatMap((job) => job.paths.flatMap((path) => [path, ...ancestorsOf(path)]));
  return { paths: new Set(paths), shas: new Set(jobs.flatMap((job) => job.shas)) };
}

export interface Standings {
  readonly standing: Map<string, Node>;
  readonly stored: Set<Sha>;
}

/** What is at a path, or without one a version that is in the store, or the last entry. */
export type Standing =
  | Node
  | { readonly path: null; readonly kind: null; readonly sha: Buffer }
  | ({ readonly path: null; readonly kind: "e" } & Ending);

export function standingQuery(ws: number, { paths, shas }: Asked): Query {
  return {
    name: "stet-standing",
    text: `select path, kind, sha, size, mode, mtime, target, seq from node where ws = $1 and path = any($2)
      union all select null, null, sha, null, null, null, null, null from blob where ws = $1 and sha = any($3)
      union all ${LAST_LINE}`,
    values: [ws, [...paths], [...shas].map(bytesOfSha)],
  };
}

export function foundIn(rows: readonly Standing[]): Standings & { readonly ending: Ending | undefined } {
  const standing = new Map<string, Node>();
  const stored = new Set<Sha>();
  let ending: Ending | undefined;
  for (const row of rows) {
    if (row.path !== null) standing.set(row.path, row);
    else if (row.kind === "e") ending = row;
    else stored.add(shaOfBytes(row.sha));
  }
  return { standing, stored, ending };
}
