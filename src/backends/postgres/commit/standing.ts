// What stands in some workspaces of a tenant, asked for under their locks.
import type { Sha } from "../../../core/backend.ts";
import type { Query } from "../connection/client.ts";
import { bytesOfSha, shaOfBytes } from "../connection/database.ts";
import { ancestorsOf, type Node } from "../paths/nodes.ts";
import { columns, type Of } from "./columns.ts";
import { ENDS_WITH, type Ending, lastEntryOf } from "./lock.ts";
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
export type Standing = { readonly ws: number } & (
  | Node
  | { readonly path: null; readonly kind: null; readonly sha: Buffer }
  | ({ readonly path: null; readonly kind: "e" } & Ending)
);

export function standingQuery(all: Of<Asked>): Query {
  const paths = columns(
    all.map(([ws, { paths }]) => [ws, [...paths]] as const),
    (path) => path,
  );
  const shas = columns(
    all.map(([ws, { shas }]) => [ws, [...shas]] as const),
    bytesOfSha,
  );
  return {
    name: "stet-standing",
    text: `select n.ws, n.path, n.kind, n.sha, n.size, n.mode, n.mtime, n.target, n.seq
        from unnest($1::bigint[], $2::text[]) v(ws, path) join node n on n.ws = v.ws and n.path = v.path
      union all select b.ws, null, null, b.sha, null, null, null, null, null
        from unnest($3::bigint[], $4::bytea[]) v(ws, sha) join blob b on b.ws = v.ws and b.sha = v.sha
      union all select v.ws, null, 'e'::"char", null, null, null, null, e.ending, e.seq
        from unnest($5::bigint[]) v(ws)
        cross join lateral (select ${ENDS_WITH} as ending, e.seq ${lastEntryOf("v.ws")}) e`,
    values: [...paths, ...shas, all.map(([ws]) => ws)],
  };
}

export function foundIn(rows: readonly Standing[], ws: number): Standings & { readonly ending: Ending | undefined } {
  const standing = new Map<string, Node>();
  const stored = new Set<Sha>();
  let ending: Ending | undefined;
  for (const row of rows) {
    if (row.ws !== ws) continue;
    if (row.path !== null) standing.set(row.path, row);
    else if (row.kind === "e") ending = row;
    else stored.add(shaOfBytes(row.sha));
  }
  return { standing, stored, ending };
}
