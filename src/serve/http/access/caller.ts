// What a server is told about the one it serves, and one request on its way through.
import type { McpServer, Server } from "@modelcontextprotocol/server";
import type { Principal } from "./tokens.ts";

export interface HttpCaller {
  /** legacy: a 2025 client, one server for its whole session. modern: a 2026 client, one server for one request. */
  readonly era: "legacy" | "modern";
  readonly principal: Principal;
  /** Mcp-Session-Id: of every 2025 session, never of a 2026 request. */
  readonly sessionId?: string;
}

export type HttpServerFactory = (caller: HttpCaller) => McpServer | Server | Promise<McpServer | Server>;

/** One request that has passed the guards. */
export interface Exchange {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  /** In the body: one, or each of a batch. */
  readonly calls: readonly Called[];
  readonly principal: Principal;
  /** Settles when the answer is out, or the connection is closed. */
  readonly finished: Promise<void>;
}

export interface Called {
  readonly id: string | number;
  readonly method: string;
}

export function callsIn(body: unknown): Called[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    if (typeof message !== "object" || message === null) return [];
    const { id, method } = message as Record<string, unknown>;
    return (typeof id === "string" || typeof id === "number") && typeof method === "string" ? [{ id, method }] : [];
  });
}
