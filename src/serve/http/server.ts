// MCP over HTTP: puts the guards in front of the handlers, and shuts down in order.
import { setTimeout as sleep } from "node:timers/promises";
import { createAllowance } from "../calls/allowance.ts";
import { checkHttpOptions } from "../options.ts";
import { createServerFactory, type FactoryOptions } from "../server.ts";
import type { ServeOptions } from "../workspaces/named.ts";
import type { SessionScope } from "../workspaces/sessions.ts";
import { exactHost, exactOrigin, isLoopback, ownHosts, urlHost } from "./access/address.ts";
import { createGuards } from "./access/guards.ts";
import { acceptMinted, acceptTokens, randomToken } from "./access/tokens.ts";
import { createBodyReader } from "./body.ts";
import { checkReady, createEndpoints, ENDPOINT } from "./endpoints.ts";
import { createFront } from "./front.ts";
import { createHandler, type HttpCaller } from "./handlers.ts";
import { createRunning } from "./limits.ts";
import { createHttpServer, listen, needsToken } from "./listen.ts";
import { type FactoryHttpOptions, type HttpOptions, type HttpServing, httpLimits } from "./options.ts";
import type { CreatePage, PageSite } from "./page.ts";

/** Serves workspaces to MCP clients over HTTP. Takes over the workspaces: they are closed with the server. */
export async function startHttp(
  options: ServeOptions,
  http: HttpOptions,
  extra: FactoryOptions,
  createPage: CreatePage,
): Promise<HttpServing> {
  checkHttpOptions(http);
  const workspaces = options.served.map(({ workspace }) => workspace);
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const page = http.page && { ...http.page, served: options.served, version: options.version, onError: http.onError };
  return serveFactoryOverHttp({
    ...http,
    ...httpFactory(options, { ...extra, allowance }),
    allowance,
    openPage: page && ((site: PageSite) => createPage(page, site)),
    ready: () => checkReady(workspaces),
  });
}

/** The servers of stet for callers over HTTP. `close` waits for calls under way and closes the workspaces. */
export function httpFactory(options: ServeOptions, extra: FactoryOptions) {
  const made = createServerFactory(options, extra);
  const scopeFor = ({ era, principal: { name, named, granted } }: HttpCaller): SessionScope => {
    const proven = granted?.agent ?? (named ? name : undefined);
    if (era === "legacy") return made.sessions.forConnection(proven);
    return proven === undefined
      ? made.sessions.forClients(name)
      : made.sessions.forToken(proven, granted !== undefined);
  };
  return {
    factory(caller: HttpCaller) {
      const scope = scopeFor(caller);
      const server = made.build(scope, caller.principal.name);
      const closed = server.onclose;
      if (caller.era === "legacy")
        server.onclose = () => {
          closed?.();
          scope.end?.();
        };
      return server;
    },
    async close() {
      await made.close();
      await Promise.all(options.served.map(({ workspace }) => workspace.close()));
    },
  };
}

/** Whatever servers the factory makes, behind the guards. */
export async function serveFactoryOverHttp(options: FactoryHttpOptions): Promise<HttpServing> {
  const { host = "127.0.0.1" } = options;
  const onError = listener(options.onError ?? (() => {}));
  const limits = httpLimits(options.limits);
  const allowedHosts = (options.allowedHosts ?? []).map(exactHost);
  const allowedOrigins = (options.allowedOrigins ?? []).map(exactOrigin);
  const given = options.tokens ?? [];
  const loopbackOnly = given.length === 0 && options.principals === undefined;
  if (loopbackOnly && !isLoopback(host)) throw needsToken(host);
  const token = loopbackOnly ? randomToken() : undefined;
  const tokens = options.principals ?? (token === undefined ? acceptTokens(given) : acceptMinted(token));

  const server = createHttpServer(limits);
  const port = await listen(server, host, options.port ?? 0, loopbackOnly);
  const running = createRunning(limits.concurrent);
  let draining = false;
  const handler = createHandler({ ...options, limits, onError });
  const hosts = new Set([...ownHosts(host, port), ...allowedHosts]);
  const allowance = options.allowance ?? createAllowance(limits.answersBytes);
  const guards = createGuards({ host, port, allowedHosts, allowedOrigins, tokens, limits });
  const counted = { pay: guards.pay, hold: allowance.hold, count: allowance.count };
  const page = options.openPage?.({ port, hosts, origins: new Set(allowedOrigins), tokens, counted });
  const link = page?.invite();
  const receive = createFront({
    guards,
    endpoints: createEndpoints({
      ready: options.ready,
      closing: () => draining || running.closing,
      holdsMs: limits.readyMs,
      metrics: options.metrics,
      resource: tokens.resource,
    }),
    running,
    readBody: createBodyReader(limits),
    maxUnread: limits.answersBytes,
    allowance,
    route: async (exchange) => options.refuse?.(exchange) ?? handler.serve(exchange),
    page,
    onRequest: options.onRequest && listener(options.onRequest),
    onError,
  });
  server.on("request", receive);
  server.on("checkContinue", receive);

  async function close(): Promise<void> {
    draining = true;
    if (options.drainMs !== undefined) await sleep(options.drainMs);
    page?.close();
    const stopped = new Promise((resolve) => server.close(resolve));
    await running.close(limits.graceMs);
    await handler.close();
    await running.drain();
    server.closeAllConnections();
    await stopped;
    await options.close?.();
  }

  let closed: Promise<void> | undefined;
  const address = `http://${urlHost(reachable(host))}:${port}`;
  return {
    url: `${address}${ENDPOINT}`,
    pageLink: link && `${address}${link}`,
    host,
    port,
    token,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** "All addresses" is none that a client can call. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** A listener that fails, at once or later, is no reason to end the process that serves everybody. */
function listener<T>(given: (event: T) => unknown): (event: T) => void {
  const tell = async (event: T): Promise<void> => void (await given(event));
  return (event) => void tell(event).catch(() => {});
}
