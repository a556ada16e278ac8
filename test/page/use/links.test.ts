/// <reference lib="dom" />
// Links that a browser is led to, in a real one: a visit that is there is not replaced unless the person wants it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { serveOverHttp } from "stet/serve";
import { workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../../support/workspace.ts";
import { seriousIn } from "../in-browser.ts";
import { closing, pageFolder } from "../support.ts";
import { useBrowser } from "../windows.ts";

const windowFor = useBrowser();
const TOKEN = "bob-0123456789abcdef";

/** As the server knows the browser, whatever the page shows. */
const personIn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const headers = { "x-stet-page": localStorage.getItem("stet-page")! };
    return (await (await fetch("/page/api/state", { headers })).json()).person;
  });

it("a page of another site that leads here with a token of its own does not replace a visit", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).create("b.txt", "b\n");
  const serving = closing(
    await serveOverHttp(
      { surface, served: [{ name: "work", workspace: closing(workspace) }], version: "0.0.0" },
      { tokens: [{ name: "bob", token: TOKEN }], page: { person: "ada", assets: await pageFolder() } },
    ),
  );
  const url = serving.url.replace("/mcp", "");
  const page = await windowFor(context, serving.pageLink!);
  await page.waitForSelector(".entry");
  const evil = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<script>location = ${JSON.stringify(`${url}/#secret=${TOKEN}`)}</script>`);
  });
  await new Promise<void>((resolve) => evil.listen(0, resolve));
  try {
    const led = await page.context().newPage();
    await led.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    await led.getByText("You are in as ada. Use this link instead?").waitFor();
    expect(led.url()).toBe(`${url}/`);
    for (const each of [page, led]) expect(await personIn(each)).toBe("ada");
    await led.reload();
    await led.waitForSelector(".entry");
    expect(await personIn(led)).toBe("ada");

    // in the tab itself, where nothing but the end of the address changes
    await page.evaluate((secret) => {
      location.hash = `#secret=${secret}`;
    }, TOKEN);
    await page.getByRole("button", { name: "Stay ada" }).click();
    await page.waitForSelector(".entry");
    expect([await personIn(page), page.url()]).toEqual(["ada", `${url}/`]);

    await led.goto("about:blank");
    await led.goto(`${url}/#secret=${TOKEN}`);
    await led.getByRole("button", { name: "Use the link" }).click();
    await led.getByText("bob, looking only").waitFor();
    expect(await personIn(page)).toBe("bob");
  } finally {
    evil.close();
  }
});

it("a link that does not work leaves the visit as it is; without a visit nothing is asked", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  const serving = closing(
    await serveOverHttp(
      { surface, served: [{ name: "work", workspace: closing(workspace) }], version: "0.0.0" },
      { tokens: [{ name: "bob", token: TOKEN }], page: { person: "ada", assets: await pageFolder() } },
    ),
  );
  const url = serving.url.replace("/mcp", "");
  const page = await windowFor(context, `${url}/#secret=${TOKEN}`, { bypassCSP: true });
  await page.getByText("bob, looking only").waitFor();
  await page.goto("about:blank");
  await page.goto(`${url}/#secret=wrong`);
  await page.getByText("You are in as bob.").waitFor();
  await page.addScriptTag({ content: axe.source });
  expect(await seriousIn(page)).toEqual([]);
  await page.getByRole("button", { name: "Use the link" }).click();
  await page.getByText("This browser is let in already.").waitFor();
  expect(await personIn(page)).toBe("bob");
  // a server that cannot tell just now puts no one out, and the link is not used
  await page.route("**/page/api/state", (route) => route.abort(), { times: 1 });
  await page.goto("about:blank");
  await page.goto(serving.pageLink!);
  await page.getByText("bob, looking only").waitFor();
  // a key of a visit that has ended is no visit
  await page.evaluate(() => localStorage.setItem("stet-page", "of another time"));
  await page.goto("about:blank");
  await page.goto(serving.pageLink!);
  await page.locator(".person", { hasText: "ada" }).waitFor();
});
