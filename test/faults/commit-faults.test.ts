// Every file-system call of a commit made to fail in turn: afterwards all files are old or all are new, and the journal agrees.
import { describe, expect, it } from "vitest";
import { faultyCommit } from "../support/faulty-commit.ts";
import { HEAVY } from "../support/processes.ts";

/** Of the calls, each is asked for by one of these at least. */
describe.each([
  ["full", "EIO", 1],
  ["full", "ENOSPC", 4],
  ["fast", "EIO", 3],
] as const)("durability %s, %s", (durability, code, step) => {
  it.each([false, true])("each call fails once, then lasting: %s", async (lasting) => {
    const outcomes = { refused: 0, applied: 0 };
    for (let failAt = 1; ; failAt += HEAVY ? 1 : lasting ? 2 * step : step) {
      const { hit, applied } = await faultyCommit({ durability, commit: { code, lasting, failAt } });
      if (hit === undefined) break;
      outcomes[applied ? "applied" : "refused"]++;
    }
    expect(outcomes.refused).toBeGreaterThan(HEAVY ? 20 : 3);
  });
});
