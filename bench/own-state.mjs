// Workspaces that are thrown away leave no history with the user: import this first.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

if (process.env.STET_STATE === undefined) {
  const made = mkdtempSync(join(tmpdir(), "stet-bench-state-"));
  process.env.STET_STATE = made;
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
}
