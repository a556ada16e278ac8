import type { Browser } from "playwright-core";

/** A Chromium that runs, or why there is none, in words. */
export function startBrowser(): Promise<Browser | string>;
