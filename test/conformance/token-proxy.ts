// Adds the bearer token for a suite that cannot send one; everything else, Host and Origin included, goes through as it came.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenProxy {
  readonly port: number;
  /** Where requests go, and the token they get. */
  towards(port: number, token: string): void;
  close(): Promise<void>;
}

export async function startTokenProxy(): Promise<TokenProxy> {
  let target: { port: number; token: string } | undefined;
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, target!));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    towards(port, token) {
      target = { port, token };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: { port: number; token: string }): void {
  const { method, url, headers } = incoming;
  const onward = request({
    host: "127.0.0.1",
    port: target.port,
    method,
    path: url,
    headers: { ...headers, authorization: `Bearer ${target.token}` },
  });
  onward.on("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    outgoing.flushHeaders();
    response.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
