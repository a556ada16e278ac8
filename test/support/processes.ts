// Real child processes that run the built package.
import { type ChildProcess, spawn } from "node:child_process";
import { inOneFile } from "./one-file.ts";

export const HEAVY = process.env.STET_HEAVY === "1";

/** Starts `test/support/NAME.mjs`; it imports from dist/, so the package has to be built. */
export function startWorker(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const script = inOneFile(new URL(`${name}.mjs`, import.meta.url));
  return spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
}

/** What a worker printed, once it has ended by itself. */
export function finished(child: ChildProcess): Promise<string> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (data) => {
    out += data;
  });
  child.stderr?.on("data", (data) => {
    err += data;
  });
  return new Promise((resolve, reject) => {
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`worker ended with ${code}: ${err}`))));
  });
}

/** Kills with SIGKILL `ms` after the first sign of life, and gives what had been printed until then. */
export function killedAfter(child: ChildProcess, ms: number): Promise<string> {
  let out = "";
  let err = "";
  child.stdout?.once("data", () => setTimeout(() => child.kill("SIGKILL"), ms));
  child.stdout?.on("data", (data) => {
    out += data;
  });
  child.stderr?.on("data", (data) => {
    err += data;
  });
  return new Promise((resolve, reject) => {
    child.on("close", (code, signal) =>
      signal === "SIGKILL" ? resolve(out) : reject(new Error(`worker ended with ${code}: ${err}`)),
    );
  });
}
