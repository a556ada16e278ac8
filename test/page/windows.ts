/// <reference lib="dom" />
// Windows of a real browser, each let in or not yet. What the browser complains about in any of them fails the file.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext } from "vitest";
import { startBrowser } from "../../scripts/browser.mjs";

/** One browser for all files of a worker, which ends with its process. */
const shared = globalThis as { testBrowser?: ReturnType<typeof startBrowser> };

/** Opens one; skips the test where there is no browser. */
export type WindowFor = (context: TestContext, link: string, options?: BrowserContextOptions) => Promise<Page>;

/** For the tests of one file: to be called outside of them. */
export function useBrowser(): WindowFor {
  let browser: Browser | string = "";
  /** Each is a fault of the page. */
  const troubles: string[] = [];
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    shared.testBrowser ??= startBrowser();
    browser = await shared.testBrowser;
    if (typeof browser === "string") console.warn(`Not tested in a browser: ${browser}`);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(contexts.map((each) => each.close()));
    expect(troubles).toEqual([]);
  });

  return async (context, link, options = {}) => {
    if (typeof browser === "string") return context.skip(browser);
    const made = await browser.newContext({ viewport: { width: 1300, height: 800 }, ...options });
    contexts.push(made);
    const page = await made.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" && !/40[0139]|ERR_/.test(message.text())) troubles.push(message.text());
    });
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("dialog", (dialog) => {
      troubles.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`CSP: ${event.violatedDirective} ${event.sourceFile}`),
      );
    });
    await page.goto(link);
    return page;
  };
}
