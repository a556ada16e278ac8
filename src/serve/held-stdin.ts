// An input whose end comes only after the answers to what came before it, so that requests can be piped in.
import { PassThrough, type Readable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

/** Less than the two seconds after which clients lose patience and send a signal. */
const MOST_MS = 1500;

export function heldUntil(settled: () => Promise<void>, input: Readable): Readable {
  const held = new PassThrough();
  input.pipe(held, { end: false });
  input.once("end", async () => {
    await Promise.race([answered(settled), pause(MOST_MS, undefined, { ref: false })]);
    held.end();
  });
  input.once("error", (error) => held.destroy(error));
  return held;
}

/** A message takes a turn or two until it is under way, and so does its answer. */
async function answered(settled: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    await settled();
  }
  await nextTurn();
}
