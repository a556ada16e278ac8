// Opens the socket with limits against slow clients; says in words why it cannot be had.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { isLoopback } from "./access/address.ts";
import type { HttpLimits } from "./options.ts";

/** A reader that takes nothing for this long is gone; streams are written to every 15 s. */
const SILENT_MS = 120_000;
/** A fleet that starts up connects all at once; the usual queue of 511 would drop some of them. */
const BACKLOG = 4096;

export function createHttpServer(limits: HttpLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.min(limits.headersMs, limits.requestMs, 10_000) / 4),
    maxHeaderSize: limits.headerBytes,
  });
  server.maxConnections = limits.connections;
  server.timeout = SILENT_MS;
  return server;
}

/** Returns the port that was taken. */
export async function listen(server: Server, host: string, port: number, loopbackOnly: boolean): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw refusalFor(error, host, port);
  });
  const bound = server.address() as AddressInfo;
  if (!loopbackOnly || isLoopback(bound.address)) return bound.port;
  server.close();
  throw needsToken(host);
}

export function needsToken(host: string): Refusal {
  return new Refusal("permission_denied", `${host} can be reached from other machines, and no token was given.`, {
    next: "Give a token of your own, or listen on 127.0.0.1.",
  });
}

const KINDS: Readonly<Record<string, readonly [FailureKind, string]>> = {
  EADDRINUSE: ["busy", "it is in use"],
  EACCES: ["permission_denied", "this user may not use it"],
  EADDRNOTAVAIL: ["invalid_input", "this machine does not have that address"],
  ENOTFOUND: ["invalid_input", "that name has no address"],
  ERR_SOCKET_BAD_PORT: ["invalid_input", "ports are numbers from 0 to 65535"],
};

function refusalFor(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const known = KINDS[error.code ?? ""];
  if (known === undefined) return error;
  return new Refusal(known[0], `Cannot listen on ${host}, port ${port}: ${known[1]}.`, {
    next: "Choose another port or address.",
    cause: error,
  });
}
