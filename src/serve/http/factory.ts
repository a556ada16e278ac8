// The servers of stet for callers over HTTP: which session scope a request gets.
import type { Server } from "@modelcontextprotocol/server";
import type { ServeOptions } from "../served/served.ts";
import type { SessionScope } from "../served/sessions.ts";
import { createServerFactory, type FactoryOptions } from "../server.ts";
import type { HttpCaller } from "./access/caller.ts";

export interface HttpFactory {
  /** legacy: once for each Mcp-Session-Id. modern: for each request. */
  readonly factory: (caller: HttpCaller) => Server;
  /** After calls under way have ended. The workspaces are closed too. */
  readonly close: () => Promise<void>;
}

export function httpFactory(options: ServeOptions, extra: FactoryOptions = {}): HttpFactory {
  const made = createServerFactory(options, extra);
  const { sessions } = made;
  const scopeFor = ({ era, principal }: HttpCaller): SessionScope => {
    if (era === "legacy") return sessions.forConnection(proven(principal));
    if (principal.granted !== undefined) return sessions.forToken(principal.granted.agent, true);
    return principal.named ? sessions.forToken(principal.name) : sessions.forClients(principal.name);
  };
  return {
    factory(caller) {
      const scope = scopeFor(caller);
      const server = made.build(scope, caller.principal.name);
      const closed = server.onclose;
      if (caller.era === "legacy")
        server.onclose = () => {
          closed?.();
          scope.end?.();
        };
      return server;
    },
    async close() {
      await made.close();
      await Promise.all(options.served.map(({ workspace }) => workspace.close()));
    },
  };
}

/** Who calls, where the token tells. */
function proven({ name, named, granted }: HttpCaller["principal"]): string | undefined {
  if (granted !== undefined) return granted.agent;
  return named ? name : undefined;
}
