// Many clients of one HTTP server at once: every answer comes, goes to whoever asked, and no session knows what another has read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "../stats.mjs";
import { tell } from "./figures.mjs";
import { connect } from "./http-client.mjs";
import { program } from "./servers.mjs";

export async function manyClients(base, { clients, callsEach }) {
  const root = join(base, "http");
  mkdirSync(root, { recursive: true });
  for (let n = 0; n < clients; n++) {
    for (let file = 0; file < callsEach; file++) writeFileSync(join(root, nameOf(n, file)), contentOf(n, file));
  }
  const server = await serve(root);
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients * callsEach });
  try {
    const connected = await Promise.all(Array.from({ length: clients }, () => connect(server, agent)));
    const sessions = new Set(connected.map(({ session }) => session)).size;
    // What each one edits later, it reads now; nobody reads what is another's.
    for (const [n, client] of connected.entries()) await client.call("Read", { file_path: nameOf(n, 0) });
    const begin = performance.now();
    const outcomes = await Promise.all(
      connected.flatMap((client, n) =>
        Array.from({ length: callsEach }, (_, turn) => oneCall(client, n, turn, clients)),
      ),
    );
    const seconds = (performance.now() - begin) / 1000;
    report(outcomes, { clients, sessions, seconds, edited: editedRightly(root, clients) });
  } finally {
    agent.destroy();
    await server.close();
  }
}

/** The last two calls of each client: an edit of its own file, and one of its neighbour's, which it has not read. */
async function oneCall(client, n, turn, clients) {
  const begin = performance.now();
  const outcome = await answered(client, n, turn, clients).catch((error) => ({ lost: error.message }));
  return { ...outcome, ms: performance.now() - begin };
}

async function answered(client, n, turn, clients) {
  if (turn > 1) {
    const { content, isError } = await client.call("Read", { file_path: nameOf(n, turn) });
    const right = !isError && content[0].text.includes(contentOf(n, turn).trim());
    return right ? {} : { crossed: content[0].text };
  }
  const whose = turn === 0 ? n : (n + 1) % clients;
  const { isError, content } = await client.call("Edit", {
    file_path: nameOf(whose, 0),
    old_string: `client ${whose} `,
    new_string: `client ${whose}, edited by ${n} `,
  });
  const wanted = turn === 0 ? !isError : isError === true;
  return wanted ? {} : { crossed: content[0].text };
}

function editedRightly(root, clients) {
  const right = Array.from({ length: clients }, (_, n) => {
    const text = readFileSync(join(root, nameOf(n, 0)), "utf8");
    return text === contentOf(n, 0).replace(`client ${n} `, `client ${n}, edited by ${n} `);
  });
  return right.filter(Boolean).length;
}

function report(outcomes, { clients, sessions, seconds, edited }) {
  const lost = outcomes.filter((outcome) => outcome.lost !== undefined);
  const crossed = outcomes.filter((outcome) => outcome.crossed !== undefined);
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  tell(`${outcomes.length} calls at once over HTTP`, {
    clients,
    sessions,
    lost: lost.length,
    crossed: crossed.length,
    "edited rightly": edited,
    "calls/s": (outcomes.length / seconds).toFixed(0),
    "median ms": median(times).toFixed(0),
    "slowest ms": times.at(-1).toFixed(0),
  });
  const wrong = [...lost.map(({ lost }) => lost), ...crossed.map(({ crossed }) => crossed)];
  if (wrong.length === 0 && edited === clients && sessions === clients) return;
  console.log(`  ${[...new Set(wrong)].slice(0, 5).join("\n  ")}`);
  process.exitCode = 1;
}

async function serve(root) {
  const child = spawn(process.execPath, [program, "serve", root, "--port", "0", "--json", "--surface", "tracked"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(([code]) => Promise.reject(new Error(`stet serve ended with ${code}.`))),
  ]);
  const { url, token } = JSON.parse(line);
  return {
    url,
    token,
    async close() {
      child.kill();
      await exited;
    },
  };
}

function nameOf(client, file) {
  return `client-${client}-file-${file}.txt`;
}

function contentOf(client, file) {
  return `This belongs to client ${client} and is its file ${file}.\n`;
}
