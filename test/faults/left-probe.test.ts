// A process that died while it tried whether files can change places leaves two empty files; the next one clears them.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { AUTHOR } from "../../src/testing/assertions.ts";
import { tempDir } from "../support/temp.ts";

it("what a dead process left of its probe is cleared away", async () => {
  const root = tempDir();
  const backend = disk({ root });
  await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  for (const name of ["try-1", "try-2"]) writeFileSync(join(root, ".stet/pending", name), "");
  await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);
  await backend.close();
});
