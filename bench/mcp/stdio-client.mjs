// A client of MCP over stdio, as small as can be, so that what is measured is the server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

/** The protocol version that both servers speak. */
const PROTOCOL = "2025-06-18";

export async function connect({ command, args, env }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  const waiting = new Map();
  let stderr = "";
  let next = 1;
  let rest = "";
  child.stdin.on("error", () => {});
  child.stderr.on("data", (chunk) => {
    stderr = (stderr + chunk).slice(-4000);
  });
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) receive(JSON.parse(line));
  });
  const exited = once(child, "exit").then(([code]) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended with ${code}: ${stderr}`));
  });

  function receive(message) {
    const { resolve, reject } = waiting.get(message.id) ?? {};
    if (resolve === undefined) return;
    waiting.delete(message.id);
    if (message.error === undefined) resolve(message.result);
    else reject(new Error(`${message.error.message}`));
  }

  function send(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function request(method, params) {
    const id = next++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  }

  await request("initialize", {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: "stet-bench", version: "1" },
  });
  send({ method: "notifications/initialized" });
  return {
    pid: child.pid,
    request,
    async call(name, input) {
      const result = await request("tools/call", { name, arguments: input });
      if (!result.isError) return result;
      throw new Error(`${name} was refused: ${result.content[0]?.text}`);
    },
    /** Resident memory of the server and of the processes it keeps, in MiB; NaN where the system does not tell. */
    memory: () => residentMiB(child.pid),
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill(), 5000);
      await exited;
      clearTimeout(late);
    },
  };
}

function residentMiB(pid) {
  try {
    const own = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + residentMiB(Number(child)), own);
  } catch {
    return Number.NaN;
  }
}
