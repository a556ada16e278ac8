// Shutting down, and what the health endpoints say about it.
import { rmSync } from "node:fs";
import { request } from "node:http";
import { memory } from "stet/backends/memory";
import { serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { enter, pageFolder } from "../page/support.ts";
import { all } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import {
  bearer,
  closing,
  HEADERS_2025,
  INITIALIZE,
  JSON_HEADERS,
  modern,
  openSocket,
  send,
  serveWaiting,
} from "./http-support.ts";

const WAIT = { name: "wait", arguments: {} };

describe("shutdown", () => {
  it("finishes the calls that are running, then closes what is behind it", async () => {
    let workspacesClosed = false;
    const close = async () => {
      workspacesClosed = true;
    };
    const { serving, began, release } = await serveWaiting({}, { close });
    const opened = await send(serving, { headers: HEADERS_2025, body: INITIALIZE });
    const headers = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: WAIT });
    const of2025 = send(serving, { headers, body });
    const of2026 = send(serving, modern("tools/call", WAIT));
    await began(2);
    // a connection that is there already, so that it can ask once more
    const { socket, received } = openSocket(serving);
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET /healthz HTTP/1.1\r\n");

    const closed = serving.close();
    expect(serving.close()).toBe(closed);
    await expect(send(serving, { method: "GET", path: "/readyz" })).rejects.toThrow(/ECONNREFUSED/);
    expect(workspacesClosed).toBe(false);
    release();
    expect((await of2025).text).toContain("waited");
    expect((await of2026).text).toContain("waited");
    await closed;
    expect(workspacesClosed).toBe(true);
    expect(await received).toBe("");
  });

  it("refuses further calls on connections that are still open", async () => {
    const { serving, began, release } = await serveWaiting();
    const running = send(serving, modern("tools/call", WAIT));
    await began();
    const { socket, received } = openSocket(serving, "shutting down");
    await new Promise((resolve) => socket.once("connect", resolve));
    const host = `Host: 127.0.0.1:${serving.port}\r\n`;
    socket.write(`GET /mcp HTTP/1.1\r\n${host}Authorization: Bearer ${serving.token}\r\n`);
    // the server has the first part of the request when it answers another that was sent later
    await send(serving, { method: "GET", path: "/healthz" });
    const closed = serving.close();
    socket.write("\r\n");
    expect(await received).toMatch(/^HTTP\/1.1 503 [\s\S]*connection: close/i);
    release();
    await running;
    await closed;
  });

  it("begins no call that was still coming in", async () => {
    const { serving, began, release } = await serveWaiting();
    const running = send(serving, modern("tools/call", WAIT));
    await began();
    const { socket, received } = openSocket(serving, "shutting down");
    const continued = new Promise((resolve) => socket.once("data", resolve));
    const { body } = modern("tools/list");
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${serving.port}\r\nAuthorization: Bearer ${serving.token}\r\nContent-Type: application/json\r\n` +
        `Expect: 100-continue\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    await continued;
    const closed = serving.close();
    socket.write(body);
    expect(await received).toMatch(/\r\nHTTP\/1.1 503 /);
    release();
    await running;
    await closed;
  });

  it("gives up calls after the grace time, and ends streams at once", async () => {
    const { serving, began, aborted } = await serveWaiting({ limits: { graceMs: 50 } });
    const overdue = send(serving, modern("tools/call", WAIT)).catch(() => "cut off");
    await began();
    const { body, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const stream = request({
      port: serving.port,
      host: "127.0.0.1",
      path: "/mcp",
      method: "POST",
      headers: { ...JSON_HEADERS, ...bearer(serving), ...headers },
    });
    const ended = new Promise((resolve, reject) => {
      stream.on("error", reject);
      stream.on("response", (response) => response.resume().on("end", resolve).on("error", reject));
    });
    stream.end(body);
    await new Promise((resolve) => stream.once("response", resolve));
    await serving.close();
    await ended;
    expect(aborted).toEqual(["wait"]);
    expect(await overdue).not.toMatchObject({ status: 200 });
  });
});

describe("shutdown with a page", () => {
  it("ends its streams at once, while calls are still waited for", async () => {
    const page = { person: "ada", assets: await pageFolder() };
    const { serving, began, release } = await serveWaiting({ page, limits: { graceMs: 5000 } });
    const running = send(serving, modern("tools/call", WAIT));
    await began();
    const link = new URL(serving.pageLink!);
    const inside = await enter({ url: link.origin, secret: link.hash.replace("#secret=", "") });
    const stream = await inside.get("/page/api/events");
    const closed = serving.close();
    expect(await stream.text()).toContain("event: ready");
    release();
    expect((await running).text).toContain("waited");
    await closed;
  });
});

describe("health", () => {
  it("is the process; readiness is what ready says, and no more is told", async () => {
    let fit = true;
    let asked = 0;
    const inner = memory({});
    const resolve: typeof inner.resolve = async (...args) => {
      asked += 1;
      if (!fit) throw new Error("/secret/path is gone");
      return inner.resolve(...args);
    };
    const { serving } = await serveWaiting({ limits: { readyMs: 20 } }, { resolve });
    const get = async (path: string) => {
      const { status, text } = await send(serving, { method: "GET", path, headers: { authorization: undefined } });
      return [status, text];
    };
    expect(await get("/readyz")).toEqual([200, '{"status":"ok"}']);
    fit = false;
    let answer = await get("/readyz");
    for (let tries = 0; answer[0] === 200 && tries < 1000; tries++) answer = await get("/readyz");
    expect(answer).toEqual([503, '{"status":"unavailable"}']);
    expect(await get("/healthz")).toEqual([200, '{"status":"ok"}']);
    expect(asked).toBeLessThan(10);
    expect((await send(serving, { method: "HEAD", path: "/healthz" })).text).toBe("");
    for (const path of ["/healthz", "/readyz"])
      expect((await send(serving, { method: "GET", path, headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("asks whether the workspaces can be read and written, and writes nothing into them", async () => {
    const root = directoryWith({ "a.txt": "a\n" });
    const workspace = workspaceIn(root);
    const surface = surfaceNamed("tracked");
    const readOnly = memoryWorkspace({}, { policy: { readOnly: true } });
    const served = [
      { name: "a", workspace },
      { name: "b", workspace: readOnly },
    ] as const;
    const serving = closing(
      await serveOverHttp({ surface, served: [...served], version: "1" }, { limits: { readyMs: 20 } }),
    );
    const ready = async () => (await send(serving, { method: "GET", path: "/readyz" })).status;
    expect(await ready()).toBe(200);
    expect(await all(workspace.log())).toEqual([]);
    rmSync(root, { recursive: true });
    await expect.poll(ready).toBe(503);
  });
});
