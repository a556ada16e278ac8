// While one caller's call works, the server answers all others; a call whose time is up changes nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const TOKENS = { busy: "0123456789abcdef-busy", other: "0123456789abcdef-other" };
const lines = Array.from({ length: 200_000 }, (_, n) => `line ${n} of this\n`).join("");
/** Each of them is looked for in the whole text: some seconds of work. */
const edits = Array.from({ length: 120 }, (_, n) => ({ oldText: `line ${n * 1599} of`, newText: "x" }));
const expectedSha256 = createHash("sha256").update(lines).digest("hex");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function served(args: readonly string[] = []) {
  const root = tempDir();
  writeFileSync(join(root, "a.txt"), lines);
  writeFileSync(join(root, "b.txt"), "small\n");
  const tokens = join(tempDir(), "tokens");
  writeFileSync(tokens, `busy ${TOKENS.busy}\nother ${TOKENS.other}\n`, { mode: 0o600 });
  const child: ChildProcess = spawn(
    process.execPath,
    [MAIN, "serve", "--port", "0", "--token-file", tokens, "--root", root, ...args],
    { env: { PATH: process.env.PATH, HOME: "/nonexistent", STET_STATE: process.env.STET_STATE } },
  );
  closing.push(() => child.kill("SIGKILL"));
  let said = "";
  while (!/http:\/\/[^\s]+/.test(said)) said += String((await once(child.stdout!, "data"))[0]);
  return { root, url: new URL(/http:\/\/[^\s]+/.exec(said)![0]) };
}

async function connected(url: URL, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  closing.push(() => client.close());
  return client;
}

it("answers health checks and another token's reads while a call works", async () => {
  const { url } = await served();
  const busy = await connected(url, TOKENS.busy);
  const other = await connected(url, TOKENS.other);
  let isDone = false;
  const edited = busy.callTool({ name: "edit_file", arguments: { path: "a.txt", edits, expectedSha256 } });
  void edited.finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    const read = await other.callTool({ name: "read_file", arguments: { path: "b.txt" } });
    expect(JSON.stringify(read)).toContain("small");
    if (!isDone) answered++;
  }
  expect(answered).toBeGreaterThan(5);
  expect(JSON.stringify((await edited).content)).toMatch(/120 replacements|took longer than 15 s/);
});
