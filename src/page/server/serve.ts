// Servers over HTTP that have the page at `/`.
import { type FleetOptions, startFleetHttp } from "../../serve/http/fleet.ts";
import type { HttpOptions, HttpServing } from "../../serve/http/options.ts";
import { startHttp } from "../../serve/http/server.ts";
import type { FactoryOptions } from "../../serve/server.ts";
import type { ServeOptions } from "../../serve/workspaces/named.ts";
import { createPage } from "./page.ts";

/** Serves workspaces to MCP clients over HTTP. Closing the server closes the workspaces. */
export function serveOverHttp(
  options: ServeOptions,
  http: HttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  return startHttp(options, http, extra, createPage);
}

/** Serves workspaces that are found by name. */
export function serveFleetOverHttp(
  options: FleetOptions,
  http: HttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  return startFleetHttp(options, http, extra, createPage);
}
