// MCP over stdin and stdout: one connection, one session; stdout carries JSON-RPC and nothing else.
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { JSONRPCMessage, ProgressNotification, Server, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { logToStderr } from "../calls/defects.ts";
import { nameIn } from "../calls/tool-calls.ts";
import { MAX_MESSAGE_BYTES } from "../message-bytes.ts";
import { checkStdioOptions } from "../options.ts";
import { createServerFactory, type FactoryOptions, type ServerFactory } from "../server.ts";
import { createClientRoots, type RootsOpener } from "../workspaces/client-roots.ts";
import type { ServeOptions } from "../workspaces/named.ts";
import { createDirectCalls } from "./direct-calls.ts";
import { LineTransport } from "./line-transport.ts";

/** How a server on stdio is set up. */
export interface StdioOptions extends FactoryOptions {
  /** stdin and stdout of this process when not given. */
  readonly transport?: Transport;
  /** The longest message that is taken, with a transport of our own: it also bounds what a call can write at once. */
  readonly maxMessageBytes?: number;
  /** For a client that shall say what is served; `served` is then empty. */
  readonly roots?: RootsOpener;
}

/** A server on stdio. */
export interface StdioServing {
  /** Reads no more, answers the calls under way (after 1.5 s by cancelling them), ends the connection, and closes the workspaces. */
  close(): Promise<void>;
  /** Settles when all that has happened, also because the client closed stdin or a signal came. */
  readonly closed: Promise<void>;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes over the workspaces: they are closed with the connection. */
export function serveOnStdio(options: ServeOptions, extra: StdioOptions = {}): StdioServing {
  checkStdioOptions(extra);
  const { transport: given, maxMessageBytes, roots: opener, ...common } = extra;
  const { log = logToStderr } = common;
  const factory = createServerFactory(options, {
    ...common,
    askFirst: opener && ((context) => roots?.ask(context)),
  });
  const wire = given ?? ownStdio(factory, maxMessageBytes);
  const scope = factory.sessions.forConnection();
  let server: Server | undefined;
  const roots = opener && createClientRoots({ opener, serve: factory.serve, server: () => server });

  let isOfFirstEra = false;
  const isInitialized = () => isOfFirstEra && server?.getClientVersion() !== undefined;
  const direct = createDirectCalls({
    call: (made) => factory.call({ ...made, scope, owner: "", agent: nameIn(server?.getClientVersion()), notify }),
    send: (message) => wire.send(message),
  });
  const notify = (notification: ProgressNotification) => wire.send({ jsonrpc: "2.0", ...notification });

  let wireClosed = (): void => {};
  const disconnected = new Promise<void>((resolve) => {
    wireClosed = resolve;
  });
  let stopping: Promise<void> | undefined;
  const transport = observed(wire, {
    message: (message) => {
      if (stopping !== undefined) return undefined;
      const opening = roots?.before(message);
      if (opening !== undefined) return opening.then(() => message);
      return isInitialized() && direct.take(message) ? undefined : message;
    },
    closed() {
      direct.cancelAll();
      wireClosed();
    },
  });
  const handle = serveStdio(
    ({ era }) => {
      server = factory.build(scope);
      isOfFirstEra = era === "legacy";
      return server;
    },
    { transport, onerror: (error) => log(`stet: ${inOneLine(error.message)}`) },
  );

  const stop = (): Promise<void> => {
    stopping ??= lastAnswers(factory).then(() => handle.close());
    return stopping;
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  const closed = disconnected.then(async () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    // A client that is still writing would otherwise keep the process alive.
    if (given === undefined) process.stdin.destroy();
    await factory.close();
    await Promise.all(options.served.map(({ workspace }) => workspace.close()));
    await opener?.close();
  });
  return {
    closed,
    async close() {
      await stop();
      await closed;
    },
  };
}

function ownStdio(factory: ServerFactory, maxBytes = MAX_MESSAGE_BYTES): Transport {
  return new LineTransport({
    input: process.stdin,
    output: process.stdout,
    maxBytes,
    lastAnswers: () => lastAnswers(factory),
  });
}

function inOneLine(message: string): string {
  return message.replace(/\s+/g, " ").slice(0, 300);
}

/** Less than the two seconds after which clients lose patience and send a signal, or a stronger one. */
const MAX_MS = 1500;

/** What was being committed when time was up is finished first, so that no change is made without an answer. */
async function lastAnswers(calls: ServerFactory): Promise<void> {
  const patience = new AbortController();
  const late = pause(MAX_MS, "late", { signal: patience.signal }).catch(() => undefined);
  const outcome = await Promise.race([answered(calls), late]);
  patience.abort();
  if (outcome !== "late") return;
  calls.cancelAll();
  await answered(calls);
}

/** A message takes a turn or two until it is under way, and so does its answer. */
async function answered({ settled }: ServerFactory): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    await settled();
  }
  await nextTurn();
}

interface Onlooker {
  /** What is delivered in its place, nothing for undefined. While a promise is open the messages behind it wait for their turn. */
  message(message: JSONRPCMessage): Delivered | Promise<Delivered>;
  closed(): void;
}

type Delivered = JSONRPCMessage | undefined;

function observed(inner: Transport, onlooker: Onlooker): Transport {
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
