// One session of a 2025 client: its server and transport, its streams, its calls without an answer, its idle time.
import { randomBytes } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Exchange, HttpServerFactory } from "../access/caller.ts";
import { denialResponse } from "../access/denial.ts";
import type { Principal } from "../access/tokens.ts";
import { OVERDUE } from "./overdue.ts";
import { type CallId, createUnanswered } from "./unanswered.ts";

export interface LegacySession {
  readonly id: string;
  /** The name of the token that opened it. */
  readonly owner: string;
  /** False when `initialize` was refused. */
  isOpen(): boolean;
  /** It was used; no request or stream is open any more, and no call is without an answer. */
  isIdle(): boolean;
  /** How long it has been so; 0 when it is not. */
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
  const sendOn = transport.send.bind(transport);
  const unanswered = createUnanswered({ callMs, giveUp, endStream });
  transport.send = async (message, options) => {
    const sent = { ...message };
    try {
      await sendOn(sent, options);
    } finally {
      // the transport keeps what it sent until the last answer of a batch
      if ("result" in sent) sent.result = {};
      if ("id" in message && !("method" in message)) unanswered.answered(message.id as CallId);
    }
  };
  await server.connect(transport);
  const closed = transport.onclose;
  transport.onclose = () => {
    unanswered.clear();
    closed?.();
    onClosed(id);
  };
  let open = 0;
  let usedAt: number | undefined;

  const isIdle = (): boolean => usedAt !== undefined && open === 0 && unanswered.isEmpty();

  async function serve({ request, body, calls: called, finished }: Exchange): Promise<Response> {
    open += 1;
    void finished.then(() => {
      open -= 1;
      usedAt = performance.now();
    });
    const calls = called.map(({ id }) => id);
    const refused = unanswered.refuse(calls);
    if (refused !== undefined) return denialResponse(refused);
    unanswered.begin(calls);
    const authInfo = { token: "", clientId: principal.name, scopes: [] };
    const parsed = body === undefined ? {} : { parsedBody: body };
    const response = await transport.handleRequest(request, { authInfo, ...parsed });
    if (!response.ok) unanswered.drop(calls);
    // said again: the server passes by a cancellation with a strange reason, but this call will get no answer
    else for (const cancelled of cancelledIn(body)) if (unanswered.cancelled(cancelled)) cancel(cancelled);
    // a reader that went away leaves its stream behind until the next keep-alive, and may come back sooner
    if (request.method === "GET" && response.ok) void finished.then(() => transport.closeStandaloneSSEStream());
    return response;
  }

  function cancel(requestId: CallId, reason?: string): void {
    const params = { requestId, ...(reason !== undefined && { reason }) };
    transport.onmessage?.({ jsonrpc: "2.0", method: CANCELLED, params });
  }

  function giveUp(requestId: CallId): void {
    cancel(requestId, OVERDUE.message);
    transport.send({ jsonrpc: "2.0", id: requestId, error: OVERDUE }).catch(onError);
  }

  function endStream(cancelled: readonly CallId[]): void {
    for (const one of cancelled) transport.closeSSEStream(one);
    // a cancelled call gets no answer; sent where no stream is left, this one only makes the transport forget the call
    const error = { code: -32000, message: "Cancelled." };
    for (const one of cancelled) sendOn({ jsonrpc: "2.0", id: one, error }).catch(onError);
  }

  return {
    id,
    owner: principal.name,
    isOpen: () => transport.sessionId !== undefined,
    isIdle,
    idleMs: () => (isIdle() ? performance.now() - usedAt! : 0),
    serve,
    async end() {
      await server.close().catch(onError);
      await transport.close();
    },
  };
}

const CANCELLED = "notifications/cancelled";

function cancelledIn(body: unknown): CallId[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    const { id, method, params } = (message ?? {}) as {
      id?: unknown;
      method?: unknown;
      params?: { requestId?: CallId };
    };
    const requestId = params?.requestId;
    return method === CANCELLED && id === undefined && requestId !== undefined ? [requestId] : [];
  });
}
