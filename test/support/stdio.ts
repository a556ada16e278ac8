// `stet mcp` as a process of its own, spoken to line by line.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { tempDir } from "./temp.ts";

export const PROGRAM = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

export interface Message {
  readonly jsonrpc: string;
  readonly id: number | string | null;
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly code: number };
}

/** Nothing of it is the user's own. */
export const CLEAN_ENV = { STET_STATE: process.env.STET_STATE ?? "", HOME: tempDir() };

export function startProcess(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, args, {
    env: { ...process.env, ...CLEAN_ENV, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const messages = () => {
    const lines = output.stdout.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Message);
  };
  return {
    process: child,
    ended: once(child, "close"),
    send: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    /** Until it has said so many lines. */
    async line(n: number): Promise<void> {
      while (output.stdout.split("\n").length <= n) await once(child.stdout, "data");
    },
    /** Until it has answered this request. */
    async answer(id: number | string): Promise<Message> {
      for (;;) {
        const found = messages().find((each) => each.id === id);
        if (found !== undefined) return found;
        await once(child.stdout, "data");
      }
    },
    messages,
    stderr: () => output.stderr,
  };
}

/** What a client of 2025 says first. */
export const INITIALIZE_STDIO = {
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a-client", version: "1.2.3" } },
};
