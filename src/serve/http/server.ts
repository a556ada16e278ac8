// MCP over HTTP: opens the socket with limits against slow clients, puts the guards in front, and shuts down in order.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { createAllowance } from "../calls/allowance.ts";
import { checkHttpOptions } from "../options.ts";
import type { PageSite } from "../page/options.ts";
import { createPage } from "../page/page.ts";
import type { ServeOptions } from "../served/served.ts";
import type { SessionScope } from "../served/sessions.ts";
import { createServerFactory, type FactoryOptions } from "../server.ts";
import { exactHost, exactOrigin, isLoopback, ownHosts, urlHost } from "./access/address.ts";
import { createGuards, ENDPOINT, methodDenied, pathOf, RESOURCE_PATHS } from "./access/guards.ts";
import { acceptMinted, acceptTokens, type ProtectedResource, randomToken } from "./access/tokens.ts";
import { createBodyReader } from "./body.ts";
import { deny } from "./denial.ts";
import { createFront } from "./front.ts";
import { createHandlers, type HandlerOptions, type Handlers, type HttpCaller } from "./handlers.ts";
import { checkReady, createHealth } from "./health.ts";
import { createMetricsEndpoint } from "./metrics.ts";
import {
  type FactoryHttpOptions,
  type HttpLimits,
  type HttpOptions,
  type HttpServing,
  httpLimits,
  type ListenOptions,
} from "./options.ts";
import { createRunning } from "./running.ts";

/** Serves workspaces to MCP clients over HTTP. Takes over the workspaces: they are closed with the server. */
export async function serveOverHttp(
  options: ServeOptions,
  http: HttpOptions = {},
  extra: FactoryOptions = {},
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

/** Whatever servers the factory makes. */
export function serveFactoryOverHttp(options: FactoryHttpOptions): Promise<HttpServing> {
  return listenFor(options, (given) => createHandlers({ ...options, ...given }, async () => options.close?.()));
}

/** Whatever answers requests that have passed the guards. */
export async function listenFor(
  options: ListenOptions,
  answering: (given: Pick<HandlerOptions, "limits" | "onError">) => Handlers,
): Promise<HttpServing> {
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
  const handlers = answering({ limits, onError });
  const hosts = new Set([...ownHosts(host, port), ...allowedHosts]);
  const allowance = options.allowance ?? createAllowance(limits.answersBytes);
  const hasMetrics = options.metrics !== undefined;
  const guards = createGuards({ host, port, allowedHosts, allowedOrigins, tokens, limits, hasMetrics });
  const counted = { spent: guards.spent, pay: guards.pay, hold: allowance.hold, count: allowance.count };
  const page = options.openPage?.({ port, hosts, origins: new Set(allowedOrigins), tokens, counted });
  const link = page?.invite();
  const receive = createFront({
    guards,
    health: createHealth({ ready: options.ready, closing: () => draining || running.closing, holdsMs: limits.readyMs }),
    resource: createResourceEndpoint(tokens.resource),
    metrics: createMetricsEndpoint(options.metrics),
    running,
    readBody: createBodyReader(limits),
    maxUnread: limits.answersBytes,
    allowance,
    route: handlers.serve,
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
    await handlers.close();
    await running.drain();
    server.closeAllConnections();
    await stopped;
    await handlers.release();
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

/** Tells clients without a token whose tokens are taken here. False when that is not what the request asks. */
function createResourceEndpoint(about: ProtectedResource | undefined) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (about === undefined || !RESOURCE_PATHS.includes(pathOf(request))) return false;
    const denial = methodDenied(request);
    if (denial !== undefined) {
      deny(request, response, denial);
      return true;
    }
    const told = {
      resource: about.resource,
      authorization_servers: [about.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "stet",
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(told));
    return true;
  };
}

/** A reader that takes nothing for this long is gone; streams are written to every 15 s. */
const SILENT_MS = 120_000;
/** A fleet that starts up connects all at once; the usual queue of 511 would drop some of them. */
const BACKLOG = 4096;

function createHttpServer(limits: HttpLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.min(limits.headersMs, limits.requestMs, 10_000) / 4),
    maxHeaderSize: limits.headerBytes,
  });
  server.maxConnections = limits.connections;
  server.timeout = SILENT_MS;
  return server;
}

/** Returns the port that was taken. */
export async function listen(server: Server, host: string, port: number, loopbackOnly: boolean): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw refusalFor(error, host, port);
  });
  const bound = server.address() as AddressInfo;
  if (!loopbackOnly || isLoopback(bound.address)) return bound.port;
  server.close();
  throw needsToken(host);
}

function needsToken(host: string): Refusal {
  return new Refusal("permission_denied", `${host} can be reached from other machines, and no token was given.`, {
    next: "Give a token of your own, or listen on 127.0.0.1.",
  });
}

const KINDS: Readonly<Record<string, readonly [FailureKind, string]>> = {
  EADDRINUSE: ["busy", "it is in use"],
  EACCES: ["permission_denied", "this user may not use it"],
  EADDRNOTAVAIL: ["invalid_input", "this machine does not have that address"],
  ENOTFOUND: ["invalid_input", "that name has no address"],
  ERR_SOCKET_BAD_PORT: ["invalid_input", "ports are numbers from 0 to 65535"],
};

function refusalFor(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const known = KINDS[error.code ?? ""];
  if (known === undefined) return error;
  return new Refusal(known[0], `Cannot listen on ${host}, port ${port}: ${known[1]}.`, {
    next: "Choose another port or address.",
    cause: error,
  });
}
