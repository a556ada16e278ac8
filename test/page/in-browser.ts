/// <reference lib="dom" />
// What is done in or beside a window of the page: a change by another process, an examination, a client that shows the review.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** When it was done. */
export async function changedElsewhere(...args: readonly string[]): Promise<number> {
  const worker = fileURLToPath(new URL("change-worker.mjs", import.meta.url));
  const other = spawn(process.execPath, [worker, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve) => other.stdout.on("data", (data) => resolve(Number(data))));
}

export async function seriousIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe: here } = window as unknown as { readonly axe: typeof axe };
    const { violations } = await here.run();
    const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`);
  });
}
