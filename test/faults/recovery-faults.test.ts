// The disk fails in the middle of a commit, and again, at every call, while the next process puts things right.
import { describe, expect, it } from "vitest";
import { faultyCommit } from "../support/faulty-commit.ts";
import { HEAVY } from "../support/processes.ts";

/** Where the commit stops: with every step a commit in a different state is left behind. */
const STEP = HEAVY ? 1 : 11;

describe("a crash during recovery", () => {
  it("leaves what the next recovery can finish", { timeout: 600_000 }, async () => {
    let interrupted = 0;
    for (let failAt = 50; ; failAt += STEP) {
      const commit = { code: "EIO", lasting: true, failAt } as const;
      const { hit } = await faultyCommit({ durability: "fast", commit });
      if (hit === undefined) break;
      for (let again = 1; ; again += STEP) {
        const { hitAgain } = await faultyCommit({
          durability: "fast",
          commit,
          recovery: { code: "EIO", lasting: true, failAt: again },
        });
        if (hitAgain === undefined) break;
        interrupted++;
      }
    }
    expect(interrupted).toBeGreaterThan(10);
  });
});
