// The end of a connection: calls under way get a moment, then they are cancelled; either way each of them is answered.
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { ServerFactory } from "../server.ts";

type Calls = Pick<ServerFactory, "settled" | "cancelAll">;

/** Less than the two seconds after which clients lose patience and send a signal, or a stronger one. */
const MOST_MS = 1500;

/** What was being committed when time was up is finished first, so that no change is made without an answer. */
export async function lastAnswers(calls: Calls): Promise<void> {
  const patience = new AbortController();
  const late = pause(MOST_MS, "late", { signal: patience.signal }).catch(() => undefined);
  const outcome = await Promise.race([answered(calls), late]);
  patience.abort();
  if (outcome !== "late") return;
  calls.cancelAll();
  await answered(calls);
}

/** A message takes a turn or two until it is under way, and so does its answer. */
async function answered({ settled }: Calls): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    await settled();
  }
  await nextTurn();
}
