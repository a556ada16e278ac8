// Serves requests that have passed the guards with the SDK: 2025 clients in sessions, 2026 clients request by request.
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  ProtocolError,
  type Server,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { Principal } from "./access/tokens.ts";
import type { HttpLimits } from "./options.ts";
import { authInfoOf, createSessionHandler } from "./sessions.ts";

/** The one that a server serves. */
export interface HttpCaller {
  /** legacy: a 2025 client, one server for its whole session. modern: a 2026 client, one server for one request. */
  readonly era: "legacy" | "modern";
  readonly principal: Principal;
}

export type HttpServerFactory = (caller: HttpCaller) => McpServer | Server | Promise<McpServer | Server>;

/** One request that has passed the guards. */
export interface Exchange {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  /** In the body: one, or each of a batch. */
  readonly calls: readonly Called[];
  readonly principal: Principal;
  /** Settles when the answer is out, or the connection is closed. */
  readonly finished: Promise<void>;
}

export interface Called {
  readonly id: string | number;
  readonly method: string;
  /** Of a call of a tool. */
  readonly tool: unknown;
}

export interface HandlerOptions {
  readonly factory: HttpServerFactory;
  /** Where a server of another kind publishes changes for the streams of 2026 clients. */
  readonly bus?: ServerEventBus | undefined;
  readonly limits: HttpLimits;
  readonly onSessionClosed?: ((sessionId: string) => void) | undefined;
  readonly onError: (error: Error) => void;
}

export interface Handler {
  serve(exchange: Exchange): Promise<Response>;
  /** Ends sessions and streams; calls under way have been waited for. */
  close(): Promise<void>;
}

export const SUBSCRIBE = "subscriptions/listen";

export function createHandler(options: HandlerOptions): Handler {
  const { factory, limits, bus, onError } = options;
  const sessions = createSessionHandler(options);
  const modern = createMcpHandler(({ authInfo }) => factory({ era: "modern", principal: principalIn(authInfo!) }), {
    legacy: "reject",
    onerror: (error) => isFaultOfClient(error) || onError(error),
    maxSubscriptions: limits.subscriptions,
    maxRequestBodySize: limits.bodyBytes,
    ...(bus && { bus }),
  });
  return {
    async serve(exchange) {
      const { request, body, principal } = exchange;
      if (await isLegacyRequest(request, body)) return sessions.serve(exchange);
      return modern.fetch(request, { authInfo: authInfoOf(principal), parsedBody: body });
    },
    close: async () => void (await Promise.all([modern.close(), sessions.close()])),
  };
}

function principalIn({ extra }: AuthInfo): Principal {
  return extra?.principal as Principal;
}

/** The handler also reports requests that it refused; their clients got the reason, and they are no defect here. */
function isFaultOfClient(error: Error): boolean {
  return error instanceof ProtocolError || error.message.startsWith("Rejected ");
}
