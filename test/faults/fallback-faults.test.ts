// The same faults where two files cannot be exchanged in one step and the lock is a lease.
import { describe, expect, it } from "vitest";

process.env.STET_NO_NATIVE = "1";
const { faultyCommit } = await import("../support/faulty-commit.ts");

describe("without the native package", () => {
  it("each call of a commit fails once", async () => {
    let refused = 0;
    for (let failAt = 1; ; failAt += process.env.STET_HEAVY === "1" ? 1 : 3) {
      const { hit, applied } = await faultyCommit({ durability: "fast", commit: { code: "EIO", failAt } });
      if (hit === undefined) break;
      if (!applied) refused++;
    }
    expect(refused).toBeGreaterThan(6);
  });
});
