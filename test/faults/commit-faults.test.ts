// Every file-system call of a commit made to fail in turn: afterwards all files are old or all are new, and the journal agrees.
import { describe, expect, it } from "vitest";
import { faultyCommit } from "../support/faulty-commit.ts";

describe.each([
  ["full", "EIO"],
  ["full", "ENOSPC"],
  ["fast", "EIO"],
] as const)("durability %s, %s", (durability, code) => {
  it.each([false, true])("each call fails once, then lasting: %s", async (lasting) => {
    const outcomes = { refused: 0, applied: 0 };
    for (let failAt = 1; ; failAt++) {
      const { hit, applied } = await faultyCommit({ durability, commit: { code, lasting, failAt } });
      if (hit === undefined) break;
      outcomes[applied ? "applied" : "refused"]++;
    }
    expect(outcomes.refused).toBeGreaterThan(20);
  });
});
