// A commit that fails half-way and cannot be taken back: the very process that it failed in completes it when it can.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import type { Native } from "../../src/backends/disk/native.ts";
import { AUTHOR, change, version } from "../../src/testing/assertions.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

const PATHS = ["a", "b", "c"];

describe.each([true, false])("the disk is gone for a while: %s", (lasting) => {
  it.each(["alone", "with others"])(
    "%s: whole after what comes next, and completed if the refusal says so",
    async (how) => {
      let halfWay = 0;
      for (let failAt = 1; ; failAt++) {
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
        const left = readdirSync(join(root, ".stet/pending")).filter((name) => !/^try-\d$/.test(name));
        expect(left, `${hit}`).toEqual([]);
        expect((await backend.verify()).problems).toEqual([]);
        await backend.close();
        if (hit === undefined) break;
      }
      if (lasting) expect(halfWay).toBeGreaterThan(0);
    },
  );
});

it("is completed by what comes next, also when others that went with it were done", async () => {
  const root = tempDir();
  const backend = disk({ root, durability: "fast" });
  const old = version("old").sha;
  for (const path of ["a", "b"]) await backend.commit([change(path, null, version("old"))], AUTHOR);
  const native = createRequire(import.meta.url)("fs-native-extensions") as Pick<Native, "swapSync">;
  const { swapSync } = native;
  let swaps = 0;
  native.swapSync = (from, to) => {
    // The second file gets no place, and the first cannot leave the one that it has.
    if (from.includes("-new-") && ++swaps > 1) throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
    swapSync(from, to);
  };
  let results: Promise<PromiseSettledResult<unknown>[]> | undefined;
  const begin = (): void => {
    const several = ["a", "b"].map((path) => change(path, old, version("new")));
    several.push(change("made/c", null, version("new"), true));
    const alone = [change("x", null, version("x"))];
    results = Promise.allSettled([backend.commit(several, AUTHOR), backend.commit(alone, AUTHOR)]);
  };
  try {
    await backend.commit([change("first", null, version("first"))], AUTHOR, undefined, { begin });
    expect((await results!).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  } finally {
    native.swapSync = swapSync;
  }
  expect(["a", "b"].map((path) => readFileSync(join(root, path), "utf8"))).toEqual(["new", "old"]);
  expect(readdirSync(join(root, "made"))).toEqual([]);
  await backend.commit([change("other", null, version("other"))], AUTHOR);
  for (const path of ["a", "b", "made/c"]) expect(readFileSync(join(root, path), "utf8"), path).toBe("new");
  await backend.close();
});
