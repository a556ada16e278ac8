// The line in which tokens are looked up: a flood of requests makes neither readiness nor those of others wait, and what is revoked opens nothing from then on.
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { openPool, type Pool } from "../../src/backends/postgres/index.ts";
import { revokeToken } from "../../src/backends/postgres/tenants/tokens.ts";
import { createTokenLine } from "../../src/cli/open/token-line.ts";
import { startHoldingProxy } from "../support/holding-proxy.ts";
import { startFleet } from "./fleet-support.ts";
import { modern, send } from "./http-support.ts";

describe.skipIf(missingPostgres() !== undefined)("the line of tokens", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { database, pool, serve, token, ask } = fleet;
  const proxy = await startHoldingProxy(database.port);
  afterAll(async () => {
    await fleet.end();
    await proxy.close();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const wrongToken = () => `stet_${randomBytes(32).toString("base64url")}`;
  const list = modern("tools/list");

  /** With the number of questions that were asked. */
  async function opened(): Promise<{ looking: Pool; questions(): number }> {
    const looking = await openPool(proxy.url, { connections: 2, silentMs: 60_000 });
    const connect = looking.connect.bind(looking);
    let questions = 0;
    looking.connect = () => {
      questions += 1;
      return connect();
    };
    return { looking, questions: () => questions };
  }

  /** It stands still but for this, so that a slow machine is not taken for a slow database; timers go on. */
  function stoppedClock(): { goOn(ms: number): void } {
    let at = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => at);
    return {
      goOn(ms) {
        at += ms;
      },
    };
  }

  it("readiness does not wait in it, and all who waited in it are answered", async () => {
    const server = await serve({ url: proxy.url });
    const [{ token: secret }, { token: other }] = [await token(), await token({ tenant: "other" })];
    stoppedClock();
    const held = proxy.holdAt("stet-token");
    const flood = Array.from({ length: 40 }, () => ask(server, secret, list));
    const wrong = Array.from({ length: 40 }, () => ask(server, wrongToken(), list));
    await held.held;
    expect((await send(server, { method: "GET", path: "/readyz" })).status).toBe(200);
    const neighbour = ask(server, other, list);
    held.letGo();
    expect((await neighbour).status).toBe(200);
    for (const { status } of await Promise.all(flood)) expect(status).toBe(200);
    for (const { status } of await Promise.all(wrong)) expect([401, 429]).toContain(status);
  });

  it("a caller whose rate is used up is told so without a look at the database", async () => {
    const rateLimit = { callsPerSecond: 0.001, burst: 1 };
    const server = await serve({ url: proxy.url }, ["--surface", "tracked"], { http: { rateLimit } });
    const { token: secret } = await token({ principal: "busy" });
    expect((await ask(server, secret, list)).status).toBe(200);
    const held = proxy.holdAt("stet-token");
    const { status, headers } = await send({ ...server, token: secret }, list);
    expect([status, Number(headers["retry-after"])]).toEqual([429, expect.closeTo(1000, -1)]);
    held.letGo();
  });

  it("requests that ask about one token at the same moment ask once; those that come later ask anew", async () => {
    const { looking, questions } = await opened();
    const { token: secret, id } = await token();
    const line = createTokenLine(looking);
    const before = questions();
    let answered = 0;
    const asked = Array.from({ length: 100 }, () => line.ask(secret, "a").finally(() => answered++));
    await asked[0];
    // the others in later turns of the event loop: calls with other tokens go on between them
    expect(answered).toBeLessThan(20);
    const many = await Promise.all(asked);
    expect(new Set(many.map((about) => about?.id))).toEqual(new Set([id]));
    expect(questions() - before).toBe(1);
    const held = proxy.holdAt("stet-token");
    const first = line.ask(secret, "a");
    await held.held;
    const later = [line.ask(secret, "a"), line.ask(secret, "b")];
    held.letGo();
    await Promise.all([first, ...later]);
    expect(questions() - before).toBe(3);
    await revokeToken(pool, id);
    expect(await line.ask(secret, "a")).toBe(undefined);
    expect(line.lately(secret)).toBe(undefined);
    await looking.end();
  });

  it("one that was just found wrong is not asked about again", async () => {
    const { looking, questions } = await opened();
    const line = createTokenLine(looking);
    const secret = wrongToken();
    for (let n = 0; n < 3; n++) expect(await line.ask(secret, "a")).toBe(undefined);
    expect(questions()).toBe(1);
    await looking.end();
  });

  it("one address cannot fill it: others and those who are known have their turn, and what is too much is sent back", async () => {
    const { looking } = await opened();
    const line = createTokenLine(looking);
    const [{ token: known }, { token: stranger }] = [await token(), await token()];
    await line.ask(known, "a");
    stoppedClock();
    const held = proxy.holdAt("stet-token");
    const first = line.ask(wrongToken(), "a");
    await held.held;
    const order: string[] = [];
    const asking = (name: string, secret: string, from: string) =>
      line.ask(secret, from).then(
        (about) => order.push(about === undefined ? name : `${name} is ${about.principal}`),
        (error) => order.push(`${name} is ${error.kind}`),
      );
    const flood = Array.from({ length: 5100 }, () => asking("wrong", wrongToken(), "a"));
    const others = [asking("known", known, "a"), asking("stranger", stranger, "b")];
    await Promise.all(flood.slice(5000));
    expect(order).toEqual(Array(100).fill("wrong is busy"));
    held.letGo();
    await Promise.all([first, ...flood, ...others]);
    const inFirstQuestion = order.slice(100, 350);
    expect(inFirstQuestion).toContain("known is ada");
    expect(inFirstQuestion).toContain("stranger is ada");
    expect(order.filter((each) => each === "wrong")).toHaveLength(5000);
    await looking.end();
  });

  it("250 tokens of one address go into one question", async () => {
    const { looking, questions } = await opened();
    const line = createTokenLine(looking);
    const before = questions();
    await Promise.all(Array.from({ length: 750 }, () => line.ask(wrongToken(), "a")));
    expect(questions() - before).toBe(3);
    await looking.end();
  });

  it("no more than 2,000 requests wait with one token; what is more is sent back, and other tokens are not", async () => {
    const [{ token: secret, id }, { token: other }] = [await token(), await token()];
    stoppedClock();
    for (const isKnown of [false, true]) {
      const { looking } = await opened();
      const line = createTokenLine(looking);
      if (isKnown) await line.ask(secret, "a");
      const held = proxy.holdAt("stet-token");
      const first = line.ask(wrongToken(), "a");
      await held.held;
      const asked = Array.from({ length: 2001 }, () => line.ask(secret, "a"));
      const neighbour = line.ask(other, "a");
      const last = await Promise.race([asked.pop()!.catch((error) => error), soon()]);
      expect(last).toMatchObject({ kind: "busy", message: expect.stringContaining("requests with this token wait") });
      held.letGo();
      await first;
      expect(await neighbour).toBeDefined();
      expect(new Set((await Promise.all(asked)).map((about) => about?.id))).toEqual(new Set([id]));
      await looking.end();
    }
  });

  it("when the database did not answer, all who waited meanwhile are sent back after that one attempt", async () => {
    const { looking } = await opened();
    const line = createTokenLine(looking);
    const [{ token: known }, { token: late }] = [await token(), await token()];
    await line.ask(known, "a");
    const connect = looking.connect.bind(looking);
    const clock = stoppedClock();
    let attempts = 0;
    let latest: Promise<unknown> | undefined;
    looking.connect = async () => {
      attempts += 1;
      clock.goOn(5000);
      // only one that comes now is worth a question of its own
      latest = line.ask(late, "a");
      looking.connect = connect;
      throw Object.assign(new Error("The database was silent."), { code: "ETIMEDOUT" });
    };
    const asked = [known, ...Array.from({ length: 600 }, wrongToken)].map((secret, n) => line.ask(secret, `${n % 2}`));
    const told = await Promise.allSettled(asked);
    expect(new Set(told.map((each) => (each.status === "rejected" ? each.reason.kind : "answered")))).toEqual(
      new Set(["io_error"]),
    );
    expect(attempts).toBe(1);
    expect(await latest).toMatchObject({ principal: "ada" });
    await looking.end();
  });

  it("while a question takes long, those who wait for the next are sent back, and it is answered", async () => {
    const { looking } = await opened();
    const line = createTokenLine(looking);
    const [{ token: known }, { token: asked }, { token: late }] = [await token(), await token(), await token()];
    await line.ask(known, "a");
    const clock = stoppedClock();
    const held = proxy.holdAt("stet-token");
    const first = line.ask(asked, "a");
    await held.held;
    const told: string[] = [];
    const behind = [known, wrongToken(), wrongToken()].map((secret, n) =>
      line.ask(secret, `${n}`).then(
        () => told.push("answered"),
        (error) => told.push(error.kind),
      ),
    );
    clock.goOn(1100);
    const latest = line.ask(late, "a");
    await vi.waitFor(() => expect(told).toEqual(["busy", "busy", "busy"]), { timeout: 5_000 });
    // they can come again
    const again = line.ask(known, "a");
    held.letGo();
    await Promise.all(behind);
    for (const each of [first, latest, again]) expect(await each).toMatchObject({ principal: "ada" });
    await looking.end();
  });

  it("a long line is not sent back while its questions are answered", async () => {
    const { looking } = await opened();
    const line = createTokenLine(looking);
    const connect = looking.connect.bind(looking);
    const clock = stoppedClock();
    looking.connect = async () => {
      clock.goOn(400);
      await soon();
      return connect();
    };
    const asked = Array.from({ length: 1000 }, () => line.ask(wrongToken(), "a"));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]));
    await looking.end();
  });

  const soon = () => new Promise((resolve) => setTimeout(() => resolve("it waits"), 200));
});
