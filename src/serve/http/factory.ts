// The servers of stet for callers over HTTP: which keying a request gets, and how file changes reach the streams of 2026 clients.
import type { Server } from "@modelcontextprotocol/server";
import { listenRequestIn, watchAll } from "../resources/listened.ts";
import type { ServeOptions } from "../served/served.ts";
import type { Keying } from "../served/sessions.ts";
import { createServerFactory, type FactoryOptions } from "../server.ts";
import type { HttpCaller } from "./access/caller.ts";
import type { Listened } from "./options.ts";

export interface HttpFactory {
  /** legacy: once for each Mcp-Session-Id. modern: for each request. */
  readonly factory: (caller: HttpCaller) => Server;
  /** Tells of changed files; gives back how to stop. */
  readonly updates: (notify: (uri: string) => void) => () => void;
  /** Before a message of a 2026 client is served: watches what a subscription names, and gives the message to serve in its place. Throws a ProtocolError when that is too much. */
  readonly listened: (message: unknown, caller: HttpCaller) => Promise<Listened>;
  /** After calls under way have ended. The workspaces are closed too. */
  readonly close: () => Promise<void>;
}

export function httpFactory(options: ServeOptions, extra: FactoryOptions = {}): HttpFactory {
  const made = createServerFactory(options, extra);
  const { sessions, watches } = made;
  const keyingFor = ({ era, principal }: HttpCaller): Keying => {
    if (era === "legacy") return sessions.forSessionId(proven(principal));
    if (principal.granted !== undefined) return sessions.forPrincipal(principal.granted.agent, true);
    if (principal.minted) return sessions.forClients(principal.name);
    return principal.named ? sessions.forPrincipal(principal.name) : sessions.byHandle(principal.name);
  };
  return {
    factory(caller) {
      const keying = keyingFor(caller);
      const server = made.build(keying, caller.principal.name);
      const closed = server.onclose;
      if (keying.end !== undefined)
        server.onclose = () => {
          closed?.();
          keying.end?.();
        };
      return server;
    },
    updates: watches.onUpdated,
    async listened(message, caller) {
      const request = listenRequestIn(message);
      if (request === undefined) return { message, end: () => {} };
      const sessionIn = made.sessionIn(keyingFor(caller), request.agent);
      const { uris, end } = await watchAll(watches, request, sessionIn, caller.principal.name);
      return { message: request.only(uris), end };
    },
    async close() {
      await made.close();
      await Promise.all(options.served.map(({ workspace }) => workspace.close()));
    },
  };
}

/** Who calls, where the token tells. */
function proven({ name, named, minted, granted }: HttpCaller["principal"]): string | undefined {
  if (granted !== undefined) return granted.agent;
  return named && !minted ? name : undefined;
}
