import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { testBackend } from "../../src/testing/index.ts";

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

for (const durability of ["fast", "full"] as const) {
  describe(`durability ${durability}`, async () => {
    await testBackend(() => {
      const root = mkdtempSync(join(tmpdir(), "stet-disk-"));
      roots.push(root);
      return disk({ root, durability });
    });
  });
}
