// SIGKILL at random moments while five files change together: all of them are old or all are new, and nothing reported is lost.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { AUTHOR } from "../support/assertions.ts";
import { HEAVY, killedAfter, startWorker } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const KILLS = HEAVY ? 200 : 3;
const PATHS = ["a", "b", "dir/c", "dir/d", "e"];

describe("killed while committing five files", () => {
  it.each(["fast", "full"] as const)(`${KILLS} kills, durability %s`, { timeout: 1_200_000 }, async (durability) => {
    const root = tempDir();
    let last = 0;
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = startWorker("commit-worker", [root, durability, `${last + 1}`]);
      const printed = await killedAfter(worker, Math.random() * 60);
      const acknowledged = Math.max(last, ...printed.trim().split("\n").map(Number));

      const texts = PATHS.map((path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""));
      if (new Set(texts).size > 1) interrupted++;
      const backend = disk({ root, durability });
      await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
      const verified = await backend.verify();
      expect(verified.problems).toEqual([]);
      await backend.close();

      if (acknowledged === 0) continue;
      const found = PATHS.map((path) => readFileSync(join(root, path), "utf8"));
      expect(new Set(found).size, `mixed after kill ${kill}`).toBe(1);
      const n = Number(found[0]?.split("\n")[0]);
      expect(found[0]).toBe(`${n}\n`.repeat(4000));
      expect(n, `acknowledged ${acknowledged}`).toBeGreaterThanOrEqual(acknowledged);
      last = n;
    }
    if (HEAVY)
      console.log(
        `${KILLS} kills (${durability}): ${last} commits of five files, ${interrupted} kills left some files new and some old, none mixed, none lost`,
      );
  });
});
