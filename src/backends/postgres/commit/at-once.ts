// A change where nothing has changed since: worked out by what is believed. One statement takes the lock, compares, and writes;
// where anything is otherwise it writes nothing, and the change is made the long way.
import { endingOf } from "../../journal/entry.ts";
import type { Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { SCHEMA } from "../schema/migrate.ts";
import { type Belief, believe, believed, clockOf, disbelieve } from "../state/believed.ts";
import { storingAll } from "../state/blobs.ts";
import { made } from "./finish.ts";
import { type Gathered, gather } from "./gather.ts";
import { ENDS_WITH, lastEntryOf } from "./lock.ts";
import type { Job } from "./queue.ts";
import { type Asked, askedBy, type Standings } from "./standing.ts";
import { asOne, type Part, SHALL_IT } from "./statement/as-one.ts";
import { writing } from "./statement/rows.ts";

/** After one that was sent in vain so many go the long way, twice as many after each further one. */
const FEWEST = 8;
const MOST = 1_024;

/** What is sent in vain is sent again. */
const MOST_BYTES = 1024 ** 2;

/** The clock that entries go by is the database's, read a moment before. */
const MOST_APART_MS = 1_000;

interface Caution {
  /** Turns that go the long way first. */
  left: number;
  next: number;
}

const cautions = new WeakMap<Database, Caution>();

/** What will be made of some jobs if all is as believed. */
export interface Draft {
  readonly database: Database;
  readonly gathered: Gathered;
  readonly bytes: number;
  readonly asked: Asked;
  readonly standing: Standings["standing"];
  readonly belief: Belief;
  readonly now: number;
}

/** Whether it is worth a try: enough is known, and it has not gone wrong lately. */
export function isLikely(database: Database, jobs: readonly Job[]): boolean {
  if (database.unmade?.is || !isKnown(database, askedBy(jobs))) return false;
  const caution = cautions.get(database);
  if (caution === undefined || caution.left === 0) return true;
  caution.left -= 1;
  return false;
}

function isKnown(database: Database, { paths }: Asked): boolean {
  const belief = believed(database);
  return belief !== undefined && [...paths].every((path) => belief.nodes.has(path));
}

/** Undefined where it is better made the long way after all. */
export function drafted(database: Database, jobs: readonly Job[]): Draft | undefined {
  const asked = askedBy(jobs);
  const belief = believed(database);
  if (belief === undefined || !isKnown(database, asked)) return undefined;
  const standing = new Map(
    [...asked.paths].flatMap((path) => {
      const node = belief.nodes.get(path);
      return node === undefined ? [] : [[path, node] as const];
    }),
  );
  const now = clockOf(belief);
  const gathered = gather(jobs, { tail: belief.end, now, room: undefined, standing, stored: new Set() });
  const bytes = [...gathered.versions.values()].reduce((sum, { size }) => sum + size, 0);
  // that none of them can be made is to be found out under the lock
  if (gathered.sealed.length === 0 || bytes > MOST_BYTES) return undefined;
  return { database, gathered, bytes, asked, standing, belief, now };
}

export function madeOf({ database, gathered, asked, standing, belief }: Draft): void {
  trust(database);
  const nodes = [...asked.paths].map((path) => [path, standing.get(path)] as const);
  believe(database, { end: gathered.tail, before: belief.end, nodes, clock: belief.clock });
  made(database, gathered);
}

export function inVain({ database }: Draft): void {
  disbelieve(database);
  const { next } = cautions.get(database) ?? { next: FEWEST };
  cautions.set(database, { left: next, next: Math.min(next * 2, MOST) });
}

/** Where others change the same workspace it holds now and then, and does not most of the time. */
function trust(database: Database): void {
  const caution = cautions.get(database);
  if (caution === undefined) return;
  caution.next /= 2;
  if (caution.next < FEWEST) cautions.delete(database);
}

/** Of different workspaces. Gives back `ws` of those in which it was made. Without a transaction around it: it is one by itself. */
export function makingAll(drafts: readonly Draft[]): Query {
  const all = drafts.map(({ database: { ws }, gathered }) => [ws, gathered] as const);
  const versions = all.map(([ws, gathered]) => [ws, [...gathered.versions.values()]] as const);
  const none = versions.every(([, of]) => of.length === 0);
  const stored = none ? [] : [{ ...storingAll(versions), as: STORED }];
  return asOne([comparing(drafts), ...stored, ...writing(all, none ? undefined : STORED)], "+commit");
}

const STORED = "stored";

/**
 * Takes each lock if it is free, and tells where all is as believed. A row that another wrote in this moment is looked at as
 * it is by then, in another place than where the rest of the statement sees it. If it is in the same, nothing came in
 * between: no change, and nothing was forgotten that this one would have to keep.
 */
function comparing(drafts: readonly Draft[]): Part {
  const column = <T>(of: (draft: Draft) => T): T[] => drafts.map(of);
  return {
    as: SHALL_IT,
    name: "stet-if",
    text: `select ws from (
      select v.ws, (w.seq = v.seq and w.hash = v.hash and w.at = v.at
        and w.place = (select ctid from workspace where id = v.ws)
        and (v.seq = 0 or (select e.seq = v.seq and ${ENDS_WITH} = v.ending ${lastEntryOf("v.ws")}))
        and (select max(version) from stet_schema) = ${SCHEMA}
        and not exists (select 1 from quota q where q.tenant = w.tenant)
        and abs(extract(epoch from clock_timestamp())::float8 * 1000 - v.now) < ${MOST_APART_MS}) as ok
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[], $6::float8[]) v(ws, seq, hash, at, ending, now)
      cross join lateral (select ctid as place, seq, hash, at, tenant from workspace
        where id = v.ws for no key update skip locked) w) c where ok`,
    values: [
      column(({ database }) => database.ws),
      column(({ belief }) => belief.end.seq),
      column(({ belief }) => belief.end.hash),
      column(({ belief }) => belief.end.at),
      column(({ belief }) => endingOf(belief.end.hash)),
      column(({ now }) => now),
    ],
  };
}
