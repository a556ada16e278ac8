// At the door of the page: guesses from elsewhere, cookies under other names, bodies that any page could send, and pages that stay open.
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../../support/workspace.ts";
import { browserAt, enter, openPage } from "../support.ts";

const outer = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

it.skipIf(outer === undefined)(
  "an address from which too much was guessed is not listened to, and no other",
  async () => {
    const tokens = [{ name: "bob", token: "bob-0123456789abcdef" }];
    const page = await openPage(memoryWorkspace({}), { host: "0.0.0.0", tokens, limits: { failuresPerSecond: 0.001 } });
    const login = (secret: string, host: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          origin: page.url,
          host: `127.0.0.1:${page.port}`,
          "x-stet-page": "1",
          "content-type": "application/json",
        };
        const asked = request({ host, port: page.port, path: "/page/login", method: "POST", headers, agent: false });
        asked.on("error", reject).on("response", (response) => resolve(response.resume().statusCode!));
        asked.end(JSON.stringify({ secret }));
      });
    let last = 0;
    for (let guess = 0; guess < 200 && last !== 429; guess++) last = await login(`wrong ${guess}`, outer!);
    expect(last).toBe(429);
    expect([await login(page.secret, outer!), await login(page.secret, "127.0.0.1")]).toEqual([429, 200]);
  },
);

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
