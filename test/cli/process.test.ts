// The built command line as a process: clean stdout under mcp, a server that says where it is, pipes that close early.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { stet as inProcess } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const children: ChildProcessWithoutNullStreams[] = [];

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

function start(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: "/nonexistent", STET_STATE: process.env.STET_STATE, ...env },
  });
  children.push(child);
  const seen = { out: "", err: "" };
  child.stdout.on("data", (data: Buffer) => {
    seen.out += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    seen.err += data.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(seen.out)) {
      await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended]);
      if (child.exitCode !== null && !pattern.test(seen.out)) throw new Error(`it ended: ${seen.err}`);
    }
    return seen.out;
  };
  return { child, seen, ended, until };
}

describe("stet mcp", () => {
  it("writes nothing but JSON-RPC to stdout, notes to stderr, and ends with its client", async () => {
    const cwd = directoryWith({ "a.txt": "hello\n" });
    const { child, seen, ended, until } = start(["mcp"], cwd, { STET_READONLY: "1" });
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "test", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    await until(/"id":1/);
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "read_file", arguments: { path: "a.txt" } } });
    await until(/"id":2/);
    child.stdin.end();
    expect(await ended).toBe(0);
    const messages = seen.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(messages.find(({ id }) => id === 2).result.content[0].text).toContain("hello");
    expect(seen.err).toBe("stet: The environment variable STET_READONLY means nothing to stet.\n");
  });

  it("refuses to start on a malformed configuration, before a word of protocol", async () => {
    const cwd = directoryWith({ "stet.config.json": "{\n  frob\n}" });
    const { seen, ended } = start(["mcp"], cwd);
    expect(await ended).toBe(1);
    expect(seen.out).toBe("");
    expect(seen.err).toContain(`${join(cwd, "stet.config.json")}:2:3: not valid JSON`);
  });
});

describe("stet serve", () => {
  it("prints address, token and a client configuration that works, and ends when asked", async () => {
    const cwd = directoryWith({ "a.txt": "over http\n" });
    const { child, seen, ended, until } = start(["serve", "--port", "0", "--surface", "anchors"], cwd);
    const out = await until(/Ctrl-C ends it/);
    const shown = JSON.parse(out.slice(out.indexOf("\n{\n") + 1, out.lastIndexOf("\n}\n") + 2)).mcpServers.stet;
    expect(out).toContain(`token    ${shown.headers.Authorization.slice("Bearer ".length)}`);
    expect(out.match(/Bearer/g)).toHaveLength(1);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(shown.url), { requestInit: { headers: shown.headers } }),
    );
    const result = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
    expect(JSON.stringify(result.content)).toContain("over http");
    await client.close();
    expect((await fetch(shown.url, { method: "POST" })).status).toBe(401);
    child.kill("SIGTERM");
    expect([await ended, seen.err]).toEqual([0, ""]);
  });

  it("takes another port when the usual one is taken, but never when one was named", async () => {
    const cwd = directoryWith({ tokens: "alice 0123456789abcdef0123\n" });
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    const named = await inProcess(["serve", "--port", String(port)], { cwd });
    expect(named).toMatchObject({ code: 1, out: "" });
    expect(named.err).toContain(`port ${port}: it is in use`);
    await new Promise((resolve) => taken.close(resolve));

    const usual = createServer();
    const isOurs = await new Promise<boolean>((resolve) =>
      usual.once("error", () => resolve(false)).listen(4100, "127.0.0.1", () => resolve(true)),
    );
    const ending = new AbortController();
    const own = await inProcess(["serve", "--token-file", "tokens"], { cwd });
    expect(own).toMatchObject({ code: 1, out: "" });
    expect(own.err).toContain("port 4100: it is in use");
    expect(own.err).toContain("others than its owner can read or change the token file: chmod 600");
    const ran = await inProcess(["serve", "--json"], {
      cwd,
      signal: ending.signal,
      onOut: () => ending.abort(),
    });
    if (isOurs) await new Promise((resolve) => usual.close(resolve));
    expect(ran.code).toBe(0);
    expect(ran.json()).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      surface: "workspace",
      roots: [{ path: expect.any(String) }],
    });
    expect(ran.json().port).not.toBe(4100);
    expect(ran.err).toContain("port 4100 is in use; took a free one");
  });

  it("refuses a public address without a token, a bad token file, and closes what it opened", async () => {
    const cwd = directoryWith({ tokens: "short\n" });
    const open = await inProcess(["serve", "--host", "0.0.0.0", "--port", "0"], { cwd });
    expect(open).toMatchObject({ code: 1, out: "" });
    expect(open.err).toContain("no token was given");
    expect((await inProcess(["serve", "--token-file", "tokens", "--port", "0"], { cwd })).err).toContain("too short");
    expect((await inProcess(["serve", "--token-file", "none", "--port", "0"], { cwd })).err).toContain(
      "cannot be read",
    );
    const env = { STET_TOKEN: "0123456789abcdef0123" };
    const ending = new AbortController();
    const given = await inProcess(["serve", "--port", "0", "--host", "0.0.0.0"], {
      cwd,
      env,
      signal: ending.signal,
      onOut: () => ending.abort(),
    });
    expect(given.code).toBe(0);
    expect(given.out).toContain("token    the one you gave");
    expect(given.out).not.toContain(env.STET_TOKEN);
  });
});

describe("pipes", () => {
  it("a reader that goes away early is nobody's fault", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    writeFileSync(join(cwd, "big.json"), "");
    const { child, seen, ended } = start(["tools", "--json"], cwd);
    child.stdout.destroy();
    expect([await ended, seen.err]).toEqual([0, ""]);
  });
});
