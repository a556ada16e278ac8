// Several processes add to one number, each from a version it has just read: the sum is right or somebody lost an update.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { finished, HEAVY, startWorker } from "../support/processes.ts";
import { directoryWith } from "../support/workspace.ts";

const PROCESSES = HEAVY ? 8 : 4;
const TIMES = HEAVY ? 500 : 10;
/** The system's own locks, and those that are used where the native package does not load. */
const LOCKS = [
  ["locks of the system", {}],
  ["leases", { STET_NO_NATIVE: "1" }],
] as const;

describe("gated increments", () => {
  it.each(LOCKS)(`${PROCESSES} processes × ${TIMES} give exactly ${PROCESSES * TIMES}, by %s`, async (_name, env) => {
    const root = directoryWith({ "counter.txt": "0\n" });
    const workers = Array.from({ length: PROCESSES }, () =>
      finished(startWorker("increment-worker", [root, `${TIMES}`, "fast"], env)),
    );
    const printed = await Promise.all(workers);
    expect(readFileSync(join(root, "counter.txt"), "utf8")).toBe(`${PROCESSES * TIMES}\n`);

    const backend = disk({ root });
    // where locks are links, this process, which has others, only reads
    const applied = await all(backend.log({ outcomes: ["applied"] }));
    expect(applied).toHaveLength(PROCESSES * TIMES);
    for (const [i, entry] of applied.entries())
      if (i > 0) expect(entry.changes[0]?.from).toBe(applied[i - 1]?.changes[0]?.to);
    expect((await backend.verify()).problems).toEqual([]);
    const stale = printed.reduce((sum, text) => sum + JSON.parse(text).stale, 0);
    console.log(
      `${PROCESSES * TIMES} increments by ${PROCESSES} processes, ${stale} stale proofs refused and retried, none lost`,
    );
    await backend.close();
  });
});
