// The sessions of 2025 clients: each bound to the token that opened it, so many for each token, and ended when idle.
import { createShares } from "../../calls/shares.ts";
import type { Exchange } from "../access/caller.ts";
import { type Denial, denialResponse, tooMany } from "../access/denial.ts";
import { createRateLimit } from "../access/rate-limit.ts";
import type { Principal } from "../access/tokens.ts";
import type { HttpLimits } from "../limits.ts";
import type { FactoryHttpOptions } from "../options.ts";
import { type LegacySession, openLegacySession } from "./legacy-session.ts";

export interface LegacySessions {
  serve(exchange: Exchange): Promise<Response>;
  isEmpty(): boolean;
  /** Ends every session and its streams. */
  close(): Promise<void>;
}

export interface LegacyOptions extends Pick<FactoryHttpOptions, "factory" | "onSessionClosed"> {
  readonly limits: HttpLimits;
  readonly onError: (error: Error) => void;
}

export function createLegacySessions({ factory, limits, onSessionClosed, onError }: LegacyOptions): LegacySessions {
  const sessions = new Map<string, LegacySession>();
  const opening = createShares(Number.POSITIVE_INFINITY);
  // all of them once a minute: who opens more than that is no fleet, and would end the sessions of its neighbours
  const ended = createRateLimit({ perSecond: limits.sessions / 60, burst: limits.sessions });
  const sweeper = setInterval(sweep, Math.min(60_000, Math.max(10, limits.sessionIdleMs / 4)));
  sweeper.unref();

  async function serve(exchange: Exchange): Promise<Response> {
    const id = exchange.request.headers.get("mcp-session-id");
    if (id !== null) return serveKnown(id, exchange);
    if (!exchange.calls.some(({ method }) => method === "initialize")) return denialResponse(NO_SESSION_ID);
    return serveFirst(exchange);
  }

  async function serveKnown(id: string, exchange: Exchange): Promise<Response> {
    const session = sessions.get(id);
    // another token's session is answered like one that never was
    if (session === undefined || session.owner !== exchange.principal.name) return denialResponse(UNKNOWN_SESSION);
    return session.serve(exchange);
  }

  async function serveFirst(exchange: Exchange): Promise<Response> {
    const { principal } = exchange;
    const denial = makeRoom(principal);
    if (denial !== undefined) return denialResponse(denial);
    const session = await counted(principal, open(principal));
    const response = await session.serve(exchange);
    if (!session.isOpen()) await session.end();
    return response;
  }

  /** A session that is still being opened takes a place too. */
  async function counted<T>({ name }: Principal, opened: Promise<T>): Promise<T> {
    opening.take(name);
    return opened.finally(() => opening.giveBack(name));
  }

  async function open(principal: Principal): Promise<LegacySession> {
    const session = await openLegacySession({ principal, factory, callMs: limits.callMs, onClosed: forget, onError });
    sessions.set(session.id, session);
    return session;
  }

  function forget(id: string): void {
    if (sessions.delete(id)) onSessionClosed?.(id);
  }

  function sweep(): void {
    for (const session of sessions.values()) if (session.idleMs() > limits.sessionIdleMs) void session.end();
  }

  /** Ends the session that is idle longest when there is no other place. */
  function makeRoom({ name }: Principal): Denial | undefined {
    const own = [...sessions.values()].filter(({ owner }) => owner === name);
    if (own.length + opening.held(name) < limits.sessions) return undefined;
    const [idlest] = own.filter((one) => one.isIdle()).sort((one, other) => other.idleMs() - one.idleMs());
    if (idlest === undefined) return tooMany(`${full(limits.sessions)} Each has a call or a stream open: end one.`, 60);
    const seconds = ended.take(name);
    if (seconds !== undefined) return tooMany(`${full(limits.sessions)} Use those that are open.`, seconds);
    void idlest.end();
    return undefined;
  }

  return {
    serve,
    isEmpty: () => sessions.size === 0,
    async close() {
      clearInterval(sweeper);
      await Promise.all([...sessions.values()].map((session) => session.end()));
    },
  };
}

function full(most: number): string {
  return `This token has ${most} sessions, and that is the limit.`;
}

const NO_SESSION_ID = { status: 400, message: "Bad Request: Mcp-Session-Id header is required." };
const UNKNOWN_SESSION = { status: 404, code: -32001, message: "Session not found." };
