// When the answer to COMMIT was lost: the entry's own hash tells whether it was made.
import type { Sha } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { readLine } from "../../journal/entry.ts";
import { BEGIN } from "../connection/client.ts";
import { again, type Database, within } from "../connection/database.ts";
import type { Sealed } from "./commit.ts";

/** Throws `why` when nothing was made: it may be tried again. A transaction is made as a whole or not at all. */
export async function settleUnknown(database: Database, sealed: readonly Sealed[], why: unknown): Promise<void> {
  let made: Set<Sha>;
  try {
    made = await entriesMade(database, sealed);
  } catch {
    for (const { job } of sealed) job.failed(outcomeUnknown(why));
    return;
  }
  if (!sealed.every(({ entry }) => made.has(entry.hash))) throw why;
  if (database.unmade !== undefined) database.unmade.is = false;
  for (const { job, entry } of sealed) job.done(entry);
}

/**
 * With the lock: the connection that was lost may be about to commit still, and holds it until it is over. A row that
 * the lost transaction itself makes is not there to be locked: to make the same one waits for it.
 */
function entriesMade({ ws, waitMs, on, unmade }: Database, sealed: readonly Sealed[]): Promise<Set<Sha>> {
  return again(waitMs, () =>
    on(async (client) => {
      await client.query(BEGIN);
      await client.query(`set local lock_timeout = ${waitMs}`);
      if (unmade?.is) await client.query(unmade.row);
      await client.query({ text: "select 1 from workspace where id = $1 for no key update", values: [ws] });
      const rows = await within<{ line: Buffer }>(client, {
        text: "select line from entry where ws = $1 and seq = any($2)",
        values: [ws, sealed.map(({ entry }) => entry.seq)],
      });
      // nothing was changed: an answer that is lost here would have to be asked for once more
      await client.query("rollback").catch(() => {});
      return new Set(rows.flatMap(({ line }) => readLine(line).entry?.hash ?? []));
    }),
  );
}

export function outcomeUnknown(why: unknown): Refusal {
  return new Refusal(
    "outcome_unknown",
    "The connection to the database was lost while the change was being made: whether it was made is not known.",
    { next: "Read the file before you change it again.", recoverable: true, cause: why },
  );
}
