// Temporary directories that are gone after the test.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(() => {
  for (const path of made.splice(0)) remove(path);
});

export function tempDir(prefix = "stet-test-"): string {
  const path = fs.mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}

/** Much quicker than `rmSync`, which does what is left: in directories that nobody may look into. */
export function remove(path: string): void {
  try {
    emptied(Buffer.from(path));
  } catch {
    // what is left is removed below
  }
  fs.rmSync(path, { recursive: true, force: true });
}

/** Names as bytes: some are no text. */
function emptied(directory: Buffer): void {
  for (const entry of fs.readdirSync(directory, { encoding: "buffer", withFileTypes: true })) {
    const path = Buffer.concat([directory, SLASH, entry.name]);
    if (entry.isDirectory()) {
      emptied(path);
      fs.rmdirSync(path);
    } else fs.unlinkSync(path);
  }
}

const SLASH = Buffer.from("/");
