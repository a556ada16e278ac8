// One session of a 2025 client: its server and transport, its streams, the deadline of its calls, its idle time.
import { randomBytes } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { callsIn, type Exchange, type HttpServerFactory } from "./caller.ts";
import { OVERDUE } from "./overdue.ts";
import type { Principal } from "./tokens.ts";

export interface LegacySession {
  readonly id: string;
  /** The name of the token that opened it. */
  readonly owner: string;
  /** False when `initialize` was refused. */
  isOpen(): boolean;
  /** How long nobody has used it; 0 while a request or a stream is open. */
  idleMs(): number;
  serve(exchange: Exchange): Promise<Response>;
  end(): Promise<void>;
}

export interface LegacySessionOptions {
  readonly principal: Principal;
  readonly factory: HttpServerFactory;
  readonly callMs: number;
  readonly onClosed: (id: string) => void;
  readonly onError: (error: Error) => void;
}

export async function openLegacySession({
  principal,
  factory,
  callMs,
  onClosed,
  onError,
}: LegacySessionOptions): Promise<LegacySession> {
  const id = randomBytes(24).toString("base64url");
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  const server = await factory({ era: "legacy", principal, sessionId: id });
  /** Calls under way that have no answer yet. */
  const unanswered = new Set<string | number>();
  const sendOn = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("id" in message && !("method" in message)) unanswered.delete(message.id as string | number);
    return sendOn(message, options);
  };
  await server.connect(transport);
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    onClosed(id);
  };
  /** Calls under way that have a stream to themselves. */
  const alone = new Set<string | number>();
  let open = 0;
  let usedAt = performance.now();

  async function serve({ request, body, finished }: Exchange): Promise<Response> {
    const calls = callsIn(body);
    const deadline = calls.length === 0 ? undefined : setTimeout(() => giveUp(calls), callMs);
    for (const { id: each } of calls) unanswered.add(each);
    const own = calls.length === 1 ? calls[0] : undefined;
    if (own !== undefined) alone.add(own.id);
    open += 1;
    void finished.then(() => {
      open -= 1;
      usedAt = performance.now();
      clearTimeout(deadline);
      for (const { id: each } of calls) unanswered.delete(each);
      if (own !== undefined) alone.delete(own.id);
    });
    const authInfo = { token: "", clientId: principal.name, scopes: [] };
    const parsed = body === undefined ? {} : { parsedBody: body };
    const response = await transport.handleRequest(request, { authInfo, ...parsed });
    // a cancelled call gets no answer, and nobody else would end its stream
    const cancelled = cancelledIn(body);
    if (cancelled !== undefined && alone.has(cancelled)) transport.closeSSEStream(cancelled);
    // a reader that went away leaves its stream behind until the next keep-alive, and may come back sooner
    if (request.method === "GET" && response.ok) void finished.then(() => transport.closeStandaloneSSEStream());
    return response;
  }

  /** Cancels what is still running and answers in its place. */
  function giveUp(calls: ReturnType<typeof callsIn>): void {
    for (const { id: requestId } of calls.filter((call) => unanswered.has(call.id))) {
      const params = { requestId, reason: OVERDUE.message };
      transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      transport.send({ jsonrpc: "2.0", id: requestId, error: OVERDUE }).catch(onError);
    }
  }

  return {
    id,
    owner: principal.name,
    isOpen: () => transport.sessionId !== undefined,
    idleMs: () => (open > 0 ? 0 : performance.now() - usedAt),
    serve,
    async end() {
      await server.close().catch(onError);
      await transport.close();
    },
  };
}

function cancelledIn(body: unknown): string | number | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: string | number } };
  return method === "notifications/cancelled" ? params?.requestId : undefined;
}
