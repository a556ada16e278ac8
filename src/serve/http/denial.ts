// Refusals over HTTP: a status, a JSON-RPC error, and headers that keep answers out of caches.
import type { IncomingMessage, ServerResponse } from "node:http";

export interface Denial {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC code; -32000 unless the protocol has a better one. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log. */
  readonly reason?: string | undefined;
}

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function deny(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, code, headers }: Denial,
): void {
  if (response.headersSent || response.destroyed) return;
  // A body that will not be read must not come in: the connection goes with the answer.
  const unread = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { "content-type": "application/json", ...headers, ...unread });
  response.end(JSON.stringify(errorMessage(message, code)));
}

export function denialResponse({ status, message, code, headers }: Denial, id: unknown = null): Response {
  return Response.json(errorMessage(message, code, id), { status, headers: { ...headers } });
}

export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

export function methodDenied({ method = "" }: IncomingMessage, methods: readonly string[]): Denial | undefined {
  if (methods.includes(method)) return undefined;
  return { status: 405, message: "This method is not for this address.", headers: { allow: methods.join(", ") } };
}

export function tooMany(message: string, seconds: number): Denial {
  return { status: 429, message, headers: { "retry-after": String(seconds) } };
}

export function busy(message: string): Denial {
  return { status: 503, message, headers: { "retry-after": "1" } };
}

function errorMessage(message: string, code = -32000, id: unknown = null) {
  return { jsonrpc: "2.0", error: { code, message }, id };
}
