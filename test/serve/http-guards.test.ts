// What is refused before anything of a request is looked at, each by real requests.
import { describe, expect, it } from "vitest";
import { bearer, JSON_HEADERS, LIST_2026, openSocket, send, sendBytes, serveWaiting } from "./http-support.ts";

describe("place", () => {
  it("answers to its own names with its own port, and to no others", async () => {
    const { serving } = await serveWaiting({ allowedHosts: ["Files.Example"] });
    const status = async (host: string) => (await send(serving, { headers: { host } })).status;
    const { port } = serving;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      "files.example",
    ])
      expect(await status(host), host).toBe(200);
    for (const host of [
      "evil.example",
      "localhost",
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `localhost:${port}.evil.example`,
    ])
      expect(await status(host), host).toBe(403);
    const origin = { host: "files.example", origin: "http://files.example" };
    expect((await send(serving, { headers: origin })).status).toBe(403);
    expect(await status(`evil.example:${port}`)).toBe(403);
    expect(await status(`127.0.0.1:${port}@evil.example`)).toBe(403);
  });

  it("refuses requests with no Host, or with two", async () => {
    const { serving } = await serveWaiting();
    const own = `Host: 127.0.0.1:${serving.port}\r\n`;
    const authorization = `Authorization: Bearer ${serving.token}\r\n`;
    expect(await sendBytes(serving, `GET /healthz HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /);
    expect(await sendBytes(serving, `GET /healthz HTTP/1.1\r\n${authorization}\r\n`)).toMatch(/^HTTP\/1.1 400 /);
    expect(await sendBytes(serving, `GET /healthz HTTP/1.0\r\n${own}Host: evil.example\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 40[03] /,
    );
    expect(await sendBytes(serving, `GET http://evil.example/mcp HTTP/1.0\r\n${own}${authorization}\r\n`)).toMatch(
      /^HTTP\/1.1 404 /,
    );
    expect(await sendBytes(serving, `GET /healthz HTTP/1.0\r\n${own}\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("takes no page of another origin, whatever its port", async () => {
    const { serving } = await serveWaiting({ allowedOrigins: ["https://files.example"] });
    const status = async (origin: string) => (await send(serving, { headers: { origin } })).status;
    const { port } = serving;
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, "https://files.example"])
      expect(await status(origin), origin).toBe(200);
    for (const origin of [
      "http://evil.example",
      "http://localhost:3000",
      "http://localhost",
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}.evil.example`,
      "https://files.example:8443",
      "http://files.example",
      "null",
      "",
    ])
      expect(await status(origin), origin).toBe(403);
  });

  it("sends no CORS headers, and answers no preflight", async () => {
    const { serving } = await serveWaiting();
    const origin = `http://localhost:${serving.port}`;
    const preflight = await send(serving, { method: "OPTIONS", headers: { origin, authorization: undefined } });
    const call = await send(serving, { headers: { origin } });
    expect([preflight.status, call.status]).toEqual([401, 200]);
    for (const { headers } of [preflight, call])
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("has one endpoint and two questions of health, each with its methods", async () => {
    const { serving } = await serveWaiting();
    for (const path of ["/", "/mcp/", "/MCP", "/mcp/../mcp", "/.well-known/oauth-protected-resource", "/%6dcp"])
      expect((await send(serving, { path })).status, path).toBe(404);
    for (const method of ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE"]) {
      const { status, headers } = await send(serving, { method });
      expect([status, headers.allow], method).toEqual([405, "POST, GET, DELETE"]);
    }
    expect((await send(serving, { path: "/healthz" })).status).toBe(405);
    expect((await send(serving, { path: "/mcp?x=1" })).status).toBe(200);
  });
});

describe("form", () => {
  it("takes JSON that is not compressed, and nothing else", async () => {
    const { serving } = await serveWaiting();
    const status = async (headers: Record<string, string | undefined>) => (await send(serving, { headers })).status;
    expect(await status({ "content-type": "application/json; charset=utf-8" })).toBe(200);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/json-seq",
    ])
      expect(await status({ "content-type": type }), type).toBe(415);
    expect(await status({ "content-type": undefined })).toBe(415);
    expect(await status({ "content-encoding": "gzip" })).toBe(415);
    for (const body of ["", "{", "nul", "[", '"\ud800']) expect((await send(serving, { body })).status, body).toBe(400);
    expect((await send(serving, { body: [Buffer.from([0x22, 0xff, 0x22])] })).status).toBe(400);
  });

  it("refuses a large body by its length, before it has come", async () => {
    const { serving } = await serveWaiting({ limits: { bodyBytes: 2000 } });
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${serving.port}`,
      `Authorization: Bearer ${serving.token}`,
      "Content-Type: application/json",
    ];
    const answer = await sendBytes(serving, [...head, "Content-Length: 1073741824", "", "{"].join("\r\n"));
    expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close/i);
    const asked = await sendBytes(
      serving,
      [...head, "Content-Length: 1073741824", "Expect: 100-continue", "", ""].join("\r\n"),
    );
    expect(asked).toMatch(/^HTTP\/1.1 413 /);
  });

  it("refuses a large body without a length, after so many bytes", async () => {
    const { serving } = await serveWaiting({ limits: { bodyBytes: 2000 } });
    const { socket, received } = openSocket(serving);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${serving.port}\r\nAuthorization: Bearer ${serving.token}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write(`3e8\r\n${" ".repeat(1000)}\r\n`.repeat(3));
    expect(await received).toMatch(/^HTTP\/1.1 413 /);
    const padded = LIST_2026 + " ".repeat(2000 - Buffer.byteLength(LIST_2026));
    expect((await send(serving, { body: [Buffer.from(padded)] })).status).toBe(200);
    expect((await send(serving, { body: [Buffer.from(`${padded} `)] }).catch(() => ({ status: 413 }))).status).toBe(
      413,
    );
  });

  it("refuses when too much comes in at once, and takes it afterwards", async () => {
    const { serving } = await serveWaiting({ limits: { bodiesBytes: 3000 } });
    const { socket } = openSocket(serving);
    const reading = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${serving.port}\r\nAuthorization: Bearer ${serving.token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2900\r\n\r\n`;
    const begun = new Promise((resolve) => socket.once("data", resolve));
    socket.write(reading);
    expect(await begun).toMatch(/^HTTP\/1.1 100 /);
    socket.write(" ".repeat(2899));
    // the first bytes and this request race to the server: sooner or later they are there together
    let answer = await send(serving);
    for (let tries = 0; answer.status === 200 && tries < 50; tries++) answer = await send(serving);
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
    socket.destroy();
    for (let tries = 0; answer.status !== 200 && tries < 50; tries++) answer = await send(serving);
    expect(answer.status).toBe(200);
  });
});

describe("every answer", () => {
  it("may not be kept, nor its type guessed", async () => {
    const { serving } = await serveWaiting();
    const stream = { headers: { ...bearer(serving) } };
    const answers = await Promise.all([
      send(serving),
      send(serving, { headers: { authorization: "Bearer wrong" } }),
      send(serving, { path: "/nowhere" }),
      send(serving, { method: "GET", path: "/healthz", ...stream }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200]);
    for (const { headers } of answers)
      expect([headers["cache-control"], headers["x-content-type-options"]]).toEqual(["no-store", "nosniff"]);
    expect(JSON_HEADERS.accept).toContain("text/event-stream");
  });
});
