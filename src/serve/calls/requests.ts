// Names that a client gives itself and its calls, bounded, since a client may write anything there.
import { createHash } from "node:crypto";
import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";

const MAX = 200;

/** What the client calls itself. In protocol 2026-07-28 every request says so, before that the connection did. */
export function agentOf({ mcpReq }: ServerContext, server: Server): string | undefined {
  const info = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  return nameIn(info ?? server.getClientVersion());
}

export function nameIn(clientInfo: unknown): string | undefined {
  const name = (clientInfo as { readonly name?: unknown } | undefined)?.name;
  if (typeof name !== "string" || name.length <= MAX) return typeof name === "string" ? name : undefined;
  // Whose reads count may go by it, so two that only begin alike are two.
  const sha256 = createHash("sha256").update(name).digest("hex");
  return `${name.slice(0, MAX - sha256.length - 1)}…${sha256}`;
}

/** How the journal names the call. */
export function callName(id: string | number): string {
  return String(id).slice(0, MAX);
}
