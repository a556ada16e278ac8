// Tries an installed server out: starts it as the client would and asks for its tools.
import { spawn } from "node:child_process";
import type { Terminal } from "../options/command.ts";
import type { Asked } from "./asked.ts";
import { type LocalEntry, programPath } from "./entry.ts";

export interface Tried {
  readonly works: boolean;
  readonly words: string;
}

const HANDSHAKE_MS = 20_000;

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly message?: string };
  readonly result?: { readonly instructions?: string; readonly tools?: readonly unknown[] };
}

/** In the project. A running server is not tried: it wants a token, and that is in the client's environment. */
export async function tryOut({ env }: Terminal, { client, project, what }: Asked): Promise<Tried | undefined> {
  if (what.kind !== "local") return undefined;
  const { command, args, byName } = ownProgram(what);
  const inPlace = args.map((arg) => arg.replaceAll(client.projectVariable ?? "\0", project));
  const child = spawn(command, inPlace, { cwd: project, env: plainEnvironment(env), stdio: "pipe" });
  const timer = setTimeout(() => child.kill("SIGKILL"), HANDSHAKE_MS);
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdin.on("error", () => {});
  const answers = new Map<unknown, Answer>();
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      stderr += error.message;
      resolve();
    });
    child.on("close", () => resolve());
  });
  eachLine(child.stdout, (line) => {
    const answer = answerIn(line);
    answers.set(answer.id, answer);
    // The end of its input ends a server.
    if (answer.id === LIST.id) child.stdin.end();
  });
  for (const message of [INITIALIZE, INITIALIZED, LIST]) child.stdin.write(`${JSON.stringify(message)}\n`);
  await ended;
  clearTimeout(timer);
  const tools = answers.get(LIST.id)?.result?.tools;
  if (tools === undefined) {
    const why = stderr.trim().split("\n")[0] || answers.get(LIST.id)?.error?.message || "it gave no answer";
    return { works: false, words: `the server does not start: ${why}` };
  }
  const npx = byName ? "; whether npx finds the package was not tried" : "";
  const served = /^Nothing is served/.test(answers.get(INITIALIZE.id)?.result?.instructions ?? "")
    ? `, but serves nothing in ${project}`
    : "";
  return { works: true, words: `the server starts${served} and has ${tools.length} tools${npx}` };
}

/** By its package name it would come from a registry: that it starts with these arguments can be seen without. */
function ownProgram({ command, args }: LocalEntry): { command: string; args: readonly string[]; byName: boolean } {
  const at = args.indexOf("mcp");
  if (command === process.execPath) return { command, args, byName: false };
  return { command: process.execPath, args: [programPath(), ...args.slice(at)], byName: true };
}

/** Clients do not have the settings of this shell. */
function plainEnvironment(env: Terminal["env"]): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("STET_") || name === "STET_STATE");
  return Object.fromEntries(kept);
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (data: string) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  });
}

function answerIn(line: string): Answer {
  try {
    return (JSON.parse(line) ?? {}) as Answer;
  } catch {
    return {};
  }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stet install", version: "1" } },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
