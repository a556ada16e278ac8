// A change where nothing has changed since: one statement takes the lock, compares what is believed, and writes. Where anything
// is otherwise it writes nothing, and the change is made the long way.
import { endingOf } from "../../journal/entry.ts";
import type { Client, Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { isAnswer, isLost } from "../connection/failures.ts";
import { type Process, processOf } from "../connection/silence.ts";
import { SCHEMA } from "../schema/migrate.ts";
import { type Belief, believe, believed, clockOf, disbelieve } from "../state/believed.ts";
import { storingAll } from "../state/blobs.ts";
import { asOne, type Part, SHALL_IT } from "./as-one.ts";
import { made, Unanswered } from "./finish.ts";
import { type Gathered, gather } from "./gather.ts";
import { ENDS_WITH, LAST_ENTRY } from "./lock.ts";
import type { Tail } from "./plan.ts";
import type { Job } from "./queue.ts";
import { writing } from "./rows.ts";
import { type Asked, askedBy } from "./standing.ts";

/** After one that was sent in vain so many go the long way, twice as many after each further one. */
const FEWEST = 8;
const MOST = 1_024;

/** What is sent in vain is sent again. */
const MOST_BYTES = 1024 ** 2;

/** The clock that entries go by is the database's, read a moment before. */
const MOST_APART_MS = 1_000;

/** Of a primary that has become a standby: the statement was answered, and changed nothing. */
const READ_ONLY = "25006";

interface Caution {
  /** Turns that go the long way first. */
  left: number;
  next: number;
}

interface Likely {
  readonly asked: Asked;
  readonly belief: Belief;
  /** To be ended if its answer is lost, so that it does not come later. */
  readonly by: Process;
}

const cautions = new WeakMap<Database, Caution>();

/** What would be made of these jobs if all is as believed; undefined when it is not known, or has gone wrong lately. */
export function likely(database: Database, client: Client, jobs: readonly Job[]): Likely | undefined {
  const belief = believed(database);
  const by = processOf(client);
  if (belief === undefined || by === undefined || database.unmade?.is) return undefined;
  const caution = cautions.get(database);
  if (caution !== undefined && caution.left > 0) {
    caution.left -= 1;
    return undefined;
  }
  const asked = askedBy(jobs);
  return [...asked.paths].every((path) => belief.nodes.has(path)) ? { asked, belief, by } : undefined;
}

/** Undefined: nothing was changed, and the jobs wait as before. */
export async function madeAtOnce(
  database: Database,
  client: Client,
  jobs: readonly Job[],
  { asked, belief, by }: Likely,
): Promise<Gathered | undefined> {
  const standing = new Map(
    [...asked.paths].flatMap((path) => {
      const node = belief.nodes.get(path);
      return node === undefined ? [] : [[path, node] as const];
    }),
  );
  const now = clockOf(belief);
  const gathered = gather(jobs, { tail: belief.end, now, room: undefined, standing, stored: new Set() });
  // that none of them can be made is to be found out under the lock
  if (gathered.sealed.length === 0 || bytesOf(gathered) > MOST_BYTES) return undefined;
  const { rowCount } = await client.query(query(database.ws, gathered, belief.end, now)).catch((error) => {
    if (error.code === READ_ONLY) throw error;
    if (isLost(error) || !isAnswer(error)) throw new Unanswered(gathered, error, by);
    return { rowCount: 0 };
  });
  if (rowCount !== 1) {
    disbelieve(database);
    const { next } = cautions.get(database) ?? { next: FEWEST };
    cautions.set(database, { left: next, next: Math.min(next * 2, MOST) });
    return undefined;
  }
  trust(database);
  const nodes = [...asked.paths].map((path) => [path, standing.get(path)] as const);
  believe(database, { end: gathered.tail, before: belief.end, nodes, clock: belief.clock });
  made(database, gathered);
  return gathered;
}

/** Where others change the same workspace it holds now and then, and does not most of the time. */
function trust(database: Database): void {
  const caution = cautions.get(database);
  if (caution === undefined) return;
  caution.next /= 2;
  if (caution.next < FEWEST) cautions.delete(database);
}

function bytesOf({ versions }: Gathered): number {
  return [...versions.values()].reduce((sum, { size }) => sum + size, 0);
}

/** Without a transaction around it: it is one by itself. */
function query(ws: number, gathered: Gathered, end: Tail, now: number): Query {
  const versions = [...gathered.versions.values()];
  const stored = versions.length === 0 ? [] : [{ ...storingAll(ws, versions), as: STORED }];
  const rows = writing(ws, gathered, versions.length === 0 ? undefined : STORED);
  return asOne([comparing(ws, end, now), ...stored, ...rows], "+commit");
}

const STORED = "stored";

/**
 * Takes the lock if it is free, and tells whether all is as believed. A row that another wrote in this moment is looked at as
 * it is by then, in another place than where the rest of the statement sees it. If it is in the same, nothing came in
 * between: no change, and nothing was forgotten that this one would have to keep.
 */
function comparing(ws: number, { seq, hash, at }: Tail, now: number): Part {
  return {
    as: SHALL_IT,
    name: "stet-if",
    text: `select (seq = $2 and hash = $3 and at = $4 and place = (select ctid from workspace where id = $1)
        and (seq = 0 or (select e.seq = $2 and ${ENDS_WITH} = $5 ${LAST_ENTRY}))
        and (select max(version) from stet_schema) = ${SCHEMA}
        and not exists (select 1 from quota q where q.tenant = w.tenant)
        and abs(extract(epoch from clock_timestamp())::float8 * 1000 - $6) < ${MOST_APART_MS}) as ok
      from (select ctid as place, seq, hash, at, tenant from workspace where id = $1 for no key update skip locked) w`,
    values: [ws, seq, hash, at, endingOf(hash), now],
  };
}
