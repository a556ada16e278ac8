// Servers of one database, and agents that call them over HTTP as any MCP client does; when a server is gone, an agent goes on at another one.
import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

/** A command of a person: what it printed. */
export async function stet(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args]);
  return stdout;
}

export async function startServer(config) {
  const child = spawn(process.execPath, [PROGRAM, "serve", "--config", config, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const ready = new Promise((resolve) => child.stdout.setEncoding("utf8").once("data", resolve));
  const line = await Promise.race([ready, ended.then(() => undefined)]);
  if (line === undefined) throw new Error("a server did not start");
  return {
    url: JSON.parse(line).url,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

export function createAgent(name, token, servers) {
  let at = 0;
  let id = 0;
  const agent = {
    name,
    movedOn: 0,
    at(server) {
      at = server;
      return agent;
    },
    /** When the server dies, what came of the call is not known: it is "lost", and the agent has moved on. */
    async call(tool, input) {
      try {
        return await send(servers[at % servers.length].url, token, ++id, tool, { workspace: "shop", ...input });
      } catch {
        at += 1;
        agent.movedOn += 1;
        return { ok: false, lost: true, text: "" };
      }
    },
  };
  return agent;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function send(url, token, id, tool, input) {
  const params = { name: tool, arguments: input, _meta: META };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
  });
  const body = await response.text();
  const { result, error } = JSON.parse(body.startsWith("{") ? body : /^data: (\{.*)$/m.exec(body)[1]);
  const text = result?.content?.[0]?.text ?? error?.message ?? "";
  return { ok: result !== undefined && result.isError !== true, text };
}
