// Work in a worker ends with the program that asked for it, however that ends, and not only when it is done.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { tempDir } from "../../support/temp.ts";

const MAIN = fileURLToPath(new URL("../../../dist/bin/stet.cjs", import.meta.url));
const lines = Array.from({ length: 400_000 }, (_, n) => `line ${n} of this\n`).join("");
/** Each of them is looked for in the whole text: many seconds of work. */
const edits = Array.from({ length: 1000 }, (_, n) => ({ oldText: `line ${n * 399} of`, newText: "x" }));

// It looks at /proc.
it.skipIf(process.platform !== "linux")("also when that is killed while it works", async () => {
  const root = tempDir();
  writeFileSync(join(root, "a"), lines);
  const env = { PATH: process.env.PATH, HOME: tempDir(), STET_STATE: process.env.STET_STATE };
  const server = spawn(process.execPath, [MAIN, "mcp", root], { env, stdio: ["pipe", "ignore", "ignore"] });
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  const expectedSha256 = createHash("sha256").update(lines).digest("hex");
  const input = { path: "a", edits, expectedSha256 };
  send({ id: 2, method: "tools/call", params: { name: "edit_file", arguments: input } });
  const helpers = (): string[] => {
    const pids = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ");
    return pids.filter((pid) => pid !== "" && /\bworker\.c?js\b/.test(commandOf(pid)));
  };
  let [helper] = helpers();
  for (let n = 0; n < 500 && helper === undefined; n++) {
    await wait(20);
    [helper] = helpers();
  }
  expect(helper).toBeDefined();
  // Until it works: what it was sent has to reach it first.
  for (let n = 0; n < 500 && workedBy(helper!) < 50; n++) await wait(20);
  expect(isAlive(helper!)).toBe(true);
  server.kill("SIGKILL");
  for (let n = 0; n < 500 && isAlive(helper!); n++) await wait(20);
  const survives = isAlive(helper!);
  if (survives) process.kill(Number(helper), "SIGKILL");
  expect(survives).toBe(false);
});

function commandOf(pid: string): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function isAlive(pid: string): boolean {
  const file = `/proc/${pid}/status`;
  return existsSync(file) && !/^State:\s+[ZX]/m.test(readFileSync(file, "utf8"));
}

/** In hundredths of a second of a processor. */
function workedBy(pid: string): number {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(") ")[1]!.split(" ")[11]) : 0;
}
