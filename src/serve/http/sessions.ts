// HTTP sessions of clients before 2026: each bound to the token that opened it, so many for each token, ended when idle.
import { randomBytes } from "node:crypto";
import { type AuthInfo, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Principal } from "./access/tokens.ts";
import { type Denial, denialResponse, tooMany } from "./denial.ts";
import type { Exchange, Handler, HandlerOptions } from "./handlers.ts";
import { createRateLimit, createShares } from "./limits.ts";

type CallId = string | number;

interface HttpSession {
  readonly id: string;
  /** The token that opened it has this name. */
  readonly owner: string;
  /** And is of this kind, where there are several. */
  readonly kind: string | undefined;
  /** False when `initialize` was refused. */
  isOpen(): boolean;
  /** How long it has had neither a request nor a stream nor a call without an answer; undefined while it has one. */
  idleMs(): number | undefined;
  serve(exchange: Exchange): Promise<Response>;
  end(): Promise<void>;
}

export function createSessionHandler(options: HandlerOptions): Handler {
  const { limits, onSessionClosed } = options;
  const sessions = new Map<string, HttpSession>();
  /** Sessions that are being opened take a place too. */
  const opening = createShares(Number.POSITIVE_INFINITY);
  /** All of them once a minute: a client that opens more would end the sessions of its neighbours. */
  const ended = createRateLimit({ perSecond: limits.sessions / 60, burst: limits.sessions });
  const sweep = (): void => {
    for (const session of sessions.values()) if ((session.idleMs() ?? 0) > limits.sessionIdleMs) void session.end();
  };
  const sweeper = setInterval(sweep, Math.min(60_000, Math.max(10, limits.sessionIdleMs / 4))).unref();

  /** Ends the session that is idle longest when there is no other place. */
  function makeRoom({ name }: Principal): Denial | undefined {
    const own = [...sessions.values()].filter(({ owner }) => owner === name);
    if (own.length + opening.held(name) < limits.sessions) return undefined;
    const idle = own.filter((session) => session.idleMs() !== undefined);
    const [idlest] = idle.sort((one, other) => other.idleMs()! - one.idleMs()!);
    const all = `This token has ${limits.sessions} sessions`;
    if (idlest === undefined) return tooMany(`${all}, each with a call or a stream open. End one.`, 60);
    const seconds = ended.take(name);
    if (seconds !== undefined) return tooMany(`${all}, and that is the limit. Use those that are open.`, seconds);
    void idlest.end();
    return undefined;
  }

  async function open(principal: Principal): Promise<HttpSession> {
    const { name } = principal;
    const onClosed = (id: string): void => {
      if (sessions.delete(id)) onSessionClosed?.(id);
    };
    opening.take(name);
    try {
      const session = await openSession(principal, options, onClosed);
      sessions.set(session.id, session);
      return session;
    } finally {
      opening.giveBack(name);
    }
  }

  return {
    async serve(exchange) {
      const { request, calls, principal } = exchange;
      const id = request.headers.get("mcp-session-id");
      if (id !== null) {
        const session = sessions.get(id);
        // A session of another token is answered like one that never was.
        if (session?.owner !== principal.name || session.kind !== principal.granted?.kind)
          return denialResponse(UNKNOWN_SESSION);
        return session.serve(exchange);
      }
      if (!calls.some(({ method }) => method === "initialize")) return denialResponse(NO_SESSION_ID);
      const denial = makeRoom(principal);
      if (denial !== undefined) return denialResponse(denial);
      const session = await open(principal);
      const response = await session.serve(exchange);
      if (!session.isOpen()) await session.end();
      return response;
    },
    async close() {
      clearInterval(sweeper);
      await Promise.all([...sessions.values()].map((session) => session.end()));
    },
  };
}

async function openSession(
  principal: Principal,
  { factory, onError }: HandlerOptions,
  onClosed: (id: string) => void,
): Promise<HttpSession> {
  const id = randomBytes(24).toString("base64url");
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  const server = await factory({ era: "legacy", principal });
  const unanswered = new Set<CallId>();
  const sendOn = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const sent = { ...message };
    try {
      await sendOn(sent, options);
    } finally {
      // The transport keeps what it sent until the last answer of a batch.
      if ("result" in sent) sent.result = {};
      if ("id" in message && !("method" in message)) unanswered.delete(message.id as CallId);
    }
  };
  await server.connect(transport);
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    onClosed(id);
  };
  let open = 0;
  let usedAt: number | undefined;

  return {
    id,
    owner: principal.name,
    kind: principal.granted?.kind,
    isOpen: () => transport.sessionId !== undefined,
    idleMs: () => (usedAt === undefined || open > 0 || unanswered.size > 0 ? undefined : performance.now() - usedAt),
    async serve({ request, body, calls, finished }) {
      open += 1;
      void finished.then(() => {
        open -= 1;
        usedAt = performance.now();
      });
      const ids = calls.map((call) => call.id);
      // The transport would send the answer of one call to the stream of the other.
      const taken = ids.find((each, at) => unanswered.has(each) || ids.indexOf(each) !== at);
      if (taken !== undefined) return denialResponse(inUse(taken));
      for (const each of ids) unanswered.add(each);
      const response = await transport.handleRequest(request, { authInfo: authInfoOf(principal), parsedBody: body });
      if (!response.ok) for (const each of ids) unanswered.delete(each);
      // The server does not answer a cancelled call, so its stream would stay open.
      else
        for (const each of cancelledIn(body)) if (unanswered.has(each)) transport.send(cancelled(each)).catch(onError);
      // A reader that went away leaves its stream behind until the next keep-alive, and may come back sooner.
      if (request.method === "GET" && response.ok) void finished.then(() => transport.closeStandaloneSSEStream());
      return response;
    },
    async end() {
      await server.close().catch(onError);
      await transport.close();
    },
  };
}

/** The token itself goes no further than the guards. */
export function authInfoOf(principal: Principal): AuthInfo {
  return { token: "", clientId: principal.name, scopes: [], extra: { principal } };
}

function cancelled(id: CallId) {
  return { jsonrpc: "2.0" as const, id, error: { code: -32000, message: "Cancelled." } };
}

function cancelledIn(body: unknown): CallId[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    const { id, method, params } = (message ?? {}) as {
      id?: unknown;
      method?: unknown;
      params?: { requestId?: CallId };
    };
    const requestId = params?.requestId;
    return method === "notifications/cancelled" && id === undefined && requestId !== undefined ? [requestId] : [];
  });
}

function inUse(id: CallId): Denial {
  const message = `Invalid Request: the id ${JSON.stringify(id)} is that of another call without an answer. Give each call its own.`;
  return { status: 400, code: -32600, message };
}

const NO_SESSION_ID = { status: 400, message: "Bad Request: Mcp-Session-Id header is required." };
const UNKNOWN_SESSION = { status: 404, code: -32001, message: "Session not found." };
