// A stream of events to one page: kept alive, ended with its reader, and given up when the reader is too slow.
import type { ServerResponse } from "node:http";
import type { Shares } from "../../serve/http/limits.ts";
import type { Visit } from "./visit.ts";

export interface Stream {
  send(event: string, data: unknown, id?: string): void;
  end(): void;
  readonly signal: AbortSignal;
}

/** A page takes the server for hung after two and a half of these without a byte. */
const ALIVE_MS = 10_000;
/** A page that lost its stream waits so long before it asks again. */
const AGAIN_MS = 1000;
/** A page that leaves more unread is cut off. It comes back to where it was. */
const MAX_UNREAD = 4 * 1024 * 1024;

export const CROWDED = "Too many pages of yours are open here. Close some of them.";

/** Whether the visitor may have one more. The share is given back when the stream ends. */
export function taken(shares: Shares, { who, response }: Visit): boolean {
  if (!shares.take(who)) return false;
  if (response.closed) shares.giveBack(who);
  else response.once("close", () => shares.giveBack(who));
  return true;
}

export function openStream(response: ServerResponse, signal: AbortSignal, againMs = AGAIN_MS): Stream {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(`retry: ${againMs}\n\n`);
  const alive = setInterval(() => response.write(": \n\n"), ALIVE_MS);
  alive.unref();
  if (response.closed) clearInterval(alive);
  else response.once("close", () => clearInterval(alive));
  return {
    signal,
    send(event, data, id) {
      if (signal.aborted) return;
      const named = id === undefined ? "" : `id: ${id}\n`;
      response.write(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > MAX_UNREAD) response.destroy();
    },
    end: () => void response.end(),
  };
}
