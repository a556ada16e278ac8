import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { disk } from "stet/backends/disk";
import { testBackend } from "stet/testing";
import { afterAll, describe } from "vitest";

const base = mkdtempSync(join(tmpdir(), "stet-disk-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

for (const durability of ["fast", "full"] as const) {
  describe(`durability ${durability}`, async () => {
    await testBackend((name) => {
      const root = join(base, name);
      mkdirSync(root, { recursive: true });
      return disk({ root, durability, remember: durability === "full" });
    });
  });
}
