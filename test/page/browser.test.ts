/// <reference lib="dom" />
// The page in a real browser: live, by keyboard, with conflicts, under attack, with a long history, for screen readers.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import axe from "axe-core";
import type { Workspace } from "stet";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import { EVIL, forgedWorkspace } from "./forgeries.ts";
import { changedElsewhere, seriousIn } from "./in-browser.ts";
import { longHistory } from "./long-history.ts";
import { browserAt, openPage } from "./support.ts";
import { useBrowser } from "./windows.ts";

const windowFor = useBrowser();
const waived = { proof: { by: "waived" } } as const;
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");

/** One red point. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);

function onDisk(files: Readonly<Record<string, string>>): { readonly root: string; readonly workspace: Workspace } {
  const root = directoryWith(files);
  return { root, workspace: workspaceIn(root) };
}

it("a diff has numbers on both sides, says where a line end is missing, and stands side by side", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": "one\ntwo\nthree\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "one\n2\nthree\nfour", waived);
  const { link, url } = await openPage(workspace);
  const page = await windowFor(context, link.replace("/#", "/?view=entry&ws=work&seq=1#"));
  await page.waitForSelector(".diff .line.add");
  const lines = await page.locator(".diff .line").allTextContents();
  expect(lines.map((line) => line.replaceAll(/\s+/g, " ").trim())).toEqual([
    expect.stringMatching(/^1\D*1.*one/),
    expect.stringMatching(/^2.*two/),
    expect.stringMatching(/^2.*2/),
    expect.stringMatching(/^3\D*3.*three/),
    expect.stringMatching(/^4.*four/),
  ]);
  expect(await page.textContent(".diff")).toContain("four ⊘");
  await page.goto(`${url}/?view=entry&ws=work&seq=1&layout=split`);
  await page.waitForSelector(".diff .line.add");
  expect(await page.locator(".diff .line.add").count()).toBe(2);
});

it("a change of another process is on the page at once; it is undone by keyboard alone", async (context) => {
  const { root, workspace } = onDisk({ "src/server.ts": "const port = 3000;\n" });
  const { link } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".live.live");
  expect(await page.textContent(".timeline-side .state")).toContain("Nothing has happened yet");
  const changedAt = await changedElsewhere(root, "src/server.ts", "const port = 4001;\n");
  await page.waitForSelector(".entry.applied");
  if (HEAVY) expect(Date.now() - changedAt).toBeLessThan(1000);
  expect(await page.textContent(".entry")).toMatch(/src\/server\.ts.*by elsewhere.*\+1 −1.*Edit/);
  expect(page.url()).not.toContain("secret");

  await page.keyboard.press("j");
  await page.waitForSelector(".diff .line.add mark");
  expect(await page.textContent(".diff .line.add mark")).toBe("4001");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .line.add");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".entry.taken-back");
  expect(readFileSync(join(root, "src/server.ts"), "utf8")).toBe("const port = 3000;\n");
  await page.waitForFunction(() => /^Taken back as entry/.test(document.querySelector(".said")!.textContent!));
  await page.keyboard.press("r");
  await page.waitForSelector(".entry.reviewed");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help");
});

it("conflicts are shown with both sides; a single part of an entry is undone", async (context) => {
  const { root, workspace } = onDisk({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived);
  await agent.write("a.txt", text({ 2: "zwei\n", 20: "twenty\n" }), waived);
  const { link } = await openPage(workspace);
  const page = await windowFor(context, `${link.replace("/#", "/?view=entry&ws=work&seq=1#")}`, {
    timezoneId: "Asia/Tokyo",
  });
  await page.waitForSelector(".head h2");
  expect(await page.textContent(".head time")).toContain("GMT+9");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .why");
  expect(await page.textContent("dialog .why")).toContain("Nothing was changed");
  await page.click("text=Keep later changes");
  await page.waitForSelector("dialog .sides");
  expect(await page.locator("dialog .sides pre").allTextContents()).toEqual(["zwei\n", "line 2\n"]);
  expect(await page.textContent("dialog .sides")).toContain("a.txt, line 2");
  expect(await page.textContent("body")).not.toContain("onLaterChanges");
  await page.click("dialog >> text=Close");
  await page.locator("text=Undo this part").nth(1).click();
  await page.click("dialog .acts >> text=Take back");
  await page.waitForSelector("dialog", { state: "detached" });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(text({ 2: "zwei\n" }));
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 3);
  expect(await page.locator(".entry.taken-back").count()).toBe(0);
});

it("a link is used once, and pages of other origins can do nothing", async (context) => {
  const { root, workspace } = onDisk({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", waived);
  const { link, url, port } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".entry");
  const second = await windowFor(context, link);
  await second.waitForSelector(".locked");
  expect(await second.textContent("[role=alert]")).toContain("used already");

  const stolen: string[] = [];
  const evil = createServer(({ headers }, response) => {
    if (headers.cookie !== undefined) stolen.push(headers.cookie);
    response.setHeader("set-cookie", `stet-page-${port}=planted; Path=/page/api`);
    response.setHeader("content-type", "text/html").end("<title>evil</title><img src='/page/x.png' alt=''>");
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}`);
  const tried = await other.evaluate(async (target) => {
    const body = JSON.stringify({ w: "work", entry: 1 });
    const attempts: [string, RequestInit][] = [
      ["/page/api/undo", { method: "POST", mode: "no-cors", body }],
      ["/page/api/undo", { method: "POST", headers: { "x-stet-page": "1", "content-type": "application/json" }, body }],
      ["/page/api/timeline", {}],
      ["/page/api/timeline", { mode: "no-cors" }],
    ];
    const seen: string[] = [];
    for (const [path, init] of attempts) {
      const answer = await fetch(target + path, { credentials: "include", ...init }).catch(() => undefined);
      seen.push(answer === undefined ? "nothing" : await answer.text());
    }
    return seen;
  }, url);
  evil.close();
  expect(tried.filter((each) => each !== "nothing" && each !== "")).toEqual([]);
  // Cookies know no ports: the other server has ours, and may have set one. Neither helps it.
  await expect.poll(() => stolen.at(-1)).toContain(`stet-page-${port}=`);
  const thief = browserAt(url, stolen.at(-1)!);
  expect((await thief.get("/page/api/timeline")).status).toBe(401);
  expect((await thief.post("/page/api/undo", { w: "work", entry: 1 })).status).toBe(401);
  expect((await thief.post("/page/leave", {})).status).toBe(401);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("b\n");
  await page.reload();
  await page.waitForSelector(".live.live");
  const tab = await page.context().newPage();
  await tab.goto(url);
  await tab.waitForSelector(".entry");
  await tab.goto(link);
  await tab.getByRole("button", { name: "Use the link" }).click();
  await tab.waitForSelector(".entry");
  expect(await tab.textContent(".said")).toContain("let in already");
});

it("names, contents, agents and messages are text, whatever they look like", async (context) => {
  const evil = '<img src=x onerror="alert(1)">';
  const turned = "gpj.\u202eexe\u0007";
  const workspace = memoryWorkspace({ "safe.md": "x\n" });
  const agent = workspace.session({ agent: `<script>alert(2)</script>${turned}` });
  await agent.create(`${evil.replaceAll("/", "")}.html`, `${evil}\n<script>alert(3)</script>\n\u202eabc\u001b[31m\n`);
  await agent.write("safe.md", "[x](javascript:alert(4))\n", { ...waived, tool: "<b onclick=alert(5)>tool</b>" });
  await agent.read(`${turned}${evil}`).catch(() => undefined);
  await agent.delete(`nothing ${evil}`, waived).catch(() => undefined);
  await workspace.backend.record({
    session: "s",
    tool: "t",
    outcome: "refused",
    changes: [],
    error: "busy",
    message: `${evil} ${turned}`,
    details: { [evil]: evil, paths: [evil] },
  });
  const { link } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".entry");
  const count = await page.locator(".entry").count();
  for (let n = 0; n < count; n++) {
    await page.keyboard.press(n === 0 ? "k" : "j");
    await page.waitForSelector(".head h2");
    const shown = await page.evaluate(() => document.body.textContent!);
    expect(shown).not.toMatch(/[\u202e\u0007\u001b]/);
  }
  expect(
    await page.evaluate(
      () => document.querySelectorAll("#app script, #app [onerror], #app [onclick], #app b[onclick]").length,
    ),
  ).toBe(0);
  expect(await page.locator("#app img").count()).toBe(0);
  await page.goto(
    `${link.split("/#")[0]}/?text=${encodeURIComponent(evil)}&view=file&ws=work&file=${encodeURIComponent(evil)}`,
  );
  await page.waitForSelector(".detail h2");
  expect(await page.textContent(".detail h2")).toContain("<img");
});

it("a forged journal is text, too, whichever field holds what; it leads nowhere else", async (context) => {
  const { link, url } = await openPage(await forgedWorkspace());
  const page = await windowFor(context, link.replace("/#", "/?outcome=applied,refused,external,aborted,note#"));
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.waitForSelector(".entry");
  const views = (HEAVY ? [1, 2, 3, 4, 5, 6] : [1, 2, 5]).map((seq) => `view=entry&ws=work&seq=${seq}`);
  const others = [`view=net&ws=work&of=agent:${encodeURIComponent(EVIL)}`, "view=net&ws=work&of=since:1970-01-01"];
  const files = [
    "view=file&ws=work&file=a",
    `view=file&ws=work&file=${encodeURIComponent(EVIL)}`,
    "view=trash",
    "view=health",
  ];
  for (const view of [...views, ...others, ...files]) {
    await page.evaluate((search) => {
      history.pushState(null, "", `?${search}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `outcome=applied,refused,external,aborted,note&${view}`);
    await page.waitForSelector(".head h2");
    await page.waitForFunction(() => !document.body.textContent!.includes("Loading…"));
    const shown = await page.evaluate(() => document.body.textContent!);
    expect([view, /[\u202e\u0007\u001b\u2028\u0000]/.test(shown)]).toEqual([view, false]);
    expect(await page.locator("#app script, #app [onerror], #app a").count()).toBe(0);
  }
  expect(requested.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
});

it.runIf(HEAVY)(
  "a long history: painted soon, filtered on the server, and a diff of 3,500 rows scrolls",
  async (context) => {
    const workspace = await longHistory(HEAVY ? 100_000 : 1_000, { "big.ts": "" });
    const rows = Array.from({ length: 3500 }, (_, n) => `export const name${n} = "value ${n}"; // ${n}\n`);
    await workspace.session({ agent: "claude" }).write("big.ts", rows.join(""), waived);
    const { link } = await openPage(workspace);
    const page = await windowFor(context, link);
    await page.waitForSelector(".entry");
    const painted: number[] = [];
    for (let n = 0; HEAVY && n < 3 && painted.every((ms) => ms > 1000); n++) {
      if (n > 0) await page.reload();
      await page.waitForSelector(".entry");
      painted.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]!.startTime));
    }
    if (HEAVY) expect(Math.min(...painted)).toBeLessThan(1000);
    expect(await page.locator(".entry").count()).toBeLessThan(60);
    await page.keyboard.press("j");
    await page.waitForSelector(".diff .line.add .hljs-keyword");
    const frames = await page.evaluate(async () => {
      const box = document.querySelector(".diff")!;
      const began = performance.now();
      for (let n = 0; n < 40; n++) {
        box.scrollTop += 120;
        await new Promise(requestAnimationFrame);
      }
      return 40_000 / (performance.now() - began);
    });
    if (HEAVY) expect(frames).toBeGreaterThan(50);
    await page.evaluate(() => {
      history.pushState(null, "", "?view=net&ws=work&of=since:2020-01-01");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    if (HEAVY) {
      await page.waitForFunction(() => document.querySelector(".detail")!.textContent!.includes("More than 20000"));
      await page.fill(".detail label:has-text('From') input", "2030-01-02T06:00");
      await page.keyboard.press("Enter");
    }
    await page.waitForFunction(() => document.querySelector(".detail h2")?.textContent?.includes("everything since"));
    await page.click("text=Refusals");
    await page.waitForSelector(".entry.refused");
    expect(await page.locator(".entry.external").count()).toBe(0);
    await page.fill("#search", "module-450/");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".entry .paths")].every((one) => one.textContent!.includes("module-450/")),
    );
    expect(new URL(page.url()).searchParams.get("text")).toBe("module-450/");
    const shared = await page.context().newPage();
    await shared.goto(page.url());
    await shared.waitForSelector(".entry.refused");
    expect(await shared.textContent(".entry .paths")).toContain("module-450/");
  },
);

it.runIf(HEAVY)(
  "every view can be used with a screen reader, in the light and in the dark; on a narrow screen too",
  async (context) => {
    const { root, workspace } = onDisk({ "a.ts": text(), "b.ts": "b\n" });
    const agent = workspace.session({ agent: "codex" });
    await agent.write("a.ts", text({ 2: "const two = 2;\n" }), waived);
    await agent.delete("b.ts", waived);
    await agent.read(".env").catch(() => undefined);
    writeFileSync(join(root, "a.ts"), "outside\n");
    await agent.read("a.ts");
    await agent.create("dot.png", PNG);
    const health = async function* () {
      yield { about: "permissions", state: "warn", what: "as the superuser", means: "Run it as another." } as const;
    };
    const { link, url } = await openPage(workspace, { health });
    const page = await windowFor(context, link, { bypassCSP: true });
    await page.waitForSelector(".entry");
    await page.evaluate(axe.source);
    const views = [
      "",
      "view=entry&ws=work&seq=1",
      "view=entry&ws=work&seq=3&outcome=refused&agent=codex",
      "view=file&ws=work&file=a.ts",
      "view=net&ws=work&of=agent:codex&layout=split",
      "view=trash",
      "view=health",
    ];
    // An examination takes a second or two of a processor.
    for (const [n, view] of views.filter((_, at) => HEAVY || at % 2 === 1).entries()) {
      await page.emulateMedia({ colorScheme: n % 2 === 0 ? "light" : "dark" });
      await page.evaluate((search) => {
        history.pushState(null, "", `?${search}`);
        dispatchEvent(new PopStateEvent("popstate"));
      }, view);
      await page.waitForFunction(() => !document.body.textContent!.includes("Loading…"));
      expect([view, await seriousIn(page)]).toEqual([view, []]);
    }
    const inside = await page.context().newPage();
    await inside.goto(`${url}/?view=entry&ws=work&seq=4`);
    await inside.waitForSelector(".head h2");
    expect(await inside.textContent(".head")).toContain("another program, noticed by session");
    expect(await inside.locator("text=All of this session").count()).toBe(0);
    await inside.goto(`${url}/?view=entry&ws=work&seq=5`);
    await inside.waitForFunction(() => document.querySelector<HTMLImageElement>(".pictures img")?.naturalWidth === 1);
    expect(await inside.textContent(".pictures")).toContain("nothing");
    await inside.goto(`${url}/?view=file&ws=work&file=a.ts`);
    await inside.click("[aria-label='compare from the version before entry 1']");
    await inside.click("[aria-label='compare to the version of entry 1']");
    await inside.waitForFunction(() => document.querySelector(".line.add")?.textContent?.includes("const two = 2;"));
    expect(await inside.locator(".line.del code").allTextContents()).toEqual(["line 2"]);
    await page.goto(`${url}/?view=entry&ws=work&seq=1`);
    await page.waitForSelector(".diff .line");
    await page.evaluate(axe.source);
    await page.keyboard.press("u");
    await page.waitForSelector("dialog .why");
    expect(await seriousIn(page)).toEqual([]);
    await page.click("dialog >> text=Close");
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await page.locator(".timeline").isVisible()).toBe(false);
    await page.click("text=‹ Timeline");
    await page.waitForSelector(".timeline");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
  },
);

it("keys work for what is shown; what is shown follows what is done, and survives any address", async (context) => {
  const { workspace } = onDisk({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n" }), waived);
  await agent.create("x\u202etxt.exe", "x\n");
  await agent.write("x\u202etxt.exe", "y\n", waived);
  const serving = await openPage(workspace);
  const page = await windowFor(context, serving.link);
  await page.waitForSelector(".live.live");
  await page.keyboard.press("/");
  expect(await page.evaluate(() => document.activeElement!.id)).toBe("search");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.waitForSelector(".head h2");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement!.id)).toBe("detail");
  await page.click("text=Health");
  expect(await page.textContent("section[aria-label=work] dl")).toMatch(/history3 entries, \d versions, \d/);
  await page.goto(`${serving.url}/?view=entry&ws=work&seq=2&agent=other`);
  await page.waitForSelector(".head h2");
  await page.keyboard.press("r");
  await page.waitForSelector(".head [aria-pressed=true]");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .why");
  expect(await page.textContent("body")).not.toContain("\u202e");
  await page.goto(`${serving.url}/?view=net&ws=work&of=agent:codex`);
  await page.waitForSelector(".diff .line.add");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .line.add");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main")!.textContent!.includes("Nothing is left of it"));
  await page.waitForFunction(() => document.querySelectorAll(".entry.taken-back").length === 3);
  await page.waitForSelector(".said[role=status][aria-live=polite]:has-text('Taken back as entry')");
  await page.keyboard.press("j");
  await page.waitForSelector(".entry.applied[aria-selected=true]");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .line.add");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".entry.taken-back").length === 1);
  await page.setViewportSize({ width: 400, height: 800 });
  await page.keyboard.press("Escape");
  await page.waitForSelector(".timeline");
  for (const address of ["agent=codex&since=then", "view=net&ws=work&of=since:then"]) {
    await page.goto(`${serving.url}/?${address}`);
    await page.waitForFunction(() => document.body.textContent!.includes("not a time"));
  }
});
