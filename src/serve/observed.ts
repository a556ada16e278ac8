// A transport with somebody looking on: at each message before it is delivered, and at its end.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

export interface Onlooker {
  /** A message is delivered when the promise has settled, and those behind it wait for their turn. */
  message(message: JSONRPCMessage): Promise<void> | undefined;
  closed(): void;
}

export function observed(inner: Transport, onlooker: Onlooker): Transport {
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  };
  let waiting: Promise<void> | undefined;
  const pass = (message: JSONRPCMessage): Promise<void> | undefined => {
    const looking = onlooker.message(message);
    if (looking !== undefined) return looking.then(() => outer.onmessage?.(message));
    outer.onmessage?.(message);
    return undefined;
  };
  inner.onmessage = (message) => {
    const passing = waiting === undefined ? pass(message) : waiting.then(() => pass(message));
    const mine = passing?.finally(() => {
      if (waiting === mine) waiting = undefined;
    });
    waiting = mine;
  };
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    outer.onclose?.();
    onlooker.closed();
  };
  return outer;
}
