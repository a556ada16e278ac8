/// <reference lib="dom" />
// Visitors of a fleet's page: one whom an identity provider vouches for, and a person at a real browser.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type Backend, Workspace } from "stet";
import type { HttpServing } from "stet/serve";
import { expect, it } from "vitest";
import type { Fleet } from "../serve/fleet-support.ts";
import { all } from "../support/assertions.ts";
import { seriousIn } from "./in-browser.ts";
import { type Browser, enter } from "./support.ts";
import { useBrowser } from "./windows.ts";

const waived = { proof: { by: "waived" } } as const;

export function ofVisitors({ serve, token, revoke }: Fleet, one: HttpServing, web: Backend): void {
  const windowFor = useBrowser();
  const urlOf = ({ url }: HttpServing): string => new URL(url).origin;
  const enterWith = (secret: string, server = one): Promise<Browser> => enter({ url: urlOf(server), secret });

  it("a token of an identity provider lets in too, and ends when it is over", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" };
    const provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const audience = "https://stet.example/mcp";
    const server = await serve({ oauth: { issuer, audience, jwks: `${issuer}/jwks` } });
    const signed = (exp: number | string) =>
      new SignJWT({ stet_tenant: "acme", stet_role: "read", stet_workspaces: "web" })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setSubject("jo@acme.example")
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(exp)
        .sign(privateKey);
    const inside = await enterWith(await signed("5m"), server);
    expect(await inside.json("state")).toMatchObject({ person: "jo@acme.example", mayChange: false });
    expect((await inside.json("timeline")).entries.length).toBeGreaterThan(4);
    const short = await enterWith(await signed(Math.floor(Date.now() / 1000)), server);
    await expect(short.get("/page/api/events?w=web").then((stream) => stream.text())).rejects.toThrow();
    await expect.poll(async () => (await short.get("/page/api/state")).status, { timeout: 30_000 }).toBe(401);
    provider.close();
  });

  it("in a browser: a token by the form, a workspace by its name, live, and out when it is revoked", async (context) => {
    const { token: secret, id } = await token({ principal: "ada", workspaces: ["w*", "absent"] });
    const requested: string[] = [];
    const page = await windowFor(context, `${urlOf(one)}/`);
    page.on("request", (request) => requested.push(request.url()));
    await page.waitForSelector(".locked form");
    await page.fill("[name=token]", "stet_wrong");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("[role=alert]")?.textContent?.includes("opens nothing"));
    await page.fill("[name=token]", secret);
    await page.keyboard.press("Enter");
    await page.waitForSelector("[name=workspace]");
    expect(await page.inputValue("[name=workspace]")).toBe("absent");
    await page.click("text=Show");
    await page.waitForFunction(() => document.querySelector("[role=alert]")?.textContent?.includes("no workspace"));
    await page.fill("[name=workspace]", "web");
    await page.click("text=Show");
    await page.waitForSelector(".live.live");
    await page.waitForSelector(".entry");
    expect(new URL(page.url()).searchParams.get("w")).toBe("web");
    const count = await page.locator(".entry").count();
    const writer = new Workspace(web).session({ agent: "codex" });
    await writer.write("a.txt", "of acme, live\n", waived);
    await page.waitForFunction((before) => document.querySelectorAll(".entry").length > before, count);
    await page.keyboard.press("j");
    await page.waitForSelector(".diff .line.add");
    await page.keyboard.press("u");
    await page.waitForSelector("dialog .line.add");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".entry.taken-back");
    const [newest] = await all(web.log({ newestFirst: true, limit: 1 }));
    expect(newest).toMatchObject({ agent: "ada", tool: "page" });

    const colleague = await page.context().newPage();
    await colleague.goto(`${urlOf(one)}/?view=entry&ws=web&seq=2`);
    await colleague.waitForSelector(".head h2");
    expect(await colleague.textContent(".bar .person")).toBe("ada");
    await colleague.goto(`${urlOf(one)}/?w=web&agent=nobody`);
    await colleague.click("text=Clear all");
    await colleague.waitForSelector(".entry");
    expect(new URL(colleague.url()).search).toBe("?w=web");
    await colleague.click("[title='another workspace']");
    await colleague.waitForSelector("[name=workspace]");
    await revoke(id);
    await page.waitForSelector(".locked form");
    expect(await page.textContent("[role=alert]")).toContain("give a token");
    expect(await page.locator(".entry").count()).toBe(0);

    const reader = (await token({ role: "read", principal: "rea", workspaces: ["web"] })).token;
    await page.fill("[name=token]", reader);
    await page.click("text=Enter");
    await page.waitForSelector(".entry");
    expect(await page.textContent(".bar .person")).toBe("rea, looking only");
    await page.keyboard.press("j");
    await page.waitForSelector(".head h2");
    for (const key of ["u", "r"]) await page.keyboard.press(key);
    expect(await page.locator("dialog").count()).toBe(0);
    for (const label of ["Undo", "Mark reviewed", "Mark all reviewed"])
      expect(await page.locator(`button:has-text("${label}")`).count()).toBe(0);
    await page.click("text=Leave");
    await page.waitForSelector(".locked form");
    await page.waitForLoadState("networkidle");
    expect(await page.textContent("[role=alert]")).toContain("You have left");
    await page.reload();
    await page.waitForSelector(".locked form");
    expect(requested.some((url) => url.includes("stet_"))).toBe(false);
  });

  it("the way in can be used with a screen reader, and on a narrow screen", async (context) => {
    const { token: secret } = await token({ workspaces: ["w*"] });
    const page = await windowFor(context, `${urlOf(one)}/`, {
      bypassCSP: true,
      colorScheme: "dark",
      viewport: { width: 360, height: 700 },
    });
    await page.waitForSelector("[name=token]");
    await page.evaluate(axe.source);
    expect(await seriousIn(page)).toEqual([]);
    await page.fill("[name=token]", secret);
    await page.keyboard.press("Enter");
    await page.waitForSelector("[name=workspace]");
    expect(await seriousIn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}
