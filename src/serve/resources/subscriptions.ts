// resources/subscribe and unsubscribe, as the protocol versions of 2025 have them: per connection, ended with it.
import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { Refusal } from "../../core/failure.ts";
import { boundedText } from "../calls/bounded.ts";
import type { Guard } from "../calls/defects.ts";
import { aboutResource, type SessionIn } from "./resources.ts";
import type { Watches } from "./watches.ts";

/** So that one connection cannot use up what all may watch. */
const MOST = 200;

export interface SubscriptionOptions {
  readonly watches: Watches;
  /** Whose subscriptions are counted together. */
  readonly owner: string;
  readonly sessionFor: (context: ServerContext) => SessionIn;
  readonly guard: Guard;
}

export function addSubscriptions(server: Server, { watches, owner, sessionFor, guard }: SubscriptionOptions): void {
  const held = new Map<string, Promise<() => void>>();
  let stopListening: (() => void) | undefined;

  server.setRequestHandler("resources/subscribe", ({ params: { uri } }, context) =>
    guard("resources/subscribe", context.mcpReq.signal, async () => {
      if (held.has(uri)) return {};
      if (held.size >= MOST) throw tooMany(uri);
      stopListening ??= watches.onUpdated((updated) => {
        if (held.has(updated)) server.sendResourceUpdated({ uri: updated }).catch(() => {});
      });
      const watching = watches.watch(uri, sessionFor(context), owner);
      held.set(uri, watching);
      try {
        await watching;
        return {};
      } catch (error) {
        held.delete(uri);
        if (error instanceof Refusal) throw aboutResource(error, uri);
        throw error;
      }
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    release(uri);
    return {};
  });
  const closed = server.onclose;
  server.onclose = () => {
    closed?.();
    stopListening?.();
    for (const uri of [...held.keys()]) release(uri);
  };

  function release(uri: string): void {
    const watching = held.get(uri);
    held.delete(uri);
    void watching?.then(
      (end) => end(),
      () => {},
    );
  }
}

function tooMany(uri: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `This connection is subscribed to ${MOST} resources already, and that is the limit. Unsubscribe from some first.`,
    { uri: boundedText(uri) },
  );
}
