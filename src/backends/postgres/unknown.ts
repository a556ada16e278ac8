// When the answer to COMMIT was lost: the entry's own hash tells whether it was made.
import type { Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { readLine } from "../journal/entry.ts";
import { onConnection } from "./client.ts";
import type { Sealed } from "./commit.ts";
import { again, type Database, within } from "./database.ts";

export async function settleUnknown(database: Database, sealed: readonly Sealed[], why: unknown): Promise<void> {
  try {
    const made = await entriesMade(database, sealed);
    for (const { job, entry } of sealed) {
      if (made.has(entry.hash)) job.done({ entry, warnings: [] });
      else job.failed(notMade(why));
    }
  } catch {
    for (const { job } of sealed) job.failed(outcomeUnknown(why));
  }
}

/** With the lock: the connection that was lost may be about to commit still, and holds it until it is over. */
function entriesMade({ pool, ws, waitMs }: Database, sealed: readonly Sealed[]): Promise<Set<Sha>> {
  return again(waitMs, () =>
    onConnection(pool, async (client) => {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${waitMs}`);
      await client.query({ text: "select 1 from workspace where id = $1 for no key update", values: [ws] });
      const rows = await within<{ line: Buffer }>(client, {
        text: "select line from entry where ws = $1 and seq = any($2)",
        values: [ws, sealed.map(({ entry }) => entry.seq)],
      });
      await client.query("commit");
      return new Set(rows.flatMap(({ line }) => readLine(line).entry?.hash ?? []));
    }),
  );
}

function notMade(why: unknown): Refusal {
  return new Refusal("io_error", "The connection to the database was lost, and the change was not made.", {
    next: "Try again.",
    recoverable: true,
    cause: why,
  });
}

function outcomeUnknown(why: unknown): Refusal {
  return new Refusal(
    "outcome_unknown",
    "The connection to the database was lost while the change was being made: whether it was made is not known.",
    { next: "Read the file before you change it again.", recoverable: true, cause: why },
  );
}
