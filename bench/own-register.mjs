// Workspaces that are thrown away leave no record with the user: import this first.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

if (process.env.STET_REGISTER === undefined) {
  const made = mkdtempSync(join(tmpdir(), "stet-bench-register-"));
  process.env.STET_REGISTER = made;
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
}
