// Starts other processes that work with the same tool on the same directory.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** @param {import("./verdict.mjs").Bench} bench @param {"increment" | "toggle" | "patch"} job @param {string} argument */
export function startWorker({ tool, root }, job, argument) {
  const child = spawn(process.execPath, [entry, tool, root, job, argument], { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  const done = new Promise((resolve) => child.on("close", () => resolve(printed.trim().split("\n").at(-1) ?? "")));
  /** True at the first successful change, false when the process ended without one. */
  const ready = new Promise((resolve) => {
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      resolve(true);
    });
    child.on("close", () => resolve(printed !== ""));
  });
  return { done, ready, kill: () => child.kill("SIGKILL") };
}
