// How this server says no over HTTP: a status, a JSON-RPC error, and headers that let nothing be kept or guessed.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type MessageId, tooLongWords } from "../../message-bytes.ts";

export interface Denial {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC code; -32000 unless the protocol has a better one. */
  readonly code?: number;
  /** Of the message that is refused, where it is known. */
  readonly id?: MessageId;
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
  { status, message, code, id, headers }: Denial,
): void {
  if (response.headersSent || response.destroyed) return;
  // a body that will not be read must not come in: the connection goes with the answer
  const unread = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { "content-type": "application/json", ...headers, ...unread });
  response.end(JSON.stringify(errorMessage(message, code, id)));
}

export function denialResponse({ status, message, code, headers }: Denial, id: unknown = null): Response {
  return Response.json(errorMessage(message, code, id), { status, headers: { ...headers } });
}

export function tooMany(message: string, seconds: number): Denial {
  return { status: 429, message, headers: { "retry-after": String(seconds) } };
}

export function tooLarge(bytes: number, id: MessageId = null): Denial {
  return { status: 413, code: -32600, message: tooLongWords(bytes), id };
}

function errorMessage(message: string, code = -32000, id: unknown = null) {
  return { jsonrpc: "2.0", error: { code, message }, id };
}
