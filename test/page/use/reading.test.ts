/// <reference lib="dom" />
// Reading the page in a real browser: what is read stays where it is, one way back leads back, silence is noticed, times are typed.
import { rmSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../../support/workspace.ts";
import { openPage } from "../support.ts";
import { useBrowser } from "../windows.ts";

const windowFor = useBrowser();
const waived = { proof: { by: "waived" } } as const;
const LINES = Array.from({ length: 200 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");

const said = (page: Page, words: string) =>
  page.waitForFunction((each) => document.querySelector(".said")!.textContent!.includes(each), words);

it("what is read stays where it is while others change other files; own acts are told as such", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", LINES.map((line) => `new ${line}`).join(""), waived);
  await agent.write("a.txt", LINES.map((line) => `newer ${line}`).join(""), waived);
  const { link, url } = await openPage(workspace);
  const page = await windowFor(context, link.replace("/#", "/?view=file&ws=work&file=a.txt#"));
  await page.waitForSelector(".live.live");
  await page.waitForSelector(".diff .line");
  const scrolled = () => page.evaluate(() => document.querySelector(".diff")!.scrollTop);
  const scroll = () => page.evaluate(() => document.querySelector(".diff")!.scrollTo(0, 900));
  await scroll();
  await page.focus("[aria-label='compare from the version of entry 1']");
  await agent.write("b.txt", "c\n", waived);
  await said(page, "codex changed b.txt.");
  expect(await scrolled()).toBe(900);
  expect(await page.evaluate(() => document.activeElement!.getAttribute("aria-label"))).toContain("entry 1");
  await agent.write("a.txt", "other\n", { ...waived, tool: "write_file" });
  await page.waitForSelector("[aria-label='compare to the version of entry 4']");
  await page.goto(`${url}/?view=entry&ws=work&seq=2`);
  await page.waitForSelector(".live.live");
  await page.waitForSelector(".diff .line");
  await scroll();
  await page.keyboard.press("r");
  await page.waitForSelector(".head [aria-pressed=true]");
  expect(await scrolled()).toBe(900);
  await said(page, "marked as reviewed");

  await agent.write("b.txt", text({ 2: "two\n", 100: "hundred\n" }), waived);
  await agent.write("b.txt", text({ 2: "zwei\n", 100: "cent\n", 150: "x\n" }), waived);
  await page.goto(`${url}/?view=entry&ws=work&seq=7`);
  await page.waitForSelector(".live.live");
  await page.locator("text=Undo this part").nth(1).click();
  await page.click("dialog .acts >> text=Take back");
  await page.waitForSelector(".hunk .tag");
  expect(await page.locator("text=Undo this part").count()).toBe(2);
  expect(await page.textContent(".head")).toContain("a part taken back by8");
  expect(await page.textContent(".entry >> nth=1")).toContain("a part taken back");
  expect(await page.textContent(".entry >> nth=0")).toContain("took back a part of 7");
  await said(page, "Taken back as entry 8: part 2 of b.txt");

  for (const content of ["same\n", "other\n", "same\n"]) await agent.write("b.txt", content, waived);
  await page.goto(`${url}/?view=file&ws=work&file=b.txt`);
  await page.waitForSelector(".diff .line");
  const chosen = (end: string) => page.getAttribute(`input[name=version-${end}]:checked`, "aria-label");
  expect([await chosen("from"), await chosen("to")]).toEqual([
    "compare from the version of entry 10",
    "compare to the version of entry 11",
  ]);
  await page.goto(`${url}/?outcome=note&view=entry&ws=work&seq=5`);
  await page.waitForSelector(".head h2");
  expect(await page.locator(".head >> text=Mark reviewed").count()).toBe(0);
});

it("Back leads back; times are typed by keyboard; a sum is of all that was asked for", async (context) => {
  const [one, two] = [memoryWorkspace({ "a.txt": "a\n" }), memoryWorkspace({ "b.txt": "b\n" })];
  await one.session({ agent: "codex" }).write("a.txt", "b\n", waived);
  await one.session({ agent: "claude" }).write("a.txt", "c\n", waived);
  await two.session({ agent: "codex\u202e" }).write("b.txt", "c\n", waived);
  const { link } = await openPage({ one, two });
  const page = await windowFor(context, link);
  await page.waitForSelector(".entry");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.waitForSelector(".head h2");
  expect(await page.evaluate(() => document.activeElement!.getAttribute("role"))).toBe("listbox");
  await page.goBack();
  await page.waitForSelector("text=Choose an entry");
  await page.fill("#search", "a.txt");
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 2);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 3);

  await page.click("text=Filters");
  expect(
    await page.locator("datalist option").evaluateAll((all) => all.map((each) => each.getAttribute("value"))),
  ).toEqual(expect.arrayContaining(["codex", "claude", "a.txt"]));
  expect(await page.evaluate(() => document.body.innerHTML)).not.toContain("\u202e");
  const from = page.locator("label:has-text('From') input");
  await from.focus();
  await page.keyboard.type("01022025");
  await page.keyboard.type("1200PM");
  expect(new URL(page.url()).searchParams.get("since")).toBeNull();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip");
  expect(new URL(page.url()).searchParams.get("since")).toMatch(/^2025-01-0\dT/);
  expect(await page.locator("button:has-text('All since then in')").count()).toBe(2);
  await page.fill("label:has-text('Agent') input", "codex");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 1);
  await page.click("text=All since then in one");
  await page.waitForFunction(() =>
    document.querySelector(".detail h2")?.textContent?.includes("everything of codex since"),
  );
  expect(await page.textContent(".detail .head")).toContain("in 1 step");
  await one.session({ agent: "codex" }).write("a.txt", "d\n", waived);
  await page.click("text=Add them up too");
  await page.waitForFunction(() => document.querySelector(".detail .head")!.textContent!.includes("in 2 steps"));
});

