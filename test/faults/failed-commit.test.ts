// A commit that fails leaves no versions behind that were stored for it alone.
import { linkSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { AUTHOR, change, version } from "../../src/testing/assertions.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

it("copies of old versions go again with the commit that they were made for", async () => {
  let copied = 0;
  const failed = new Set<string>();
  for (let failAt = 1; ; failAt++) {
    const root = tempDir();
    const outside = tempDir();
    // With another name by hard link it cannot be moved away, so its old version is copied.
    writeFileSync(join(root, "a"), "old");
    linkSync(join(root, "a"), join(outside, "a"));
    const backend = disk({ root, durability: "fast" });
    await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
    const objects = (): string[] => readdirSync(join(root, ".stet/objects"));
    const committed = (): Promise<unknown> => backend.commit([change("a", version("old").sha, version("new"))], AUTHOR);
    const { hit, result } = await withFault({ code: "ENOSPC", failAt }, async () => {
      try {
        return await committed();
      } finally {
        copied += objects().length;
      }
    });
    // Once files change places, what was there before may be nowhere else.
    const isWriting = /^(open|write|fchmod)Sync/.test(hit ?? "");
    if (result.status === "rejected" && isWriting) {
      expect(objects(), hit).toEqual([]);
      failed.add(hit!.split(" ")[0]!);
    }
    await backend.close().catch(() => undefined);
    if (hit === undefined) break;
  }
  expect(copied).toBeGreaterThan(0);
  expect([...failed]).toEqual(expect.arrayContaining(["openSync", "writeSync"]));
});
