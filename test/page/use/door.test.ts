// At the door of the page: guesses from elsewhere, cookies under other names, bodies that any page could send, and pages that stay open.
import { expect, it } from "vitest";
import type { Counted } from "../../../src/serve/page/options.ts";
import { memoryWorkspace } from "../../support/workspace.ts";
import { browserAt, closing, enter, openPage, pageFor } from "../support.ts";

it("an address from which too much was guessed is not even listened to, and uses up no link", async () => {
  const { page, server, url } = await pageFor({ served: [], person: "ada" }, {});
  server.on("connection", (socket) => Object.defineProperty(socket, "remoteAddress", { value: "203.0.113.7" }));
  const outside = browserAt(url, "");
  const login = async (secret: string) => (await outside.post("/page/login", { secret })).status;
  // a moment later one more guess is allowed: then another link tries
  const statuses: number[] = [];
  let secret = "";
  for (let n = 0; n < 10 && statuses.at(-1) !== 429; n++) {
    secret = page.invite()!.replace("/#secret=", "");
    for (let guess = 0; guess < 200 && (await login(`wrong ${guess}`)) !== 429; guess++);
    statuses.push(await login(secret));
  }
  expect(statuses.at(-1)).toBe(429);
  await expect.poll(() => login(secret), { timeout: 30_000, interval: 500 }).toBe(200);
});

it("a cookie opens this page by its own name only", async () => {
  const page = await openPage(memoryWorkspace({}));
  const inside = await enter(page);
  const { cookie, key } = inside;
  // the way back in would be a new link
  expect(await inside.json("state")).not.toHaveProperty("mayLeave");
  const value = cookie.split("=")[1]!;
  const status = async (given: string) => (await browserAt(page.url, given, key).get("/page/api/state")).status;
  expect(await status(cookie)).toBe(200);
  for (const name of [`stet-page-${page.port + 1}`, "stet-page", `x-${cookie.split("=")[0]}`])
    expect(await status(`${name}=${value}`)).toBe(401);
});

it("a body is JSON by its type, not by what stands behind a type that any page may send", async () => {
  const page = await openPage(memoryWorkspace({}));
  const inside = await enter(page);
  for (const type of ["text/plain; application/json", "text/plain;charset=application/json", "application/jsonp"])
    expect((await inside.post("/page/api/preview", { w: "work", entry: 1 }, { "content-type": type })).status).toBe(
      415,
    );
  const type = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await inside.post("/page/api/preview", { w: "work", entry: 1 }, type)).status).toBe(404);
});

it("a page that stays open takes no turn from the calls with its token", async () => {
  const workspace = closing(memoryWorkspace({}));
  let held = 0;
  let turns = 0;
  const counted: Counted = {
    spent: () => undefined,
    pay: () => undefined,
    async hold(_owner, _call, act) {
      turns++;
      held++;
      return act().finally(() => held--);
    },
    count: () => {},
  };
  const tokens = { authenticate: () => ({ name: "bob", named: true }) };
  const { url } = await pageFor({ served: [{ name: "work", workspace }] }, { tokens, counted });
  const inside = await enter({ url, secret: "any" });
  expect(await inside.json("state")).toMatchObject({ mayLeave: true });
  expect([turns, held]).toEqual([1, 0]);
  const stream = await inside.get("/page/api/events");
  expect([turns, held]).toEqual([1, 0]);
  await stream.body!.cancel();
});
