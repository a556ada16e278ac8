// Workspaces over HTTP: the MCP server of stet behind the guards.
import { overHttp } from "../over-http.ts";
import type { ServeOptions } from "../served.ts";
import type { FactoryOptions } from "../server.ts";
import { serveOverHttp } from "./listen.ts";
import type { HttpOptions, HttpServing } from "./options.ts";
import { checkReady } from "./readiness.ts";

/** What an owner decides; the rest follows from the workspaces. */
export type WorkspaceHttpOptions = Omit<HttpOptions, "factory" | "ready" | "updates" | "listened" | "close">;

/** Takes over the workspaces: they are closed with the server. */
export function serveWorkspacesOverHttp(
  options: ServeOptions,
  http: WorkspaceHttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  const workspaces = options.served.map(({ workspace }) => workspace);
  return serveOverHttp({ ...http, ...overHttp(options, extra), ready: () => checkReady(workspaces) });
}
