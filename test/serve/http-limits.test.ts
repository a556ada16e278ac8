// Bounds: slow clients, calls per second, calls at once, and calls that take too long.
import { describe, expect, it } from "vitest";
import {
  bearer,
  HEADERS_2025,
  INITIALIZE,
  JSON_HEADERS,
  modern,
  openSocket,
  send,
  serveWaiting,
} from "./http-support.ts";

describe("slow clients", () => {
  it("that never finish their headers are cut off", async () => {
    const { serving } = await serveWaiting({ limits: { headersMs: 300, requestMs: 500 } });
    const { socket, received } = openSocket(serving);
    socket.write("POST /mcp HTTP/1.1\r\nHost: 127");
    expect(await received).toMatch(/^HTTP\/1.1 408 /);
  });

  it("that never finish their body are cut off, and lose their place", async () => {
    const { serving } = await serveWaiting({ limits: { headersMs: 300, requestMs: 500, concurrent: 1 } });
    const { socket, received } = openSocket(serving);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${serving.port}\r\nAuthorization: Bearer ${serving.token}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    const drip = setInterval(() => socket.write(" "), 20);
    expect(await received).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(drip);
    expect((await send(serving)).status).toBe(200);
  });

  it("with large headers are cut off", async () => {
    const { serving } = await serveWaiting();
    expect((await send(serving, { headers: { "x-large": "x".repeat(20_000) } })).status).toBe(431);
  });
});

describe("the rate of one token", () => {
  it("is bounded, says when to come back, and is no other token's", async () => {
    const tokens = ["a", "b"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
    const { serving } = await serveWaiting({ tokens, limits: { burst: 3, callsPerSecond: 0.01 } });
    const as = (index: number) => send(serving, { headers: { authorization: `Bearer ${tokens[index]!.token}` } });
    const answers = [await as(0), await as(0), await as(0), await as(0)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]!.headers["retry-after"])).toBeGreaterThan(50);
    expect((await as(1)).status).toBe(200);
  });

  it("counts each message of a batch, and refuses one that no wait would let through", async () => {
    const { serving } = await serveWaiting({ limits: { burst: 10, callsPerSecond: 0.01 } });
    const post = async (messages: number) => {
      const message = { jsonrpc: "2.0", method: "notifications/initialized" };
      const body = JSON.stringify(Array(messages).fill(message));
      return send(serving, { headers: HEADERS_2025, body });
    };
    const tooLong = await post(11);
    expect([tooLong.status, tooLong.headers["retry-after"]]).toEqual([400, undefined]);
    expect(tooLong.text).toContain("a batch may not have more than 10 messages here. Send fewer at once.");
    expect((await post(9)).text).toContain("Mcp-Session-Id header is required");
    expect((await post(2)).status).toBe(429);
  });

  it("comes back with time", async () => {
    const { serving } = await serveWaiting({ limits: { burst: 1, callsPerSecond: 4 } });
    const status = async () => (await send(serving)).status;
    await expect.poll(status).toBe(429);
    await expect.poll(status).toBe(200);
  });
});

describe("calls at once", () => {
  it("are bounded for each token", async () => {
    const { serving, began, release } = await serveWaiting({ limits: { concurrent: 1 } });
    const first = send(serving, modern("tools/call", { name: "wait", arguments: {} }));
    await began();
    const second = await send(serving);
    expect([second.status, second.headers["retry-after"]]).toEqual([503, "1"]);
    release();
    expect((await first).text).toContain("waited");
    expect((await send(serving)).status).toBe(200);
  });
});

describe("a call that nobody waits for", () => {
  it("is cancelled when its 2026 client has gone", async () => {
    const { serving, began, aborted } = await serveWaiting();
    const { socket } = openSocket(serving);
    const { headers, body } = modern("tools/call", { name: "wait", arguments: {} });
    const all = { ...JSON_HEADERS, ...headers, ...bearer(serving), host: `127.0.0.1:${serving.port}` };
    const lines = Object.entries({ ...all, "content-length": Buffer.byteLength(body) }).map((pair) => pair.join(": "));
    socket.write(["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n"));
    await began();
    socket.destroy();
    for (let tries = 0; aborted.length === 0 && tries < 500; tries++) await send(serving);
    expect(aborted).toEqual(["wait"]);
  });

  it("is cancelled when its 2025 client says so, and leaves others running", async () => {
    const { serving, began, release, aborted } = await serveWaiting();
    const opened = await send(serving, { headers: HEADERS_2025, body: INITIALIZE });
    const headers = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] };
    const wait = (id: number) => {
      const params = { name: "wait", arguments: {} };
      return send(serving, { headers, body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }) });
    };
    const cancelled = wait(7);
    const other = wait(8);
    await began(2);
    const method = "notifications/cancelled";
    const cancel = JSON.stringify({ jsonrpc: "2.0", method, params: { requestId: 7 } });
    expect((await send(serving, { headers, body: cancel })).status).toBe(202);
    expect((await cancelled).text).toContain("Cancelled.");
    expect(aborted).toEqual(["wait"]);
    release();
    expect((await other).text).toContain("waited");
  });
});
