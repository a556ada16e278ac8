// SIGKILL at random moments while five files change together: all of them are old or all are new, and nothing reported is lost.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { AUTHOR } from "../../src/testing/assertions.ts";
import { HEAVY, killedAfter, startWorker } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const KILLS = HEAVY ? 200 : 5;
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

      if (existsSync(join(root, ".stet/pending")) && readdirSync(join(root, ".stet/pending")).length > 0) interrupted++;
      const backend = disk({ root, durability });
      await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
      const verified = await backend.verify();
      expect(verified.problems).toEqual([]);
      await backend.close();
      expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);

      if (acknowledged === 0) continue;
      const found = PATHS.map((path) => readFileSync(join(root, path), "utf8"));
      expect(new Set(found).size, `mixed after kill ${kill}`).toBe(1);
      const n = Number(found[0]?.split("\n")[0]);
      expect(found[0]).toBe(`${n}\n`.repeat(4000));
      expect(n, `acknowledged ${acknowledged}`).toBeGreaterThanOrEqual(acknowledged);
      last = n;
    }
    console.log(
      `${KILLS} kills (${durability}): ${last} commits of five files, ${interrupted} kills hit an unfinished one, none mixed, none lost`,
    );
  });
});