it("a workspace that is gone hides no other; a server that hangs is noticed; pages out of sight let go", async (context) => {
  const roots = ["r1", "r2"].map((name) => directoryWith({ [`${name}.txt`]: "x\n" }));
  const [one, two] = roots.map((root) => workspaceIn(root));
  for (const [n, each] of [one!, two!].entries())
    await each.session({ agent: "codex" }).write(`r${n + 1}.txt`, "y\n", waived);
  const serving = await openPage({ one: one!, two: two! });
  const page = await windowFor(context, serving.link);
  await page.waitForSelector(".live.live");
  rmSync(join(roots[1]!), { recursive: true });
  await page.reload();
  await page.waitForSelector(".entry");
  await page.waitForSelector(".troubles [role=alert]");
  expect(await page.textContent(".troubles")).toMatch(/^two: /);
  expect(await page.locator(".entry").count()).toBe(1);
  await page.waitForSelector(".live.live");
  await page.goto(`${serving.url}/?since=garbage`);
  await page.waitForSelector(".timeline-side .state.bad");
  expect(await page.textContent(".live")).not.toContain("does not answer");
  await page.click("text=Clear filters");
  await page.waitForSelector(".entry");

  await page.waitForSelector(".live.live");
  const seen = (hidden: boolean) =>
    page.evaluate((now) => {
      Object.defineProperty(document, "hidden", { value: now, configurable: true });
      dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const streams = () =>
    page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/events")).length);
  const before = await streams();
  await seen(true);
  await expect.poll(streams).toBe(before + 1);
  await one!.session({ agent: "codex" }).write("r1.txt", "z\n", waived);
  await seen(false);
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 2);
  const asked = page.waitForRequest((request) => request.url().includes("/events"));
  await seen(true);
  await seen(false);
  // from where it was, and not once more from the beginning
  const after = new URL((await asked).url()).searchParams.get("after")!;
  expect(JSON.parse(decodeURIComponent(after))).toMatchObject({ one: 2 });

  await page.clock.install();
  await page.goto(serving.url);
  await page.waitForSelector(".live.live");
  await page.clock.runFor(24_000);
  expect(await page.textContent(".live")).toBe("live");
  await page.route("**/page/api/events*", (route) => route.abort());
  await page.clock.runFor(2_000);
  await page.waitForSelector(".live.away");
  await page.unroute("**/page/api/events*");
  await page.clock.runFor(2_000);
  await page.waitForSelector(".live.live");
});

it("on a narrow screen everything is in sight, and what is pressed is seen to happen", async (context) => {
  const long = `src/${"very-long-name-".repeat(8)}.ts`;
  const workspace = memoryWorkspace({ [long]: text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write(long, text({ 2: `two ${"x".repeat(300)}\n` }), { ...waived, tool: "edit_file" });
  await agent.read(".env").catch(() => undefined);
  await agent.delete(long, { ...waived, tool: "delete_file" });
  const { link, url } = await openPage(workspace);
  const page = await windowFor(context, link, { viewport: { width: 390, height: 800 }, bypassCSP: true });
  await page.waitForSelector(".live.live");
  const outside = (selector: string) =>
    page.evaluate((each) => {
      const out = [...document.querySelectorAll(each)].filter((one) => {
        const { left, right, width } = one.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth);
      });
      return out.map((one) => one.textContent);
    }, selector);
  expect(await outside(".bar *, .foot *, .filters *")).toEqual([]);
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: here } = window as unknown as { readonly axe: typeof axe };
    return (await here.run()).violations.map(({ id }) => id);
  });
  expect(found).toEqual([]);
  for (const seq of [1, 2]) {
    await page.goto(`${url}/?view=entry&ws=work&seq=${seq}`);
    await page.waitForSelector(".head .acts");
    await page.waitForSelector(seq === 1 ? ".file-head" : ".why");
    expect(await outside(".bar *, .head button, .file-head *")).toEqual([]);
    const cut = await page.evaluate(() => {
      const { bottom } = document.querySelector(".head")!.getBoundingClientRect();
      return document.querySelector(".head .acts")!.getBoundingClientRect().bottom > bottom;
    });
    expect(cut).toBe(false);
  }
  await page.click(".head button:has-text('.env')");
  await page.waitForSelector(".detail h2:has-text('.env')");
  await page.goto(`${url}/?view=entry&ws=work&seq=1`);
  await page.click(".head dd button:has-text('codex')");
  await page.waitForSelector(".timeline .entry");
  expect(new URL(page.url()).searchParams.get("agent")).toBe("codex");
  await page.click(".entry >> nth=0");
  await page.waitForSelector(".head h2");
  await page.goBack();
  await page.waitForSelector(".timeline .entry");
  await page.click("text=Trash");
  await page.waitForSelector("text=Bring back");
  expect(await outside(".list button, .list td")).toEqual([]);
});

it("says so when stet has ended, and what to do", async (context) => {
  const workspace = memoryWorkspace({});
  const page = await openPage(workspace);
  const window = await windowFor(context, page.link);
  await window.waitForSelector(".live.live");
  await page.close();
  await window.waitForSelector(".live.away");
  expect(await window.textContent(".live")).toContain("does not answer");
  await window.click("text=Trash");
  await window.waitForSelector(".state.bad");
  expect(await window.textContent(".state.bad")).toContain("Is it still running?");
});

it("a page that a new stet does not know says so, and what to do", async (context) => {
  const workspace = memoryWorkspace({});
  const first = await openPage(workspace);
  const page = await windowFor(context, first.link);
  await page.waitForSelector(".live.live");
  await first.close();
  await openPage(memoryWorkspace({}), { port: first.port });
  await page.waitForSelector(".locked");
  expect(await page.textContent("[role=alert]")).toContain("open a new link");
});
