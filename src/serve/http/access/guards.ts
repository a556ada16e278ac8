// Guards of every request: its Host and Origin, its caller, its form.
import type { IncomingMessage } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { Refusal } from "../../../core/failure.ts";
import { lengthOf, tooLarge } from "../body.ts";
import { busy, type Denial, methodDenied, tooMany } from "../denial.ts";
import { createRateLimit } from "../limits.ts";
import type { HttpLimits } from "../options.ts";
import { isLoopback, ownHosts } from "./address.ts";
import { metadataUrl, type Principal, type Tokens } from "./tokens.ts";

const METHODS = ["POST", "GET", "DELETE"];

export interface Guards {
  /** Refuses what is not for this server: names it does not have, pages of other origins. */
  place(request: IncomingMessage): Denial | undefined;
  /** Finds out who calls; refuses who is not known. */
  caller(request: IncomingMessage): Promise<Principal | Denial>;
  /** Calls `ended` when the token of a request that is still being answered opens nothing any more. */
  until(request: IncomingMessage, finished: Promise<void>, ended: () => void): void;
  /** Refuses methods and bodies of other kinds, and calls beyond the rate of this caller. */
  form(request: IncomingMessage, principal: Principal): Denial | undefined;
  /** Counts one call of this caller, beyond which it has to wait. */
  pay(principal: Principal): Denial | undefined;
  /** A batch counts as many calls as it has messages, of whatever kind; one that can never be paid for is refused as such. */
  more(principal: Principal, messages: number): Denial | undefined;
}

export interface GuardOptions {
  readonly host: string;
  readonly port: number;
  /** In the spelling of a request, as are the origins. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly tokens: Tokens;
  readonly limits: HttpLimits;
}

export function createGuards({ host, port, tokens, limits, ...allowed }: GuardOptions): Guards {
  const own = ownHosts(host, port);
  const hosts = new Set([...own, ...allowed.allowedHosts]);
  const origins = new Set([...own.map((one) => `http://${one}`), ...allowed.allowedOrigins]);
  const failures = createRateLimit({ perSecond: limits.failuresPerSecond, burst: limits.failureBurst });
  const calls = createRateLimit({ perSecond: limits.callsPerSecond, burst: limits.burst });

  function pay(principal: Principal, cost: number): Denial | undefined {
    const seconds = calls.take(principal.name, cost);
    return seconds === undefined
      ? undefined
      : tooMany("Too many calls with this token. Wait before the next.", seconds);
  }

  return {
    place(request) {
      const named = request.headersDistinct.host ?? [];
      if (named.length !== 1 || !hosts.has(named[0]!.toLowerCase()))
        return { status: 403, message: "Host is not allowed. Add it to allowedHosts." };
      const { origin } = request.headers;
      if (origin !== undefined && !origins.has(origin.toLowerCase()))
        return { status: 403, message: "Origin is not allowed. Add it to allowedOrigins." };
      return undefined;
    },

    async caller(request) {
      const remote = request.socket.remoteAddress ?? "";
      const { authorization } = request.headers;
      // on one machine a client with an old token must not lock out its neighbours; from afar an address that guesses is not heard
      if (failures.isEmpty(remote) && !isLoopback(remote)) return tooMany(FAILED_OFTEN, 1);
      const principal = await Promise.resolve(tokens.authenticate(authorization, remote)).catch(unknowable);
      if (principal !== undefined) return principal;
      const seconds = failures.take(remote);
      if (seconds !== undefined) return tooMany(FAILED_OFTEN, seconds);
      const why = await tokens.whyNot?.(authorization).catch(() => undefined);
      return unauthorized(request, tokens, why);
    },

    until(request, finished, ended) {
      const stop = tokens.watch?.(request.headers.authorization, ended);
      if (stop !== undefined) void finished.then(stop);
    },

    pay: (principal) => pay(principal, 1),

    form(request, principal) {
      return methodDenied(request, METHODS) ?? pay(principal, 1) ?? bodyDenied(request, limits);
    },

    more(principal, count) {
      if (count <= 1) return undefined;
      return count > limits.burst ? tooLong(limits.burst) : pay(principal, count - 1);
    },
  };
}

/** However long its client waits, so many are never let through at once. */
function tooLong(burst: number): Denial {
  const message = `Invalid Request: a batch may not have more than ${Math.floor(burst)} messages here. Send fewer at once.`;
  return { status: 400, code: -32600, message };
}

/** A failed lookup is no reason to say that the caller may not call. */
function unknowable(error: unknown): Denial {
  if (!(error instanceof Refusal)) throw error;
  return busy("The token cannot be looked up now. Try again.");
}

const FAILED_OFTEN = "Too many requests without a valid token from this address.";

function unauthorized({ headers }: IncomingMessage, { resource }: Tokens, why: string | undefined): Denial {
  const challenge = [
    'Bearer realm="stet"',
    ...(resource === undefined ? [] : [`resource_metadata="${metadataUrl(resource)}"`]),
    ...(resource === undefined || headers.authorization === undefined ? [] : ['error="invalid_token"']),
  ];
  return {
    status: 401,
    message:
      why === undefined
        ? "Send the token of this server: Authorization: Bearer …"
        : `This token opens nothing here: ${why}. Get another one from the identity provider.`,
    headers: { "www-authenticate": challenge.join(", ") },
    reason: why,
  };
}

/** A body that is up to so many times too large is let pass by, since its client reads no answer before it has sent all. */
const PASSED = 4;

function bodyDenied(request: IncomingMessage, { bodyBytes }: HttpLimits): Denial | undefined {
  const { method, headers } = request;
  if (method !== "POST") return undefined;
  if (!isJsonContentType(headers["content-type"] ?? null) || (headers["content-encoding"] ?? "identity") !== "identity")
    return { status: 415, message: "The body must be application/json, not compressed." };
  const most = headers.expect === undefined ? PASSED * bodyBytes : bodyBytes;
  if (lengthOf(request) > most) return tooLarge(bodyBytes);
  return undefined;
}
