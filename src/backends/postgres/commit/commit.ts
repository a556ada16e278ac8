// One transaction for all changes that wait: the lock and what stands there in one round trip, everything that is written and COMMIT in the next.
import { setImmediate as behindAll, setTimeout as sleep } from "node:timers/promises";
import { BEGIN, type Client, inOnePiece } from "../connection/client.ts";
import { type Database, within } from "../connection/database.ts";
import { inWords, isLost } from "../connection/failures.ts";
import { believe } from "../state/believed.ts";
import { type Draft, drafted, isLikely } from "./at-once.ts";
import { FLUSHED_LATER, finish, Unanswered } from "./finish.ts";
import { gather, type Refused } from "./gather.ts";
import { lockedBy, lockQuery, requireLast } from "./lock.ts";
import { makeAtOnce } from "./neighbours.ts";
import type { Job, Turn } from "./queue.ts";
import { roomFor } from "./quota-check.ts";
import { type Asked, askedBy, foundIn, isAsked, type Standing, type Standings, standingQuery } from "./standing.ts";
import { madeMeanwhile } from "./to-be-made.ts";
import { settleUnknown } from "./unknown.ts";

/** As many changes as go into one transaction. */
const TOGETHER = 256;

export function committing(database: Database, committed: (seq: number) => void): Turn {
  const { ws, tenancy, waitMs } = database;
  return async (line) => {
    const waiting = line.jobs.slice(0, TOGETHER);
    const until = performance.now() + waitMs;
    let jobs: readonly Job[] | undefined;

    const choice: Choice = {
      asking: () => jobs ?? line.jobs.slice(0, TOGETHER),
      meanwhile: () => (jobs === undefined ? line.jobs.slice(0, TOGETHER) : []),
      chosen(asked) {
        jobs ??= line.jobs.slice(0, TOGETHER).filter((job) => isAsked(asked, job));
        line.take(jobs);
        return jobs;
      },
    };
    const begin = (): Draft | undefined => {
      jobs = line.jobs.slice(0, TOGETHER);
      line.take(jobs);
      return drafted(database, jobs);
    };
    const atOnce = async (): Promise<readonly Refused[] | undefined> => {
      if (jobs !== undefined || !isLikely(database, line.jobs.slice(0, TOGETHER))) return undefined;
      const made = await makeAtOnce(database, begin);
      if (made === undefined) {
        line.putBack(jobs ?? []);
        jobs = undefined;
        // all may have been called off
        return line.jobs.length === 0 ? [] : undefined;
      }
      committed(made.tail.seq);
      return made.refused;
    };
    const once = async (): Promise<readonly Refused[]> => {
      const made = await atOnce();
      if (made !== undefined) return made;
      // those of the same moment go together
      await behindAll();
      return tenancy.on([ws], (client) => transaction(database, client, choice, committed));
    };
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      try {
        const refused = await once().catch((error) => answered(database, error, committed));
        for (const { job, why } of refused) job.failed(why);
        return;
      } catch (error) {
        if (isLost(error) && performance.now() + pause < until) {
          await sleep(pause);
          continue;
        }
        const gone = jobs ?? waiting.filter((job) => line.jobs.includes(job));
        line.take(gone);
        for (const job of gone) job.failed(inWords(error));
        return;
      }
    }
  };
}

/** On another connection, when the one that was lost is given back: it may be the only one that could be had. */
async function answered(
  database: Database,
  error: unknown,
  committed: (seq: number) => void,
): Promise<readonly Refused[]> {
  if (!(error instanceof Unanswered)) throw error;
  const { sealed, refused, tail } = error.gathered;
  await settleUnknown(database, { sealed, by: error.by }, error.cause);
  committed(tail.seq);
  return refused;
}

interface Choice {
  asking(): readonly Job[];
  /** Once the lock is had: those in line by then. */
  meanwhile(): readonly Job[];
  /** Those of which all was asked for. From here on they go through to their end. */
  chosen(asked: Asked): readonly Job[];
}

/**
 * Throws when nothing was changed for certain, or when that is not known. What was made is told to the jobs; those that
 * were refused are returned.
 */
async function transaction(
  database: Database,
  client: Client,
  choice: Choice,
  committed: (seq: number) => void,
): Promise<readonly Refused[]> {
  const { ws, waitMs, tenant, unmade } = database;
  const asked = askedBy(choice.asking());
  try {
    // One statement each: a statement that waited for the lock would still see what was there before it waited.
    const [, , locked, rows] = await inOnePiece(client, () =>
      Promise.all([
        client.query(`${BEGIN}; set local lock_timeout = ${waitMs}; ${FLUSHED_LATER}`),
        unmade?.is ? client.query(unmade.row) : undefined,
        within(client, lockQuery(ws)),
        within<Standing>(client, standingQuery(ws, asked)),
      ]),
    );
    if (unmade?.is && locked.length === 0) throw madeMeanwhile();
    const { tail, now, limited } = lockedBy(locked);
    const clock = { there: now, here: performance.now() };
    const { ending, ...found } = foundIn(rows);
    requireLast(tail, ending);
    const room = limited ? await roomFor(client, tenant) : undefined;
    await askForOthers(client, ws, { asked, found, jobs: choice.meanwhile() });
    const gathered = gather(choice.chosen(asked), { tail, now, room, ...found });
    if (gathered.sealed.length === 0) {
      await client.query("rollback");
      return gathered.refused;
    }
    await finish(database, client, gathered);
    const nodes = [...asked.paths].map((path) => [path, found.standing.get(path)] as const);
    if (!limited) believe(database, { end: gathered.tail, before: tail, nodes, clock });
    if (unmade !== undefined) unmade.is = false;
    committed(gathered.tail.seq);
    return gathered.refused;
  } catch (error) {
    // what is on its way to a lost connection fails as well
    if (!isLost(error) && !(error instanceof Unanswered)) await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Those that came while others had the lock go along: one more question costs less than one more transaction. */
async function askForOthers(
  client: Client,
  ws: number,
  { asked, found, jobs }: { readonly asked: Asked; readonly found: Standings; readonly jobs: readonly Job[] },
): Promise<void> {
  const others = jobs.filter((job) => !isAsked(asked, job));
  if (others.length === 0) return;
  const more = askedBy(others);
  const { standing, stored } = foundIn(await within<Standing>(client, standingQuery(ws, more)));
  for (const [path, node] of standing) found.standing.set(path, node);
  for (const sha of stored) found.stored.add(sha);
  for (const path of more.paths) asked.paths.add(path);
  for (const sha of more.shas) asked.shas.add(sha);
}
