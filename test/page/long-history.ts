// A workspace with a long history, for what the page does with one.
import type { Workspace } from "stet";
import { memoryWorkspace } from "../support/workspace.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"];

/** Entries of several agents, every ninth of them refused. */
export async function longHistory(count: number, files: Readonly<Record<string, string>>): Promise<Workspace> {
  const workspace = memoryWorkspace(files);
  for (let n = 1; n <= count; n++) {
    const who = { session: `bulk-${n % 7}`, agent: AGENTS[n % 4]!, tool: "edit_file", changes: [] };
    const details = { paths: [`src/module-${n % 900}/file-${n % 31}.ts`] };
    if (n % 9 === 0) await workspace.backend.record({ ...who, details, outcome: "refused", error: "stale_file" });
    else await workspace.backend.record({ ...who, details, outcome: "external" });
  }
  return workspace;
}
