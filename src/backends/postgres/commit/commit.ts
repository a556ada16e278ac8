// The turn of a workspace: what waits in line is made with what waits in others, and again when a connection was lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { type Database, shaOfBytes } from "../connection/database.ts";
import { inWords, isLost } from "../connection/failures.ts";
import { lately } from "../state/lately.ts";
import { inBatch } from "./batch.ts";
import type { Gathered } from "./gather.ts";
import type { Turn } from "./queue.ts";
import { type Attempt, TOGETHER, Unanswered } from "./transaction.ts";
import { settleUnknown } from "./unknown.ts";

export function committing(database: Database, committed: () => void): Turn {
  return async (line) => {
    const waiting = line.jobs.slice(0, TOGETHER);
    const until = performance.now() + database.waitMs;
    const attempt: Attempt = { database, line, jobs: undefined };
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      try {
        const made = await inBatch(attempt).catch((error) => answered(attempt, error));
        if (made.sealed.length > 0) committed();
        noteBytes(database, made);
        for (const { job, entry } of made.sealed) job.done(entry);
        for (const { job, why } of made.refused) job.failed(why);
        return;
      } catch (error) {
        const isUnknown = error instanceof Refusal && error.kind === "outcome_unknown";
        if (isLost(error) && !isUnknown && performance.now() + pause < until) {
          await sleep(pause);
          continue;
        }
        const gone = attempt.jobs ?? waiting.filter((job) => line.jobs.includes(job));
        line.take(gone);
        for (const job of gone) job.failed(inWords(error));
        return;
      }
    }
  };
}

/** On another connection, when the one that was lost is given back: it may be the only one that could be had. */
async function answered(attempt: Attempt, error: unknown): Promise<Gathered> {
  const made = error instanceof Unanswered ? error.made.get(attempt) : undefined;
  if (made === undefined) throw error;
  if (made.sealed.length === 0) return made;
  await settleUnknown(attempt.database, made.sealed, (error as Unanswered).cause);
  return made;
}

function noteBytes(database: Database, { nodes, contents }: Gathered): void {
  const recent = lately(database);
  for (const { path, sha } of nodes.values()) {
    const version = sha === null ? undefined : contents.get(shaOfBytes(sha));
    if (version !== undefined) recent.add(path as Path, version.sha, version.parts);
  }
}
