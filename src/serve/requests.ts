// What a request says about itself that the journal keeps: bounded, since a client may write anything there.
import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";

const MOST = 200;

/** What the client calls itself. In protocol 2026-07-28 every request says so, before that the connection did. */
export function agentOf({ mcpReq }: ServerContext, server: Server): string | undefined {
  const info = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  return nameIn(info ?? server.getClientVersion());
}

export function nameIn(clientInfo: unknown): string | undefined {
  const name = (clientInfo as { readonly name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name.slice(0, MOST) : undefined;
}

/** How the journal names the call. */
export function callName(id: string | number): string {
  return String(id).slice(0, MOST);
}
