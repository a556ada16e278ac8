// One transaction for all changes that wait: the lock and what stands there in one round trip, everything that is written and COMMIT in the next.
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, Path, Seen, Sha, Version } from "../../../core/backend.ts";
import { seal } from "../../journal/entry.ts";
import { BEGIN, type Client, inOnePiece, PLANNED_ONCE, type Query } from "../connection/client.ts";
import { bytesOfSha, type Database, shaOfBytes, within } from "../connection/database.ts";
import { inWords, isLost } from "../connection/failures.ts";
import { ancestorsOf, type Node } from "../paths/nodes.ts";
import { storing } from "../state/blobs.ts";
import { lately } from "../state/lately.ts";
import { seenKey } from "../state/ledger.ts";
import { asOne } from "./as-one.ts";
import { isNotTheEnd, LAST_LINE, lockedBy, lockQuery, notTheEnd, requireLast } from "./lock.ts";
import type { Plan, Tail } from "./plan.ts";
import type { Job, Turn } from "./queue.ts";
import { bytesOfPath, type Room, roomFor } from "./quota-check.ts";
import { writing } from "./rows.ts";
import { madeMeanwhile } from "./to-be-made.ts";
import { settleUnknown } from "./unknown.ts";

/** As many changes as go into one transaction. */
const TOGETHER = 256;

export interface Sealed {
  readonly job: Job;
  readonly entry: Entry;
  readonly line: string;
}

interface Refused {
  readonly job: Job;
  readonly why: unknown;
}

/** What a transaction changes, gathered over its jobs. */
export interface Gathered {
  readonly sealed: Sealed[];
  /** Not told before the transaction is over: one that is lost is tried again, and then they may be made. */
  readonly refused: Refused[];
  readonly nodes: Map<string, Node>;
  readonly versions: Map<Sha, Version>;
  readonly keep: Set<Sha>;
  /** By the key of the ledger. */
  readonly seen: Map<string, Seen>;
  /** Of a tenant with a quota. */
  readonly room: Room | undefined;
  tail: Tail;
  files: number;
  fileBytes: number;
  /** Of paths that were not there before. */
  pathBytes: number;
}

