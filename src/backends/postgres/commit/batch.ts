// Changes of several workspaces of a tenant that are made at once go as one transaction: it costs hardly more than for one, and
// all of them wait for the disk once.
import { setImmediate as behindAll } from "node:timers/promises";
import { isLost } from "../connection/failures.ts";
import type { Tenancy } from "../connection/tenancy.ts";
import type { Gathered } from "./gather.ts";
import { type Attempt, transaction, Unanswered } from "./transaction.ts";

/** Transactions of a tenant under way: those who come meanwhile go together. */
const UNDER_WAY = 2;
/** Workspaces of one transaction. */
const TOGETHER = 32;
/** One that takes longer, such as by a lock that it waits for, is not waited for by others. */
const SLOW_MS = 50;

interface Waiting {
  readonly attempt: Attempt;
  resolve(made: Gathered): void;
  reject(error: unknown): void;
}

interface Batches {
  waiting: readonly Waiting[];
  underWay: number;
}

const known = new WeakMap<Tenancy, Batches>();

export function inBatch(attempt: Attempt): Promise<Gathered> {
  const { tenancy } = attempt.database;
  const batches = known.get(tenancy) ?? { waiting: [], underWay: 0 };
  known.set(tenancy, batches);
  return new Promise((resolve, reject) => {
    batches.waiting = [...batches.waiting, { attempt, resolve, reject }];
    if (batches.underWay < UNDER_WAY) void workOn(batches);
  });
}

async function workOn(batches: Batches): Promise<void> {
  batches.underWay += 1;
  await behindAll();
  while (batches.waiting.length > 0) {
    const first = firstOfEach(batches.waiting).slice(0, TOGETHER);
    batches.waiting = batches.waiting.filter((each) => !first.includes(each));
    await unlessSlow(send(first));
  }
  batches.underWay -= 1;
}

/** A workspace may have been opened twice: its second change follows the first one. */
function firstOfEach(waiting: readonly Waiting[]): Waiting[] {
  return [...new Map(waiting.toReversed().map((each) => [each.attempt.database.ws, each])).values()].toReversed();
}

function unlessSlow(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const slow = setTimeout(resolve, SLOW_MS);
    void work.finally(() => {
      clearTimeout(slow);
      resolve();
    });
  });
}

/** What goes wrong with several is tried again with each alone, so that none has to do with what is wrong with another. */
async function send(waiting: readonly Waiting[]): Promise<void> {
  const attempts = waiting.map(({ attempt }) => attempt).toSorted((a, b) => a.database.ws - b.database.ws);
  const { tenancy } = attempts[0]!.database;
  const ws = attempts.map(({ database }) => database.ws);
  try {
    const made = await tenancy.on(ws, (client) => transaction(client, attempts));
    for (const each of waiting) {
      const own = made.get(each.attempt);
      if (own === undefined) void send([each]);
      else each.resolve(own);
    }
  } catch (error) {
    const alone = waiting.length > 1 && !isLost(error) && !(error instanceof Unanswered);
    for (const each of waiting) {
      if (alone) void send([each]);
      else each.reject(error);
    }
  }
}
