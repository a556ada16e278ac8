// Every number of the HTTP server in one place, each with its reason.
import { Refusal } from "../../core/failure.ts";
import { MOST_MESSAGE_BYTES } from "../message-bytes.ts";

export const HTTP_LIMITS = {
  /** Largest request body; with the quoting of JSON it bounds what one call can write. */
  bodyBytes: MOST_MESSAGE_BYTES,
  /** All bodies being received or worked on at once: many clients together must not fill the memory either. */
  bodiesBytes: 256 * 1024 * 1024,
  /** What calls of one token hold in memory, the files they name and answers that wait to be read: a few large files. */
  answersBytes: 64 * 1024 * 1024,
  /** One call, from its last byte to its answer. Tools give up after 15 s themselves; this is the net below. */
  callMs: 60_000,
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
