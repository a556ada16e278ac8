// A hostile repository is cloned, and stet is used in it: what is run, and what must hold whatever it brought along.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { stet } from "../../support/cli.ts";
import { tempDir } from "../../support/temp.ts";
import type { Case } from "./cases.ts";
import { CALLS, COMMANDS } from "./commands.ts";
import { CANARY, cloned, git, makeWorld, opensOutside, snapshot, type World } from "./world.ts";

const MAIN = fileURLToPath(new URL("../../../dist/bin/stet.cjs", import.meta.url));
/** Of compiled code, for all of them. */
const CACHE = tempDir();
/** Whatever a repository brings along: a command that takes longer hangs. */
const LONGEST_MS = 10_000;

export function clonedFrom({ inRepository, inClone }: Case): World {
  const world = makeWorld();
  const { origin, clone } = world;
  mkdirSync(join(origin, "src"));
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(origin, path), text);
  inRepository?.(world);
  cloned(origin, clone);
  inClone?.(world);
  return world;
}

const FILES = {
  "README.md": "hello\n",
  "src/main.txt": "main\n",
  "src/moved.txt": "moved\n",
  "src/deleted.txt": "deleted\n",
};

/** As if it had come without git, in an archive that keeps permissions. */
export function disguised({ clone }: World): void {
  const state = join(clone, ".stet");
  if (!existsSync(state)) return;
  git(clone, "rm", "-r", "-q", "--cached", ".stet");
  const close = (path: string): void => {
    const stat = lstatSync(path);
    if (stat.isDirectory()) for (const name of readdirSync(path)) close(join(path, name));
    if (!stat.isSymbolicLink()) chmodSync(path, stat.isDirectory() ? 0o700 : 0o600);
  };
  close(state);
}

/** Those that no tool may change, in the clone and outside of it. */
export function untouchable(world: World): Map<string, string> {
  const own = [world.register, join(world.clone, ".stet")];
  const changeable = (path: string): boolean =>
    own.includes(path) || (path.startsWith(`${world.clone}/`) && !DENIED.test(path.slice(world.clone.length)));
  const all = snapshot(world.parent, (path) => own.includes(path) || path === join(world.clone, ".git/index"));
  return new Map([...all].filter(([path]) => !changeable(path)));
}

const DENIED = /^\/(?:\.git|\.mcp\.json|stet\.config\.json|(?:.*\/)?\.env)(?:\/|$)/;

interface Said {
  readonly what: string;
  readonly code: number;
  readonly text: string;
}

export async function ran(world: World, args: readonly string[]): Promise<Said> {
  const began = performance.now();
  const env = { HOME: world.home, STET_REGISTER: world.register, USER: "person" };
  const { code, out, err } = await stet(args, { cwd: world.clone, env });
  const what = `stet ${args.join(" ").slice(0, 80)}`;
  expect(performance.now() - began, what).toBeLessThan(LONGEST_MS);
  const text = out + err;
  expect([0, 1, 2], `${what}: ${text.slice(0, 2000)}`).toContain(code);
  expect(text, what).not.toContain("a defect in stet");
  expect(text, what).not.toContain(CANARY);
  expect(text, what).not.toMatch(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
  );
  return { what, code, text };
}

/** "some": a third of them, beginning with another one each time. */
export async function everything(world: World, how: "all" | "some" = "all"): Promise<Said[]> {
  const said: Said[] = [];
  const from = turn++;
  const isAsked = (item: unknown, n: number): boolean => how === "all" || n % 3 === from % 3 || isAlways(item);
  const outside = await opensOutside(world, async () => {
    for (const args of COMMANDS.filter(isAsked)) said.push(await ran(world, args));
    for (const [surface, tool, input] of CALLS.filter(isAsked)) {
      said.push(await ran(world, ["call", "--surface", surface, tool, JSON.stringify(input)]));
    }
  });
  expect(outside).toEqual([]);
  return said;
}

let turn = 0;

const isAlways = (item: unknown): boolean => Array.isArray(item) && item.includes("create_file");

/** A server as a process, spoken to over stdio, or asked whether it is there. */
export async function served(world: World, command: "mcp" | "serve"): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: world.home, STET_REGISTER: world.register, XDG_CACHE_HOME: CACHE };
  const child = spawn(process.execPath, [MAIN, command, ...(command === "serve" ? ["--port", "0"] : [])], {
    cwd: world.clone,
    env,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const hangs = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text) && child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  if (command === "mcp") {
    const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.on("error", () => undefined);
    const clientInfo = { name: "test", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    send({ method: "notifications/initialized" });
    const calls = [
      ["read_file", { path: ".env" }],
      ["read_file", { path: "README.md" }],
      ["search_files", { query: "hello", mode: "text" }],
      ["create_file", { path: "served.txt", content: "x\n" }],
    ] as const;
    for (const [n, [name, args]] of calls.entries()) {
      send({ id: n + 2, method: "tools/call", params: { name, arguments: args } });
    }
    for (const n of calls.keys()) await until(new RegExp(`"id":${n + 2}\\b`));
    child.stdin.end();
  } else {
    await until(/http:\/\/127/);
    child.kill("SIGTERM");
  }
  await ended;
  clearTimeout(hangs);
  expect(child.signalCode, `${command} hangs: ${text}`).not.toBe("SIGKILL");
  expect(text).not.toContain(CANARY);
  expect(text).not.toContain("a defect in stet");
  return text;
}

/** What the hostile repository wanted most of all. */
export function commitRunsNoHook({ clone }: World): void {
  writeFileSync(join(clone, "README.md"), "committed\n");
  git(clone, "commit", "-q", "-m", "work", "--only", "README.md");
  expect(existsSync(join(clone, "owned-by-hook"))).toBe(false);
}

export const shipsState = ({ clone }: World): boolean => existsSync(join(clone, ".stet"));
