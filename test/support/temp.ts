// Temporary directories that are gone after the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

export function tempDir(prefix = "stet-test-"): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}
