// 2026 clients: one request, one server, one answer, with a deadline on all but subscriptions.
import { type AuthInfo, createMcpHandler, ProtocolError } from "@modelcontextprotocol/server";
import type { Exchange } from "../access/caller.ts";
import { denialResponse } from "../access/denial.ts";
import type { Principal } from "../access/tokens.ts";
import type { HttpLimits } from "../limits.ts";
import type { FactoryHttpOptions } from "../options.ts";
import { endedBy, OVERDUE } from "./overdue.ts";

export interface ModernHandler {
  serve(exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

export interface ModernOptions extends Pick<FactoryHttpOptions, "factory" | "bus"> {
  readonly limits: HttpLimits;
  readonly onError: (error: Error) => void;
}

export const SUBSCRIBE = "subscriptions/listen";

export function createModernHandler({ factory, limits, bus, onError }: ModernOptions): ModernHandler {
  const handler = createMcpHandler(({ authInfo }) => factory({ era: "modern", principal: principalIn(authInfo!) }), {
    legacy: "reject",
    onerror: (error) => isFaultOfClient(error) || onError(error),
    maxSubscriptions: limits.subscriptions,
    maxRequestBodySize: limits.bodyBytes,
    ...(bus !== undefined && { bus }),
  });

  async function serve(exchange: Exchange): Promise<Response> {
    const { request, body, principal, finished } = exchange;
    const options = { authInfo: authInfoOf(principal), parsedBody: body };
    const [call] = exchange.calls;
    if (call === undefined || call.method === SUBSCRIBE) return handler.fetch(request, options);

    const overdue = new AbortController();
    const deadline = setTimeout(() => overdue.abort(), limits.callMs);
    void finished.then(() => clearTimeout(deadline));
    const givenUp = new Promise<Response>((resolve) => {
      overdue.signal.addEventListener("abort", () => resolve(denialResponse({ status: 504, ...OVERDUE }, call.id)));
    });
    const signal = AbortSignal.any([request.signal, overdue.signal]);
    const { url, method, headers } = request; // the body has been read
    const served = handler.fetch(new Request(url, { method, headers, signal }), options);
    return endedBy(overdue.signal, call.id, await Promise.race([givenUp, served]));
  }

  return { serve, close: () => handler.close() };
}

/** The token itself goes no further than the guards. */
function authInfoOf(principal: Principal): AuthInfo {
  return { token: "", clientId: principal.name, scopes: [], extra: { principal } };
}

function principalIn({ extra }: AuthInfo): Principal {
  return extra?.principal as Principal;
}

/** The handler also reports requests that it refused; those were told why, and are no defect here. */
function isFaultOfClient(error: Error): boolean {
  return error instanceof ProtocolError || error.message.startsWith("Rejected ");
}