export function committing(database: Database, committed: (seq: number) => void): Turn {
  const { on, waitMs } = database;
  return async (line) => {
    const waiting = line.jobs.slice(0, TOGETHER);
    const until = performance.now() + waitMs;
    let jobs: readonly Job[] | undefined;

    const choice: Choice = {
      asking: () => jobs ?? waiting,
      meanwhile: () => (jobs === undefined ? line.jobs.slice(0, TOGETHER) : []),
      chosen(asked) {
        jobs ??= line.jobs.slice(0, TOGETHER).filter((job) => isAsked(asked, job));
        line.take(jobs);
        return jobs;
      },
    };
    const once = (client: Client): Promise<readonly Refused[]> => transaction(database, client, choice, committed);
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      try {
        const refused = await on(once).catch((error) => answered(database, error, committed));
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

/** The answer to its COMMIT did not come. */
class Unanswered extends Error {
  readonly gathered: Gathered;

  constructor(gathered: Gathered, cause: unknown) {
    super("The answer to a commit was lost.", { cause });
    this.gathered = gathered;
  }
}

/** On another connection, when the one that was lost is given back: it may be the only one that could be had. */
async function answered(
  database: Database,
  error: unknown,
  committed: (seq: number) => void,
): Promise<readonly Refused[]> {
  if (!(error instanceof Unanswered)) throw error;
  const { sealed, refused, tail } = error.gathered;
  await settleUnknown(database, sealed, error.cause);
  committed(tail.seq);
  return refused;
}

/** Which jobs a transaction is for. */
interface Choice {
  /** When it begins. */
  asking(): readonly Job[];
  /** Once the lock is had: those in line by then. */
  meanwhile(): readonly Job[];
  /** Those of which all was asked for. From here on they go through to their end. */
  chosen(asked: Asked): readonly Job[];
}

/** What was asked about under the lock. */
interface Asked {
  readonly paths: Set<string>;
  readonly shas: Set<Sha>;
}

function isAsked({ paths, shas }: Asked, job: Job): boolean {
  return job.paths.every((path) => paths.has(path)) && job.shas.every((sha) => shas.has(sha));
}

function askedBy(jobs: readonly Job[]): Asked {
  const paths = jobs.flatMap((job) => job.paths.flatMap((path) => [path, ...ancestorsOf(path)]));
  return { paths: new Set(paths), shas: new Set(jobs.flatMap((job) => job.shas)) };
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
        client.query(`${BEGIN}; set local lock_timeout = ${waitMs}; ${PLANNED_ONCE}`),
        unmade?.is ? client.query(unmade.row) : undefined,
        within(client, lockQuery(ws)),
        within<Standing>(client, standingQuery(ws, asked)),
      ]),
    );
    if (unmade?.is && locked.length === 0) throw madeMeanwhile();
    const { tail, now, limited } = lockedBy(locked);
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

/** What was read under the lock. */
interface Found extends Standings {
  readonly tail: Tail;
  readonly now: number;
  readonly room: Room | undefined;
}

interface Standings {
  readonly standing: Map<string, Node>;
  readonly stored: Set<Sha>;
}

/** Without the network: compares, plans and seals. A job that is refused leaves the others alone. */
function gather(jobs: readonly Job[], { tail, now, room, standing, stored }: Found): Gathered {
  const all: Gathered = {
    sealed: [],
    refused: [],
    nodes: new Map(),
    versions: new Map(),
    keep: new Set(),
    seen: new Map(),
    room,
    tail,
    files: 0,
    fileBytes: 0,
    pathBytes: 0,
  };
  for (const job of jobs) {
    try {
      job.begin();
      const plan = job.run({ node: (path) => standing.get(path), tail: all.tail, now });
      const at = laterOf(new Date(now).toISOString(), all.tail.at);
      const { entry, line } = seal(plan.draft, { seq: all.tail.seq + 1, at, prev: all.tail.hash });
      const files = plan.nodes.reduce((sum, node) => sum + isFile(node) - isFile(standing.get(node.path)), 0);
      const fresh = plan.versions.filter(({ sha }) => !stored.has(sha) && !all.versions.has(sha));
      const content = fresh.reduce((sum, { size }) => sum + size, 0);
      const paths = plan.nodes.reduce((sum, { path }) => sum + (standing.has(path) ? 0 : bytesOfPath(path)), 0);
      const bytes = content + paths + Buffer.byteLength(line) + 1;
      room?.take({ files, content, bytes, entries: 1, goesOn: goingOn(plan.draft) });
      all.pathBytes += paths;
      all.tail = { seq: entry.seq, hash: entry.hash, at };
      all.sealed.push({ job, entry, line });
      add(all, plan, entry.seq, standing, stored);
      for (const [path, seen] of job.shown?.files ?? []) all.seen.set(seenKey(job.shown!.session, path), seen);
    } catch (why) {
      all.refused.push({ job, why });
    }
  }
  return all;
}

function goingOn({ outcome, changes }: Plan["draft"]): "removal" | "note" | undefined {
  if (outcome === "note") return "note";
  const isRemoval =
    outcome === "applied" && changes.every(({ to, movedFrom }) => to === null || movedFrom !== undefined);
  return isRemoval ? "removal" : undefined;
}

function add(all: Gathered, plan: Plan, seq: number, standing: Map<string, Node>, stored: ReadonlySet<Sha>): void {
  for (const planned of plan.nodes) {
    const before = standing.get(planned.path);
    const node = { ...planned, seq: planned.kind === "d" ? (before?.seq ?? null) : seq };
    all.files += isFile(node) - isFile(before);
    all.fileBytes += isFile(node) * node.size - isFile(before) * (before?.size ?? 0);
    standing.set(node.path, node);
    all.nodes.set(node.path, node);
  }
  for (const version of plan.versions) {
    if (stored.has(version.sha)) all.keep.add(version.sha);
    else all.versions.set(version.sha, version);
  }
  for (const sha of plan.keep) if (!all.versions.has(sha)) all.keep.add(sha);
}

/** The clock of another database may have been ahead; the journal's does not go back. */
function laterOf(...times: readonly string[]): string {
  return times.toSorted().at(-1)!;
}

function isFile(node: Pick<Node, "kind"> | undefined): 0 | 1 {
  return node?.kind === "f" || node?.kind === "l" ? 1 : 0;
}

async function finish(database: Database, client: Client, gathered: Gathered): Promise<void> {
  const { ws } = database;
  const stores = [...gathered.versions.values()].flatMap((version) => storing(ws, version, true));
  // more than one by themselves, or each number of them would be a statement to prepare
  const along = stores.length === 1 ? stores.splice(0) : [];
  const queries = [...stores, asOne([...along, ...writing(ws, gathered)]), ...(gathered.room?.writing ?? [])];
  const sent = inOnePiece(client, () => {
    const writes = queries.map((query) => client.query(query));
    return [client.query("commit"), ...writes];
  });
  const [commit, ...written] = await Promise.allSettled(sent);
  if (commit!.status === "rejected") throw new Unanswered(gathered, commit!.reason);
  // a transaction in which something failed "commits" all the same, and says that it was rolled back
  if (commit!.value.command !== "COMMIT") {
    const failed = written.find((each) => each.status === "rejected");
    const why: unknown = failed?.reason ?? new Error("The database rolled the change back.");
    throw isNotTheEnd(why) ? notTheEnd(why) : why;
  }
  noteBytes(database, gathered);
  for (const { job, entry } of gathered.sealed) job.done(entry);
}

function noteBytes(database: Database, { nodes, versions }: Gathered): void {
  const recent = lately(database);
  for (const { path, sha } of nodes.values()) {
    const version = sha === null ? undefined : versions.get(shaOfBytes(sha));
    if (version !== undefined) recent.add(path as Path, version.sha, version.parts);
  }
}

/** What is at a path, or without one a version that is in the store, or the last entry. */
type Standing =
  | Node
  | { readonly path: null; readonly kind: null; readonly sha: Buffer }
  | { readonly path: null; readonly kind: "e"; readonly target: Buffer };

function standingQuery(ws: number, { paths, shas }: Asked): Query {
  return {
    name: "stet-standing",
    text: `select path, kind, sha, size, mode, mtime, target, seq from node where ws = $1 and path = any($2)
      union all select null, null, sha, null, null, null, null, null from blob where ws = $1 and sha = any($3)
      union all ${LAST_LINE}`,
    values: [ws, [...paths], [...shas].map(bytesOfSha)],
  };
}

function foundIn(rows: readonly Standing[]): Standings & { readonly ending: Buffer | undefined } {
  const standing = new Map<string, Node>();
  const stored = new Set<Sha>();
  let ending: Buffer | undefined;
  for (const row of rows) {
    if (row.path !== null) standing.set(row.path, row);
    else if (row.kind === "e") ending = row.target;
    else stored.add(shaOfBytes(row.sha));
  }
  return { standing, stored, ending };
}
