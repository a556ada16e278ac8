// The options of a server over HTTP, its limits, and what the owner gets.
import { Refusal } from "../../core/failure.ts";
import type { Allowance } from "../calls/allowance.ts";
import { MAX_MESSAGE_BYTES } from "../message-bytes.ts";
import type { GivenToken, Tokens } from "./access/tokens.ts";
import type { Exchange, HandlerOptions } from "./handlers.ts";
import type { MetricsOptions } from "./metrics.ts";
import type { HttpPage, Page, PageSite } from "./page.ts";

/** What an owner decides about a server over HTTP. */
export interface HttpOptions {
  /** 127.0.0.1 unless given; any other than loopback needs `tokens`. */
  readonly host?: string;
  /** 0, the default, takes any free one. */
  readonly port?: number;
  /** None given: one of 256 random bits is made, and returned as `token`. */
  readonly tokens?: readonly GivenToken[];
  /** Further exact values of Host, with the port where clients send one. */
  readonly allowedHosts?: readonly string[];
  /** Further exact values of Origin. */
  readonly allowedOrigins?: readonly string[];
  /** Those that are left out keep their defaults. */
  readonly limits?: Partial<HttpLimits>;
  /** `GET /metrics`, with a token of its own; there is none unless given. */
  readonly metrics?: MetricsOptions;
  /** How long calls are still taken after a shutdown was asked for, while readiness says no: for what sends them elsewhere then. */
  readonly drainMs?: number;
  /** The page at `/`, for people who review what agents did; there is none unless given. */
  readonly page?: HttpPage;
  /** Told the Mcp-Session-Id of every 2025 session that has ended. */
  readonly onSessionClosed?: (sessionId: string) => void;
  /** Told of every request when it has been answered, for an access log. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Told of defects; not of requests that were refused. */
  readonly onError?: (error: Error) => void;
}

/** A server of any kind behind the guards. */
export interface FactoryHttpOptions extends HttpOptions, Pick<HandlerOptions, "factory" | "bus"> {
  /** In place of `tokens`: they are known elsewhere. */
  readonly principals?: Tokens;
  /** Opens the page at `/`, where there is one. */
  readonly openPage?: ((site: PageSite) => Page) | undefined;
  /** Where unread answers are counted, when calls look there too. */
  readonly allowance?: Allowance;
  /** Rejects when calls could not be served now; the error goes no further. */
  readonly ready?: () => Promise<void>;
  /** The answer to what this caller may not ask at all. */
  readonly refuse?: (exchange: Exchange) => Response | undefined;
  /** The last thing a shutdown does. */
  readonly close?: () => Promise<void>;
}

/** One line of an access log. Has no token, no body, no query. */
export interface RequestEvent {
  /** Of HTTP. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Of the answer. */
  readonly status: number;
  /** From the request to the end of the answer. */
  readonly ms: number;
  /** The address that it came from. */
  readonly remote: string;
  /** Whose token it had, if a valid one. */
  readonly principal?: string | undefined;
  /** Why its token opens nothing, where that is known. */
  readonly denied?: string | undefined;
}

/** A server that listens. */
export interface HttpServing {
  /** Of the MCP endpoint, as a client on this machine writes it. */
  readonly url: string;
  /** As it was given. */
  readonly host: string;
  /** As it was given, or the one that was free. */
  readonly port: number;
  /** Only when none was given: to be shown to the owner once. */
  readonly token: string | undefined;
  /** The address of the page with a secret that lets its owner in, once; only where there is a page. */
  readonly pageLink: string | undefined;
  /** Lets running calls finish, for a while, then ends sessions and streams. */
  close(): Promise<void>;
}

export const HTTP_LIMITS = {
  /** Largest request body; with the quoting of JSON it bounds what one call can write. */
  bodyBytes: MAX_MESSAGE_BYTES,
  /** All bodies being received or worked on at once: many clients together must not fill the memory either. */
  bodiesBytes: 256 * 1024 * 1024,
  /** What calls of one token hold in memory, the files they name and answers that wait to be read: a few large files. */
  answersBytes: 64 * 1024 * 1024,
  /** Requests of one token that may be under way; a fleet of fifty agents with twenty calls each fits. */
  concurrent: 2048,
  /** Calls per second of one token in the long run: above what a model can ask for, below what starves others. */
  callsPerSecond: 500,
  /** Calls of one token at once. */
  burst: 2000,
  /** Wrong or missing tokens per second in the long run, per remote address. */
  failuresPerSecond: 1,
  /** Wrong or missing tokens at once, per remote address. */
  failureBurst: 20,
  /** 2025 sessions of one token, beyond which the one idle longest makes room. */
  sessions: 256,
  /** How long such a session lives without a request or an open stream. */
  sessionIdleMs: 30 * 60_000,
  /** Open 2026 subscription streams. */
  subscriptions: 1024,
  /** For a slow client to send the headers. */
  headersMs: 30_000,
  /** For a slow client to send everything. */
  requestMs: 60_000,
  /** How long a connection may stay without use. */
  keepAliveMs: 30_000,
  /** All headers of a request. */
  headerBytes: 16 * 1024,
  /** Open connections. */
  connections: 4096,
  /** How long calls that are under way may go on after a shutdown was asked for. */
  graceMs: 10_000,
  /** How long a readiness answer is given again without looking. */
  readyMs: 1000,
} as const;

/** The limits of a server over HTTP, each a positive number. */
export type HttpLimits = { -readonly [K in keyof typeof HTTP_LIMITS]: number };

/** With less than one of these nothing would ever be let through. */
const AT_LEAST_ONE = ["burst", "failureBurst", "concurrent", "sessions", "subscriptions", "connections"];

export function httpLimits(given: Partial<HttpLimits> = {}): HttpLimits {
  for (const [name, value] of Object.entries(given)) {
    const least = AT_LEAST_ONE.includes(name) ? 1 : Number.MIN_VALUE;
    if (name in HTTP_LIMITS && Number.isFinite(value) && value >= least) continue;
    throw new Refusal(
      "invalid_input",
      `The HTTP limit ${name} must be one of ${Object.keys(HTTP_LIMITS).join(", ")} with a positive number, of at least 1 for ${AT_LEAST_ONE.join(", ")}.`,
    );
  }
  return { ...HTTP_LIMITS, ...given };
}
