// Sessions of 2025 clients on the wire: their ids, owners, streams, ends and number.
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { HttpServing } from "../../src/serve/http/options.ts";
import { bearer, closing, HEADERS_2025, INITIALIZE, send, serveWaiting } from "./http-support.ts";

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

/** The GET stream of a session; closing it is up to the test. */
function openStream(serving: HttpServing, id: string) {
  const headers = { ...bearer(serving), accept: "text/event-stream", "mcp-session-id": id };
  const outgoing = request({ host: "127.0.0.1", port: serving.port, path: "/mcp", headers, agent: false });
  closing({ close: () => outgoing.destroy() });
  return new Promise<{ status: number; ended: Promise<void>; leave(): void }>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const ended = new Promise<void>((done) => response.on("end", done));
      response.resume();
      resolve({ status: response.statusCode!, ended, leave: () => outgoing.destroy() });
    });
    outgoing.end();
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

  it("is one of a bounded number for each token; long idle ones make room", async () => {
    const tokens = ["a", "b"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
    const [a, b] = tokens.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    const strict = (await serveWaiting({ tokens, limits: { sessions: 3 } })).serving;
    const first = await opened(strict, a);
    await Promise.all([opened(strict, a), opened(strict, a)]);
    const many = Array.from({ length: 3 }, () => opened(strict, b));
    expect(new Set(await Promise.all(many)).size).toBe(3);
    const refused = await send(strict, { headers: { ...HEADERS_2025, ...a }, body: INITIALIZE });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    await send(strict, { method: "DELETE", ...within(first, a) });
    await opened(strict, a);

    const yielding = (await serveWaiting({ limits: { sessions: 1, sessionYieldMs: 0.001 } })).serving;
    const old = await opened(yielding);
    const young = await opened(yielding);
    expect((await send(yielding, { ...within(old), body: LIST })).status).toBe(404);
    expect((await send(yielding, { ...within(young), body: LIST })).status).toBe(200);
  });
});
