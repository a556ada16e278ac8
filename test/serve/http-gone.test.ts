// A client that goes away while its token is looked up elsewhere: nothing of its request stays behind.
import { createServer, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { acceptTokens, type Tokens } from "../../src/serve/http/access/tokens.ts";
import { openStream } from "../../src/serve/page/streams/stream.ts";
import { bearer, HEADERS_2025, INITIALIZE, JSON_HEADERS, LIST_2026, send, serveWaiting } from "./http-support.ts";

const TOKEN = "a token of thirty-two characters!!".replaceAll(" ", "-");

async function serveLookingUp() {
  const known = acceptTokens([{ name: "ada", token: TOKEN }]);
  const watched = new Set<object>();
  let looking: { readonly until: Promise<void>; begun(): void } | undefined;
  let over = (): void => {};
  const principals: Tokens = {
    async authenticate(header) {
      looking?.begun();
      await looking?.until;
      return known.authenticate(header);
    },
    watch() {
      const one = {};
      watched.add(one);
      return () => void watched.delete(one);
    },
  };
  const errors: Error[] = [];
  const onError = (error: Error): void => void errors.push(error);
  const { serving } = await serveWaiting({ principals, onRequest: () => over(), onError });
  const server = { ...serving, token: TOKEN };

  /** Until the server has heard of the end of the connection, and has found out whose token it was. */
  async function goAway(method: "GET" | "POST", headers: object): Promise<void> {
    let letGo = (): void => {};
    const begun = new Promise<void>((resolve) => {
      const until = new Promise<void>((found) => {
        letGo = found;
      });
      looking = { until, begun: resolve };
    });
    const isOver = new Promise<void>((resolve) => {
      over = resolve;
    });
    const own = { ...JSON_HEADERS, ...bearer(server), ...headers };
    const outgoing = request({
      host: "127.0.0.1",
      port: serving.port,
      path: "/mcp",
      method,
      agent: false,
      headers: own,
    });
    outgoing.on("error", () => {});
    outgoing.end(method === "POST" ? LIST_2026 : undefined);
    await begun;
    outgoing.destroy();
    await isOver;
    looking = undefined;
    letGo();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  return { server, watched, errors, goAway };
}

it("a stream of the page to who has gone by then is not kept alive", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const asked = new Promise<ServerResponse>((resolve) => server.once("request", (_, response) => resolve(response)));
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
  reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const response = await asked;
  const closed = new Promise((resolve) => response.once("close", resolve));
  reader.destroy();
  await closed;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    openStream(response, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    server.close();
  }
});

describe("a client that goes away while its token is looked up", () => {
  it.each(["GET", "POST"] as const)("is not watched for ever, and no defect: %s", async (method) => {
    const { server, watched, errors, goAway } = await serveLookingUp();
    await goAway(method, {});
    expect((await send(server)).status).toBe(200);
    await vi.waitFor(() => expect(watched.size).toBe(0));
    expect(errors).toEqual([]);
  });

  it("leaves no stream that its session has open", async () => {
    const { server, goAway } = await serveLookingUp();
    const { headers } = await send(server, { headers: HEADERS_2025, body: INITIALIZE });
    const session = {
      accept: "text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": String(headers["mcp-session-id"]),
    };
    await goAway("GET", session);
    const own = { ...bearer(server), ...session };
    const outgoing = request({ host: "127.0.0.1", port: server.port, path: "/mcp", agent: false, headers: own });
    const status = await new Promise((resolve) => {
      outgoing.on("response", (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(200);
    outgoing.destroy();
  });
});
