// One transaction for all changes that wait in some workspaces of a tenant: the locks and what stands there in one round trip,
// everything that is written and COMMIT in the next.
import { BEGIN, type Client, inOnePiece, type Query } from "../connection/client.ts";
import { type Database, within } from "../connection/database.ts";
import { isLost } from "../connection/failures.ts";
import { storingMany } from "../state/blobs.ts";
import { asOne } from "./as-one.ts";
import type { Of } from "./columns.ts";
import { type Gathered, gather } from "./gather.ts";
import { isNotTheEnd, type LockRow, lockedBy, lockQuery, notTheEnd, requireLast } from "./lock.ts";
import type { Job, Line } from "./queue.ts";
import { roomFor } from "./quota-check.ts";
import { writing } from "./rows.ts";
import { type Asked, askedBy, foundIn, isAsked, type Standing, standingQuery } from "./standing.ts";
import { FLUSH } from "./unknown.ts";

/** As many changes as go into one transaction. */
export const TOGETHER = 256;

/** The changes that wait in one workspace. */
export interface Attempt {
  readonly database: Database;
  readonly line: Line;
  /** Those of which all was asked for. From here on they go through to their end. */
  jobs: readonly Job[] | undefined;
}

/** The answer to its COMMIT did not come, or it is not known whether it is on the disk. */
export class Unanswered extends Error {
  readonly made: ReadonlyMap<Attempt, Gathered>;

  constructor(made: ReadonlyMap<Attempt, Gathered>, cause: unknown) {
    super("The answer to a commit was lost.", { cause });
    this.made = made;
  }
}

/** The next change need not wait for the disk as well: the lock is free before. Nothing is told before `FLUSH` is over. */
const FLUSHED_LATER = "set local synchronous_commit = off";

/**
 * Throws when nothing was changed for certain, or when that is not known. Gives back what was made of each; nothing of one
 * among several whose lock another holds.
 */
export async function transaction(
  client: Client,
  attempts: readonly Attempt[],
): Promise<ReadonlyMap<Attempt, Gathered>> {
  const { tenant, waitMs } = attempts[0]!.database;
  const most = Math.ceil(TOGETHER / attempts.length);
  const asked = new Map(attempts.map((attempt) => [attempt, askedBy(inLine(attempt, most))] as const));
  try {
    // One statement each: a statement that waited for the lock would still see what was there before it waited.
    const [, locked, rows] = await inOnePiece(client, () =>
      Promise.all([
        client.query(`${BEGIN}; set local lock_timeout = ${waitMs}; ${FLUSHED_LATER}`),
        within<LockRow>(client, lockQuery(attempts.map(numberOf))),
        within<Standing>(client, standingQuery(attempts.map((each) => [numberOf(each), asked.get(each)!]))),
      ]),
    );
    if (attempts.length === 1) lockedBy(locked[0]);
    const locks = new Map(locked.map((row) => [row.ws, lockedBy(row)]));
    const had = attempts.filter((each) => locks.has(numberOf(each)));
    const room = [...locks.values()].some(({ limited }) => limited) ? await roomFor(client, tenant) : undefined;
    rows.push(...(await askForOthers(client, had, asked, most)));
    const made = new Map(
      had.map((attempt) => {
        const { tail, now } = locks.get(numberOf(attempt))!;
        const { ending, ...found } = foundIn(rows, numberOf(attempt));
        requireLast(tail, ending);
        return [attempt, gather(chosen(attempt, asked.get(attempt)!, most), { tail, now, room, ...found })];
      }),
    );
    if ([...made.values()].every(({ sealed }) => sealed.length === 0)) await client.query("rollback");
    else await finish(client, made, room?.writing ?? []);
    return made;
  } catch (error) {
    // what is on its way to a lost connection fails as well
    if (!isLost(error) && !(error instanceof Unanswered)) await client.query("rollback").catch(() => {});
    throw error;
  }
}

const numberOf = ({ database }: Attempt): number => database.ws;

function inLine({ jobs, line }: Attempt, most: number): readonly Job[] {
  return jobs ?? line.jobs.slice(0, most);
}

function chosen(attempt: Attempt, asked: Asked, most: number): readonly Job[] {
  attempt.jobs ??= inLine(attempt, most).filter((job) => isAsked(asked, job));
  attempt.line.take(attempt.jobs);
  return attempt.jobs;
}

/** Those that came while others had the lock go along: one more question costs less than one more transaction. */
async function askForOthers(
  client: Client,
  attempts: readonly Attempt[],
  asked: ReadonlyMap<Attempt, Asked>,
  most: number,
): Promise<readonly Standing[]> {
  const more = attempts.flatMap((attempt) => {
    const { paths, shas } = asked.get(attempt)!;
    const others = inLine(attempt, most).filter((job) => !isAsked({ paths, shas }, job));
    if (others.length === 0) return [];
    const of = askedBy(others);
    for (const path of of.paths) paths.add(path);
    for (const sha of of.shas) shas.add(sha);
    return [[numberOf(attempt), of] as const];
  });
  return more.length === 0 ? [] : within<Standing>(client, standingQuery(more));
}

/** Everything that is written, COMMIT, and the wait for the disk, in one piece. */
async function finish(client: Client, made: ReadonlyMap<Attempt, Gathered>, more: readonly Query[]): Promise<void> {
  const all: Of<Gathered> = [...made].flatMap(([attempt, of]) =>
    of.sealed.length === 0 ? [] : [[numberOf(attempt), of] as const],
  );
  const { alone, along } = storingMany(all.map(([ws, { versions }]) => [ws, [...versions.values()]] as const));
  const queries = [...alone, asOne([...along, ...writing(all)]), ...more];
  const sent = inOnePiece(client, () => {
    const writes = queries.map((query) => client.query(query));
    return [client.query("commit"), client.query(FLUSH), ...writes];
  });
  const [commit, flush, ...written] = await Promise.allSettled(sent);
  if (commit!.status === "rejected") throw new Unanswered(made, commit!.reason);
  // a transaction in which something failed "commits" all the same, and says that it was rolled back
  if (commit!.value.command !== "COMMIT") {
    const failed = written.find((each) => each.status === "rejected");
    const why: unknown = failed?.reason ?? new Error("The database rolled the change back.");
    throw isNotTheEnd(why) ? notTheEnd(why) : why;
  }
  if (flush!.status === "rejected") throw new Unanswered(made, flush!.reason);
}
