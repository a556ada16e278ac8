// Workspaces over HTTP: the MCP server of stet behind the guards.
import { createAllowance } from "../calls/allowance.ts";
import type { ServeOptions } from "../served/served.ts";
import type { FactoryOptions } from "../server.ts";
import { httpLimits } from "./limits.ts";
import { serveOverHttp } from "./listen.ts";
import type { HttpOptions, HttpServing } from "./options.ts";
import { overHttp } from "./over-http.ts";
import { checkReady } from "./readiness.ts";

/** What an owner decides; the rest follows from the workspaces. */
export type WorkspaceHttpOptions = Omit<
  HttpOptions,
  "factory" | "ready" | "updates" | "listened" | "close" | "allowance"
>;

/** Takes over the workspaces: they are closed with the server. */
export function serveWorkspacesOverHttp(
  options: ServeOptions,
  http: WorkspaceHttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  const workspaces = options.served.map(({ workspace }) => workspace);
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const mcp = overHttp(options, { ...extra, allowance });
  return serveOverHttp({ ...http, ...mcp, allowance, ready: () => checkReady(workspaces) });
}
