// Opens a workspace in a PostgreSQL database; loaded only where one is named.
import { postgres } from "../../backends/postgres/index.ts";
import { Refusal, reworded } from "../../core/failure.ts";
import type { PolicyInput } from "../../kernel/policy/policy.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import type { WorkspaceInDatabase } from "../config/roots.ts";
import type { Settings } from "../config/settings.ts";

export async function openInDatabase(
  { url, tenant, workspace, mirror }: WorkspaceInDatabase,
  policy: PolicyInput,
  settings: Settings,
  make: boolean,
): Promise<Workspace> {
  const { durability: _durability, stateDir: _stateDir, ...options } = settings.workspace;
  const waitMs = options.limits?.lockMs;
  const backend = await postgres({ database: url, tenant, workspace, make, mirror, waitMs }).catch((error) => {
    // not where the database said so: then it is the database, or its host, that is not there
    const isMissing = error instanceof Refusal && error.kind === "not_found" && error.cause === undefined;
    throw isMissing && !make ? reworded(error, { next: MADE_BY }) : error;
  });
  try {
    return openWorkspace({ ...options, backend, policy });
  } catch (error) {
    await backend.close();
    throw error;
  }
}

const MADE_BY = "Check the name. One that is not there is made by stet call, stet mcp and stet serve.";
