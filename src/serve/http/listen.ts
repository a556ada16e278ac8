// Serves MCP over HTTP: behind the guards, 2025 clients get their session and 2026 clients a server for each request.

import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createAllowance } from "../calls/allowance.ts";
import { exactHost, exactOrigin, isLoopback, ownHosts, urlHost } from "./access/address.ts";
import { deny } from "./access/denial.ts";
import { createGuards, ENDPOINT, methodDenied, pathOf, RESOURCE_PATHS } from "./access/guards.ts";
import type { ProtectedResource } from "./access/protected-resource.ts";
import { acceptMinted, acceptTokens, randomToken } from "./access/tokens.ts";
import { createHttpServer, listen, needsToken } from "./bind.ts";
import { createBodyReader } from "./body.ts";
import { createHealth } from "./health.ts";
import { httpLimits } from "./limits.ts";
import { createMetricsEndpoint } from "./metrics.ts";
import type { FactoryHttpOptions, HttpServing, ListenOptions } from "./options.ts";
import { createFront } from "./request-handler.ts";
import { createHandlers, type Handlers, type HandlerTerms } from "./sessions/handlers.ts";
import { createRunning } from "./sessions/running.ts";
import { createUnsent } from "./sessions/unsent.ts";

/** Whatever servers the factory makes. */
export function serveFactoryOverHttp(options: FactoryHttpOptions): Promise<HttpServing> {
  return listenFor(options, (terms) => createHandlers(options, terms));
}

/** Whatever answers requests that have passed the guards. */
export async function listenFor(
  options: ListenOptions,
  answering: (terms: HandlerTerms) => Handlers,
): Promise<HttpServing> {
  const { host = "127.0.0.1" } = options;
  const onError = heard(options.onError ?? (() => {}));
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
    unsent: createUnsent(limits.answersBytes, allowance),
    route: handlers.serve,
    page,
    onRequest: options.onRequest && heard(options.onRequest),
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
    await handlers.end();
    await running.drain();
    server.closeAllConnections();
    await stopped;
    await handlers.close();
  }

  let closed: Promise<void> | undefined;
  return {
    url: `http://${urlHost(reachable(host))}:${port}${ENDPOINT}`,
    pageLink: link && `http://${urlHost(reachable(host))}:${port}${link}`,
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
function heard<T>(listener: (event: T) => unknown): (event: T) => void {
  const tell = async (event: T): Promise<void> => void (await listener(event));
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
    response.writeHead(200, { "content-type": "application/json" });
    const told = {
      resource: about.resource,
      authorization_servers: [about.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "stet",
    };
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(told));
    return true;
  };
}
