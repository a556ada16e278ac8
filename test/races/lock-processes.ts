// Starting the processes and threads that compete for a lock, and the directory they compete in.
import { type ChildProcess, fork } from "node:child_process";
import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { temporaryDirectory } from "../backends/journal-fixture.ts";
import { inOneFile } from "../support/one-file.ts";

export type Job = "increment" | "journal" | "hold";
export type FlavourName = "flock" | "link";

const SCRIPT = new URL("lock-child.mjs", import.meta.url);

/** With a lock of the given kind, a counter at 0 and an empty journal. */
export function arena(flavour: FlavourName): string {
  const dir = temporaryDirectory();
  for (const name of ["lock", "journal"]) fs.mkdirSync(`${dir}/${name}`);
  fs.writeFileSync(`${dir}/counter`, "0");
  openLock(`${dir}/lock`, { flavour }).close();
  return dir;
}

export interface Contender {
  readonly child: ChildProcess;
  /** How often it said that it was done with one turn. */
  done: number;
  readonly ended: Promise<string>;
}

export function start(job: Job, dir: string, count: number): Contender {
  const child = fork(inOneFile(SCRIPT), [job, dir, String(count)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.on("data", (data) => {
    errors += data;
  });
  const ended = new Promise<string>((resolve) =>
    child.on("close", (code, signal) => resolve(errors || `${signal ?? code}`)),
  );
  const contender: Contender = { child, done: 0, ended };
  child.on("message", (message) => {
    if (typeof message === "number") contender.done++;
  });
  return contender;
}

export async function startHolder(dir: string): Promise<ChildProcess> {
  const { child } = start("hold", dir, 1);
  await new Promise((resolve) => child.once("message", resolve));
  return child;
}

export async function startHolderThread(dir: string): Promise<Worker> {
  const worker = new Worker(inOneFile(SCRIPT), { workerData: ["hold", dir, 1] });
  await new Promise((resolve) => worker.once("message", resolve));
  return worker;
}

export async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
}
