// Eight processes add to one number, each from a version it has just read: the sum is right or somebody lost an update.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { finished, HEAVY, startWorker } from "../support/processes.ts";
import { directoryWith } from "../support/workspace.ts";

const PROCESSES = 8;
const TIMES = HEAVY ? 500 : 15;

describe("gated increments", () => {
  it(`${PROCESSES} processes × ${TIMES} give exactly ${PROCESSES * TIMES}`, { timeout: 600_000 }, async () => {
    const root = directoryWith({ "counter.txt": "0\n" });
    const workers = Array.from({ length: PROCESSES }, () =>
      finished(startWorker("increment-worker", [root, `${TIMES}`, "fast"])),
    );
    const printed = await Promise.all(workers);
    expect(readFileSync(join(root, "counter.txt"), "utf8")).toBe(`${PROCESSES * TIMES}\n`);

    const backend = disk({ root });
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
