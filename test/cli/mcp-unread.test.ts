// A client that does not read: the server ends all the same when it is told to, or when its input ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

describe("answers that nobody reads", () => {
  it.each(["end", "SIGTERM"] as const)("do not keep the process after %s", async (how) => {
    const root = directoryWith({ "large.txt": "a line of text\n".repeat(15_000) });
    const child = spawn(process.execPath, [MAIN, "mcp", root], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "deaf", version: "1" } };
    send({ id: 0, method: "initialize", params });
    await once(child.stdout, "readable");
    child.stdout.read();
    for (let id = 1; id < 12; id++) {
      send({ id, method: "tools/call", params: { name: "read_file", arguments: { path: "large.txt" } } });
    }
    await once(child.stdout, "readable");
    if (how === "end") child.stdin.end();
    else child.kill(how);
    expect(await exited).toEqual([0, null]);
    child.stdout.destroy();
  });
});
