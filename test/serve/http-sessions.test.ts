// Sessions of 2025 clients on the wire: their ids, owners, streams, ends and number.
import { request } from "node:http";
import type { HttpServing } from "stet/serve";
import { describe, expect, it } from "vitest";
import { bearer, closing, HEADERS_2025, INITIALIZE, JSON_HEADERS, send, serveWaiting } from "./http-support.ts";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const UNKNOWN = { code: -32001, message: "Session not found." };

async function opened(serving: HttpServing, more: object = {}): Promise<string> {
  const { status, headers } = await send(serving, { headers: { ...HEADERS_2025, ...more }, body: INITIALIZE });
  expect(status).toBe(200);
  return headers["mcp-session-id"] as string;
}

function within(id: string, more: object = {}) {
  return { headers: { ...HEADERS_2025, "mcp-session-id": id, ...more } };
}

/** The GET stream of a session, or that of a POST; closing it is up to the test. */
function openStream(serving: HttpServing, id: string, body?: string) {
  const own = { ...bearer(serving), "mcp-session-id": id };
  const headers =
    body === undefined ? { ...own, accept: "text/event-stream" } : { ...JSON_HEADERS, ...HEADERS_2025, ...own };
  const method = body === undefined ? "GET" : "POST";
  const outgoing = request({
    host: "127.0.0.1",
    port: serving.port,
    path: "/mcp",
    method,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    agent: false,
  });
  closing({ close: () => outgoing.destroy() });
  return new Promise<{ status: number; ended: Promise<void>; leave(): void }>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const ended = new Promise<void>((done) => response.on("end", done));
      response.resume();
      resolve({ status: response.statusCode!, ended, leave: () => outgoing.destroy() });
    });
    outgoing.end(body);
  });
}

describe("a 2025 session", () => {
  it("has an id that cannot be guessed, and ends with DELETE", async () => {
    const closed: string[] = [];
    const { serving } = await serveWaiting({ onSessionClosed: (id) => closed.push(id) });
    const [one, other] = [await opened(serving), await opened(serving)];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]{32}$/);
    expect((await send(serving, { ...within(one), body: LIST })).text).toContain('"echo"');
    expect((await send(serving, { method: "DELETE", ...within(one) })).status).toBe(200);
    expect(closed).toEqual([one]);
    const gone = await send(serving, { ...within(one), body: LIST });
    expect([gone.status, JSON.parse(gone.text).error]).toEqual([404, UNKNOWN]);
    expect((await send(serving, { ...within(other), body: LIST })).status).toBe(200);
  });

  it("is needed for all but initialize", async () => {
    const { serving } = await serveWaiting();
    for (const method of ["POST", "GET", "DELETE"])
      expect((await send(serving, { method, headers: HEADERS_2025, body: LIST })).status, method).toBe(400);
  });

  it("is not there for another token", async () => {
    const tokens = ["a", "b"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
    const { serving } = await serveWaiting({ tokens });
    const [a, b] = tokens.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    const id = await opened(serving, a);
    for (const method of ["POST", "GET", "DELETE"]) {
      const { status, text } = await send(serving, { method, ...within(id, b), body: LIST });
      expect([status, JSON.parse(text).error]).toEqual([404, UNKNOWN]);
    }
    expect((await send(serving, { ...within(id, a), body: LIST })).status).toBe(200);
  });

  it("has one stream, which can be opened again as soon as its reader has gone", async () => {
    const { serving } = await serveWaiting();
    const id = await opened(serving);
    const stream = await openStream(serving, id);
    expect(stream.status).toBe(200);
    for (let tries = 0; tries < 3; tries++) expect((await openStream(serving, id)).status).toBe(409);
    stream.leave();
    let again = await openStream(serving, id);
    for (let tries = 0; again.status === 409 && tries < 50; tries++) again = await openStream(serving, id);
    expect(again.status).toBe(200);
    expect((await send(serving, { method: "DELETE", ...within(id) })).status).toBe(200);
    await again.ended;
  });

  it("ends when nobody used it for a while; an open stream is use", async () => {
    const closed: string[] = [];
    let told = () => {};
    const onSessionClosed = (id: string) => {
      closed.push(id);
      told();
    };
    const { serving } = await serveWaiting({ limits: { sessionIdleMs: 100 }, onSessionClosed });
    let streaming = await opened(serving);
    let stream = await openStream(serving, streaming);
    for (let tries = 0; stream.status === 404 && tries < 50; tries++) {
      streaming = await opened(serving);
      stream = await openStream(serving, streaming);
    }
    const idle = await opened(serving);
    while (!closed.includes(idle))
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    expect((await send(serving, { ...within(idle), body: LIST })).status).toBe(404);
    expect((await send(serving, { ...within(streaming), body: LIST })).status).toBe(200);
    stream.leave();
  });

  it("does not come to be when initialize fails", async () => {
    const closed: string[] = [];
    const { serving } = await serveWaiting({ limits: { sessions: 2 }, onSessionClosed: (id) => closed.push(id) });
    for (let tries = 0; tries < 5; tries++) {
      const headers = { ...HEADERS_2025, accept: "text/html" };
      expect((await send(serving, { headers, body: INITIALIZE })).status).toBe(406);
    }
    expect(closed).toHaveLength(5);
    await opened(serving);
  });

  it("is one of a bounded number for each token; the one that is idle longest makes room, as often as there are places", async () => {
    const tokens = ["a", "b"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
    const [a, b] = tokens.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    const strict = (await serveWaiting({ tokens, limits: { sessions: 3 } })).serving;
    const first = await opened(strict, a);
    await Promise.all([opened(strict, a), opened(strict, a)]);
    const others = await Promise.all(Array.from({ length: 3 }, () => opened(strict, b)));
    const fourth = await opened(strict, a);
    expect((await send(strict, { ...within(first, a), body: LIST })).status).toBe(404);
    for (const [id, token] of [[fourth, a], ...others.map((id) => [id, b] as const)] as const)
      expect((await send(strict, { ...within(id!, token), body: LIST })).status).toBe(200);
    await Promise.all([opened(strict, a), opened(strict, a)]);
    const { status, headers, text } = await send(strict, { headers: { ...HEADERS_2025, ...a }, body: INITIALIZE });
    expect([status, Number(headers["retry-after"]) <= 20]).toEqual([429, true]);
    expect(text).toContain("This token has 3 sessions, and that is the limit. Use those that are open.");
  });

  it("makes no room while a stream or a call of it is open, also one that its client no longer waits for", async () => {
    const { serving, began, release } = await serveWaiting({ limits: { sessions: 3 } });
    const [streaming, calling, left] = [await opened(serving), await opened(serving), await opened(serving)];
    const stream = await openStream(serving, streaming);
    const wait = JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "wait", arguments: {} },
    });
    const call = send(serving, { ...within(calling), body: wait });
    const abandoned = openStream(serving, left, wait);
    await began(2);
    (await abandoned).leave();
    const refused = await send(serving, { headers: HEADERS_2025, body: INITIALIZE });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect(refused.text).toContain("This token has 3 sessions, each with a call or a stream open. End one.");
    release();
    expect((await call).text).toContain("waited");
    await opened(serving);
    for (const id of [streaming]) expect((await send(serving, { ...within(id), body: LIST })).status).toBe(200);
    stream.leave();
  });
});
