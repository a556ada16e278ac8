// The servers under load, each with a probe inside: ten of `stet mcp`, as ten clients start them, or one over HTTP.
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { connect as connectOverHttp } from "../mcp/http-client.mjs";
import { program } from "../mcp/servers.mjs";
import { connect as connectOnStdio } from "../mcp/stdio-client.mjs";

const PROBE = fileURLToPath(new URL("probe.cjs", import.meta.url));

export async function onStdio(root, base, sessions) {
  const all = await Promise.all(
    Array.from({ length: sessions }, async (_, n) => {
      const { args, env, probe } = probed(["mcp", root], join(base, `probe-${n}`));
      return { client: await connectOnStdio({ command: process.execPath, args, env }), probe };
    }),
  );
  return {
    sessions: all.map(({ client }) => ({ request: client.request })),
    probe: (snapshot) => Promise.all(all.map(({ probe }, n) => probe(snapshot && `${snapshot}-${n}.heapsnapshot`))),
    close: () => Promise.all(all.map(({ client }) => client.close())),
  };
}

export async function overHttp(root, base, sessions) {
  const { args, env, probe } = probed(["serve", root, "--port", "0"], join(base, "probe"));
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const url = await addressIn(child.stdout);
  const agent = new http.Agent({ keepAlive: true });
  const token = env.STET_TOKEN;
  const clients = [];
  for (let n = 0; n < sessions; n++) clients.push(await connectOverHttp({ url, token }, agent));
  return {
    sessions: clients.map(({ call }) => ({ request: (_method, { name, arguments: input }) => call(name, input) })),
    probe: async (snapshot) => [await probe(snapshot && `${snapshot}.heapsnapshot`)],
    async close() {
      agent.destroy();
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

function probed(command, socket) {
  return {
    args: ["--expose-gc", "--require", PROBE, program, ...command],
    env: { SOAK_PROBE: socket, STET_DURABILITY: "fast", STET_TOKEN: "soak-0123456789abcdef0123456789" },
    probe: (snapshot = "") => ask(socket, snapshot),
  };
}

async function ask(path, line) {
  const socket = net.connect(path);
  socket.write(`${line}\n`);
  const [data] = await once(socket, "data");
  socket.end();
  return JSON.parse(data.toString());
}

async function addressIn(output) {
  for await (const line of createInterface({ input: output })) {
    const found = /http:\/\/\S+\/mcp/.exec(line);
    if (found === null) continue;
    output.resume();
    return found[0];
  }
  throw new Error("The server told no address.");
}
