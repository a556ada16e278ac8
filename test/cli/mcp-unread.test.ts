// A client that does not read, or slowly: it gets its last answers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

describe.concurrent("answers that are read late and slowly", () => {
  it.each(["end", "SIGTERM"] as const)("arrive all the same after %s", async (how) => {
    const { child, exited } = await asked();
    child.stdin.end();
    await pause(1200);
    if (how === "SIGTERM") child.kill(how);
    await pause(50);
    let text = "";
    child.stdout.setEncoding("utf8").on("data", async (chunk: string) => {
      text += chunk;
      child.stdout.pause();
      await pause(20);
      child.stdout.resume();
    });
    await once(child, "close");
    expect(await exited).toEqual([0, null]);
    const ids = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, n) => n + 1));
  });
});

const CALLS = 11;

/** A server that has begun to answer calls with 200 KB each, of which nothing has been read. */
async function asked() {
  const root = directoryWith({ "large.txt": "a line of text\n".repeat(6_000) });
  const child = spawn(process.execPath, [MAIN, "mcp", root], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "deaf", version: "1" } };
  send({ id: 0, method: "initialize", params });
  await once(child.stdout, "readable");
  child.stdout.read();
  for (let id = 1; id <= CALLS; id++) {
    send({ id, method: "tools/call", params: { name: "read_file", arguments: { path: "large.txt" } } });
  }
  await once(child.stdout, "readable");
  return { child, exited };
}
