// After an install: the client's own check of its servers where it has one, else a handshake of ours.
import { execFile, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { Terminal } from "../options/command.ts";
import type { Asked } from "./asked.ts";
import type { LocalEntry } from "./entry.ts";
import { programPath } from "./entry.ts";

export interface Tried {
  /** Who says so. */
  readonly by: string;
  readonly works: boolean;
  readonly words: string;
}

export async function tryOut(terminal: Terminal, asked: Asked): Promise<Tried | undefined> {
  const told = await checkOfClient(terminal, asked);
  if (told !== undefined) return told;
  const { what } = asked;
  // A running server wants a token, and that is in the client's environment.
  return what.kind === "local" ? handshake(terminal, asked, what) : undefined;
}

const CLIENT_MS = 60_000;
const HANDSHAKE_MS = 20_000;

/** Undefined when the client is not here, or did not try this server. */
async function checkOfClient({ env }: Terminal, { client, name, project }: Asked): Promise<Tried | undefined> {
  if (client.check === undefined || env.PATH === undefined) return undefined;
  const [program, ...args] = client.check;
  const output = await new Promise<string>((resolve) => {
    const options = {
      cwd: project,
      env: env as NodeJS.ProcessEnv,
      timeout: CLIENT_MS,
      shell: process.platform === "win32",
    };
    execFile(program, args, options, (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
  });
  const about = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  const line = stripVTControlCharacters(output)
    .split("\n")
    .find((each) => about.test(each) && STATE.test(each));
  if (line === undefined) return undefined;
  return { by: client.check.join(" "), works: !FAILED.test(line), words: line.trim() };
}

/** A server that waits for approval, or whose folder is not trusted, was not tried. */
const STATE = /connected|fail/i;
const FAILED = /fail|✗/i;

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly message?: string };
  readonly result?: { readonly instructions?: string; readonly tools?: readonly unknown[] };
}

/** Starts it as the client would, in the project, and asks for its tools. */
async function handshake({ env }: Terminal, { client, project }: Asked, entry: LocalEntry): Promise<Tried> {
  const by = "tried out";
  const { command, args, byName } = ownProgram(entry);
  const inPlace = args.map((arg) => arg.replaceAll(client.projectVariable ?? "\0", project));
  const child = spawn(command, inPlace, { cwd: project, env: plainEnvironment(env), stdio: "pipe" });
  const timer = setTimeout(() => child.kill("SIGKILL"), HANDSHAKE_MS);
  let told = "";
  child.stderr.on("data", (data) => {
    told += data;
  });
  child.stdin.on("error", () => {});
  const answers = new Map<unknown, Answer>();
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      told += error.message;
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
    const why = told.trim().split("\n")[0] || answers.get(LIST.id)?.error?.message || "it gave no answer";
    return { by, works: false, words: `the server does not start: ${why}` };
  }
  const npx = byName ? "; whether npx finds the package was not tried" : "";
  const served = /^Nothing is served/.test(answers.get(INITIALIZE.id)?.result?.instructions ?? "")
    ? `, but serves nothing in ${project}`
    : "";
  return { by, works: true, words: `the server starts${served} and has ${tools.length} tools${npx}` };
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
