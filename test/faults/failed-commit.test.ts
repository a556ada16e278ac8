// A commit whose entry finds no room leaves no versions behind that were stored for it alone.
import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "stet/backends/disk";
import { expect, it } from "vitest";
import { AUTHOR, all, change, version } from "../support/assertions.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

it("copies of old versions go again with the commit that they were made for", async () => {
  const failed = new Set<string>();
  for (let failAt = 1; ; failAt++) {
    const root = tempDir();
    const outside = tempDir();
    // With another name by hard link it cannot be moved away, so its old version is copied.
    writeFileSync(join(root, "a"), "old");
    linkSync(join(root, "a"), join(outside, "a"));
    const backend = disk({ root, durability: "fast" });
    await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
    const committed = (): Promise<unknown> => backend.commit([change("a", version("old").sha, version("new"))], AUTHOR);
    const { hit, result } = await withFault({ code: "ENOSPC", failAt }, committed);
    // Once the entry is in the log, they stay with it, also when another one says that it did not happen.
    const hasEntry = (await all(backend.log())).length > 1;
    if (result.status === "rejected" && !hasEntry) {
      expect(await all(backend.kept()), hit).toEqual([]);
      failed.add(hit!.split(" ")[0]!);
    } else if (result.status === "fulfilled") expect(await all(backend.kept())).not.toEqual([]);
    await backend.close().catch(() => undefined);
    if (hit === undefined) break;
  }
  expect([...failed]).toEqual(expect.arrayContaining(["openSync", "writeSync"]));
});
