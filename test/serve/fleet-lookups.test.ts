// Tokens are looked up in the database: a flood of requests makes neither readiness nor those of others wait.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { startFleet } from "./fleet-support.ts";
import { bearer, HEADERS_2025, INITIALIZE, modern, send } from "./http-support.ts";

describe.skipIf(missingPostgres() !== undefined)("tokens of a database", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { database, through, serve, token, revoke, ask } = fleet;
  const proxy = await startHoldingProxy(database.port);
  afterAll(async () => {
    await fleet.end();
    await proxy.close();
  });
  const wrongToken = () => `stet_${randomBytes(32).toString("base64url")}`;
  const list = modern("tools/list");

  it("readiness does not wait for their lookups, and all who waited are answered", async () => {
    const server = await serve({ url: through(proxy) });
    const [{ token: secret }, { token: other }] = [await token(), await token({ tenant: "other" })];
    const held = proxy.holdAt("token");
    const flood = Array.from({ length: 40 }, () => ask(server, secret, list));
    const wrong = Array.from({ length: 40 }, () => ask(server, wrongToken(), list));
    await held.held;
    expect((await send(server, { method: "GET", path: "/readyz" })).status).toBe(200);
    const neighbour = ask(server, other, list);
    held.letGo();
    // Who waited too long on a machine that is busy is sent back, and told so; nobody is taken for somebody else.
    for (const { status } of [await neighbour, ...(await Promise.all(flood))]) expect([200, 503]).toContain(status);
    for (const { status } of await Promise.all(wrong)) expect([401, 429, 503]).toContain(status);
    for (const secretOf of [secret, other]) expect((await ask(server, secretOf, list)).status).toBe(200);
  });

  it("a caller whose rate is used up is told so without a look at the database", async () => {
    const rateLimit = { callsPerSecond: 0.001, burst: 1 };
    const server = await serve({ url: through(proxy) }, ["--surface", "tracked"], { http: { rateLimit } });
    const { token: secret } = await token({ principal: "busy" });
    expect((await ask(server, secret, list)).status).toBe(200);
    const held = proxy.holdAt("token");
    const { status, headers } = await send({ ...server, token: secret }, list);
    expect([status, Number(headers["retry-after"])]).toEqual([429, expect.closeTo(1000, -1)]);
    held.letGo();
  });

  it("of a client that has gone meanwhile: no stream of its session is left open", async () => {
    const server = { ...(await serve({ url: through(proxy) })), token: (await token()).token };
    const { headers } = await send(server, { headers: HEADERS_2025, body: INITIALIZE });
    // an answer is believed for a second
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const own = { ...bearer(server), ...HEADERS_2025, "mcp-session-id": headers["mcp-session-id"] };
    const asking = () => {
      const { "mcp-method": _none, ...rest } = own;
      const all = { ...rest, accept: "text/event-stream" };
      return request({ host: "127.0.0.1", port: server.port, path: "/mcp", agent: false, headers: all });
    };
    const held = proxy.holdAt("token");
    const leaving = asking().on("error", () => {});
    leaving.end();
    await held.held;
    leaving.destroy();
    held.letGo();
    const staying = asking();
    const answered = new Promise((resolve) => staying.on("response", ({ statusCode }) => resolve(statusCode)));
    staying.end();
    expect(await answered).toBe(200);
    staying.destroy();
  });

  it("requests with one token at the same moment are all answered, and none a second after it was revoked", async () => {
    const server = await serve();
    const { token: secret, id } = await token();
    const many = () => Promise.all(Array.from({ length: 50 }, async () => (await ask(server, secret, list)).status));
    expect(new Set(await many())).toEqual(new Set([200]));
    await revoke(id);
    await expect.poll(async () => (await ask(server, secret, list)).status, { timeout: 5000 }).not.toBe(200);
    for (const status of await many()) expect([401, 429]).toContain(status);
  });
});
