// The servers of stet for callers over HTTP: which keying a request gets.
import type { Server } from "@modelcontextprotocol/server";
import type { ServeOptions } from "../served/served.ts";
import type { Keying } from "../served/sessions.ts";
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
