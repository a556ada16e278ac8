// Serves the page: alone on loopback, for agents over stdio or elsewhere, or at `/` of a server over HTTP.
import { createServer } from "node:http";
import { ownHosts, urlHost } from "../../serve/http/access/address.ts";
import { type FleetOptions, startFleetHttp } from "../../serve/http/fleet.ts";
import { listen } from "../../serve/http/listen.ts";
import type { HttpOptions, HttpServing } from "../../serve/http/options.ts";
import type { PageOptions } from "../../serve/http/page.ts";
import { startHttp } from "../../serve/http/server.ts";
import type { FactoryOptions } from "../../serve/server.ts";
import type { ServeOptions } from "../../serve/workspaces/named.ts";
import { createPage } from "./page.ts";

export interface PageServing {
  /** Has the secret, which works once. */
  readonly link: string;
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Leaves the workspaces open: the code that opened them closes them. */
export async function servePage(options: PageOptions, port = 0): Promise<PageServing> {
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 60_000, headersTimeout: 30_000 });
  server.maxConnections = 256;
  const taken = await listen(server, HOST, port, true);
  const page = createPage(options, { port: taken, hosts: new Set(ownHosts(HOST, taken)), origins: new Set() });
  server.on("request", (request, response) => {
    if (page.receive(request, response)) return;
    response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here.\n");
  });
  const url = `http://${urlHost(HOST)}:${taken}`;
  return {
    link: `${url}${page.invite()}`,
    url,
    port: taken,
    async close() {
      page.close();
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await stopped;
    },
  };
}

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
