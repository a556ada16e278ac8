// Tries a server out before it is installed: starts it as the client would and asks for its tools.
import { spawnSync } from "node:child_process";
import { Refusal } from "../../core/failure.ts";
import type { Terminal } from "../options/command.ts";
import { installed } from "../version.ts";
import type { Asked } from "./asked.ts";

const HANDSHAKE_MS = 20_000;

/** In the project: what was found, in words; refuses where it does not start. A running server is not tried: it wants a token, and that is in the client's environment. */
export function tryOut({ env }: Terminal, { client, project, start, args }: Asked): string | undefined {
  if (start === undefined) return undefined;
  const inPlace = args.map((arg) => arg.replaceAll(client.projectVariable ?? "\0", project));
  const { stdout, stderr, error } = spawnSync(process.execPath, [installed().program, ...inPlace], {
    cwd: project,
    // Clients do not have the settings of this shell.
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !/^STET_(?!STATE$)/.test(name))),
    input: CALLS.map((call) => `${JSON.stringify(call)}\n`).join(""),
    encoding: "utf8",
    timeout: HANDSHAKE_MS,
    killSignal: "SIGKILL",
  });
  const answers = new Map(
    (stdout ?? "")
      .split("\n")
      .map(answerIn)
      .map((answer) => [answer.id, answer]),
  );
  const [initialized, listed] = CALLS.map(({ id }) => answers.get(id));
  const tools = listed?.result?.tools;
  if (tools === undefined) {
    const why = stderr?.trim().split("\n")[0] || listed?.error?.message || error?.message || "it gave no answer";
    throw new Refusal("invalid_input", `The server would not start, and nothing was written: ${why}`, {
      next: "Correct that, or write it all the same with --no-check.",
    });
  }
  const isIdle = /^Nothing is served/.test(initialized?.result?.instructions ?? "");
  const served = isIdle ? `, but serves nothing in ${project}` : "";
  // By its name it would come from a registry: that it starts with these arguments can be seen without.
  const npx = start.command === process.execPath ? "" : "; whether npx finds the package was not tried";
  return `the server starts${served} and has ${tools.length} tools${npx}`;
}

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly message?: string };
  readonly result?: { readonly instructions?: string; readonly tools?: readonly unknown[] };
}

function answerIn(line: string): Answer {
  try {
    return (JSON.parse(line) ?? {}) as Answer;
  } catch {
    return {};
  }
}

const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stet install", version: "1" } };
/** The end of its input ends the server, when it has answered. */
const CALLS = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: CLIENT },
  { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
];
