// Workspaces over HTTP: the MCP server of stet behind the guards.
import { createAllowance } from "../calls/allowance.ts";
import { checkHttpOptions } from "../option-names.ts";
import type { PageSite } from "../page/options.ts";
import { createPage } from "../page/page.ts";
import type { ServeOptions } from "../served/served.ts";
import type { FactoryOptions } from "../server.ts";
import { httpFactory } from "./factory.ts";
import { httpLimits } from "./limits.ts";
import { serveFactoryOverHttp } from "./listen.ts";
import type { HttpOptions, HttpServing } from "./options.ts";
import { checkReady } from "./readiness.ts";

/** Serves workspaces to MCP clients over HTTP. Takes over the workspaces: they are closed with the server. */
export async function serveOverHttp(
  options: ServeOptions,
  http: HttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  checkHttpOptions(http);
  const workspaces = options.served.map(({ workspace }) => workspace);
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const mcp = httpFactory(options, { ...extra, allowance });
  const { page: asked, onError } = http;
  const page = asked && { ...asked, served: options.served, version: options.version, ...(onError && { onError }) };
  const openPage = page && ((site: PageSite) => createPage(page, site));
  return serveFactoryOverHttp({ ...http, ...mcp, allowance, openPage, ready: () => checkReady(workspaces) });
}
