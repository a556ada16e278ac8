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

/** As the specification has it: the policy where none is declared, the handshake, then the result. */
export function playHost([html, params]: readonly [string, unknown]): void {
  const frame = document.querySelector("iframe")!;
  const inline = "'self' 'unsafe-inline'";
  const policy = `default-src 'none'; script-src ${inline}; style-src ${inline}; img-src data:; connect-src 'none'`;
  const post = (message: object): void => frame.contentWindow!.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", ({ data }) => {
    const result = { protocolVersion: "2026-01-26", hostContext: { theme: "dark" } };
    if (data.method === "ui/initialize") post({ id: data.id, result });
    if (data.method === "ui/notifications/initialized") post({ method: "ui/notifications/tool-result", params });
  });
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}
