// A transport with an `Onlooker` in between, which sees each message before it is delivered, may change or keep it, and learns of the end.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

export interface Onlooker {
  /** What is delivered in its place, nothing for undefined. While a promise is open the messages behind it wait for their turn. */
  message(message: JSONRPCMessage): Delivered | Promise<Delivered>;
  closed(): void;
}

type Delivered = JSONRPCMessage | undefined;

export function observed(inner: Transport, onlooker: Onlooker): Transport {
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  let waiting: Promise<void> | undefined;
  const deliver = (message: Delivered): void => {
    if (message !== undefined) outer.onmessage?.(message);
  };
  const pass = (message: JSONRPCMessage): Promise<void> | undefined => {
    const looked = onlooker.message(message);
    if (looked instanceof Promise) return looked.then(deliver);
    deliver(looked);
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
