// When the answer to COMMIT was lost: the entry's own hash tells whether it was made.
import type { Sha } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { readLine } from "../../journal/entry.ts";
import { BEGIN, type Client, type Query } from "../connection/client.ts";
import { again, type Database, within } from "../connection/database.ts";
import { isAnswer, isLost } from "../connection/failures.ts";
import type { Sealed } from "./gather.ts";
import { lock } from "./lock.ts";

/** Writes next to nothing, as durably as the database is set up to: all that was committed before it is as durable by then. */
export const FLUSH: Query = { name: "stet-flush", text: "select pg_logical_emit_message(true, 'stet', '')" };

/** Throws `why` when nothing was made: it may be tried again. A transaction is made as a whole or not at all. */
export async function settleUnknown(database: Database, sealed: readonly Sealed[], why: unknown): Promise<void> {
  const made = await entriesMade(database, sealed).catch(() => {
    throw outcomeUnknown(why);
  });
  if (!sealed.every(({ entry }) => made.has(entry.hash))) throw why;
}

/** With the lock: the connection that was lost may be about to commit still, and holds it until it is over. */
function entriesMade({ ws, waitMs, on }: Database, sealed: readonly Sealed[]): Promise<Set<Sha>> {
  const once = (): Promise<Set<Sha>> =>
    on(async (client) => {
      await client.query(BEGIN);
      await client.query(`set local lock_timeout = ${waitMs}`);
      await client.query({ text: "select 1 from workspace where id = $1 for no key update", values: [ws] });
      const rows = await within<{ line: Buffer }>(client, {
        text: "select line from entry where ws = $1 and seq = any($2)",
        values: [ws, sealed.map(({ entry }) => entry.seq)],
      });
      const made = new Set(rows.flatMap(({ line }) => readLine(line).entry?.hash ?? []));
      // nothing was changed: an answer to a commit that is lost here would have to be asked for once more
      await client.query("rollback");
      // what is there may not be on the disk yet
      if (sealed.every(({ entry }) => made.has(entry.hash))) await flushed(client, ws);
      return made;
    });
  // whatever it fails by, such as a word of an operator: what is not known has to be read by the caller
  return again(waitMs, once, () => true);
}

/** Where that is not allowed, a commit that has written down a lock does the same, and takes longer. */
async function flushed(client: Client, ws: number): Promise<void> {
  await client.query(FLUSH).catch(async (error) => {
    if (isLost(error) || !isAnswer(error)) throw error;
    await client.query(BEGIN);
    await lock(client, ws);
    await client.query("commit");
  });
}

function outcomeUnknown(why: unknown): Refusal {
  return new Refusal(
    "outcome_unknown",
    "The connection to the database was lost while the change was being made: whether it was made is not known.",
    { next: "Read the file before you change it again.", recoverable: true, cause: why },
  );
}
