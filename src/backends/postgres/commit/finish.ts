// The end of a transaction: everything that is written, COMMIT, and the wait for the disk, in one piece.
import type { Path } from "../../../core/backend.ts";
import { type Client, inOnePiece, type Query } from "../connection/client.ts";
import { type Database, shaOfBytes } from "../connection/database.ts";
import type { Process } from "../connection/silence.ts";
import { storingMany } from "../state/blobs.ts";
import { lately } from "../state/lately.ts";
import type { Gathered } from "./gather.ts";
import { isNotTheEnd, notTheEnd } from "./lock.ts";
import { asOne } from "./statement/as-one.ts";
import { writing } from "./statement/rows.ts";

/** The answer to its COMMIT did not come, or it is not known whether it is on the disk. */
export class Unanswered extends Error {
  readonly gathered: Gathered;
  /** The process that may not have begun with it, and has no lock by then; undefined: it had the lock when it was told to commit. */
  readonly by: Process | undefined;

  constructor(gathered: Gathered, cause: unknown, by?: Process) {
    super("The answer to a commit was lost.", { cause });
    this.gathered = gathered;
    this.by = by;
  }
}

/** The next change need not wait for the disk as well: the lock is free before. Nothing is told before `FLUSH` is over. */
export const FLUSHED_LATER = "set local synchronous_commit = off";

/** Writes next to nothing, as durably as the database is set up to: all that was committed before it is as durable by then. */
export const FLUSH: Query = { name: "stet-flush", text: "select pg_logical_emit_message(true, 'stet', '')" };

export async function finish(database: Database, client: Client, gathered: Gathered): Promise<void> {
  const { ws } = database;
  const { alone, along } = storingMany(ws, [...gathered.versions.values()]);
  const queries = [...alone, asOne([...along, ...writing([[ws, gathered]])]), ...(gathered.room?.writing ?? [])];
  const sent = inOnePiece(client, () => {
    const writes = queries.map((query) => client.query(query));
    return [client.query("commit"), client.query(FLUSH), ...writes];
  });
  const [commit, flush, ...written] = await Promise.allSettled(sent);
  if (commit!.status === "rejected") throw new Unanswered(gathered, commit!.reason);
  // a transaction in which something failed "commits" all the same, and says that it was rolled back
  if (commit!.value.command !== "COMMIT") {
    const failed = written.find((each) => each.status === "rejected");
    const why: unknown = failed?.reason ?? new Error("The database rolled the change back.");
    throw isNotTheEnd(why) ? notTheEnd(why) : why;
  }
  if (flush!.status === "rejected") throw new Unanswered(gathered, flush!.reason);
  made(database, gathered);
}

export function made(database: Database, gathered: Gathered): void {
  noteBytes(database, gathered);
  for (const { job, entry } of gathered.sealed) job.done(entry);
}

function noteBytes(database: Database, { nodes, contents }: Gathered): void {
  const recent = lately(database);
  for (const { path, sha } of nodes.values()) {
    const version = sha === null ? undefined : contents.get(shaOfBytes(sha));
    if (version !== undefined) recent.add(path as Path, version.sha, version.parts);
  }
}
