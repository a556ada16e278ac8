// A commit that fails half-way and cannot be taken back: the very process that it failed in completes it when it can.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { AUTHOR, change, version } from "../support/assertions.ts";
import { withFault } from "../support/faults.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const PATHS = ["a", "b", "c"];
const STEP = HEAVY ? 1 : 3;

describe.each([true, false])("the disk is gone for a while: %s", (lasting) => {
  it.each(["alone", "with others"])(
    "%s: whole after what comes next, and completed if the refusal says so",
    async (how) => {
      let halfWay = 0;
      for (let failAt = 1; ; failAt += STEP) {
        const root = tempDir();
        const backend = disk({ root, durability: "fast" });
        const made = PATHS.map((path) => change(path, null, version("old")));
        await backend.commit(made, AUTHOR);
        const together = PATHS.map((path) => change(path, version("old").sha, version("new")));
        const { hit, result } = await withFault({ code: "EIO", failAt, lasting }, async () => {
          const others = how === "alone" ? [] : [backend.commit([change("x", null, version("x"))], AUTHOR)];
          const [first] = await Promise.allSettled([backend.commit(together, AUTHOR), ...others]);
          if (first.status === "rejected") throw first.reason;
        });
        await backend.commit([change("other", null, version("other"))], AUTHOR);
        const found = new Set(PATHS.map((path) => readFileSync(join(root, path), "utf8")));
        const isHalfWay = result.status === "rejected" && /could not be taken back/.test(String(result.reason));
        if (isHalfWay) halfWay++;
        const isApplied = isHalfWay || result.status === "fulfilled";
        expect([...found], `${hit}`).toEqual([isApplied ? "new" : "old"]);
        const others = readdirSync(root).filter((name) => ![".stet", "x", "other", ...PATHS].includes(name));
        expect(others, `${hit}`).toEqual([]);
        expect((await backend.verify()).problems).toEqual([]);
        await backend.close();
        if (hit === undefined) break;
      }
      if (lasting) expect(halfWay).toBeGreaterThan(0);
    },
  );
});
