// Starts a program that can be killed at any moment: a process, since a thread that runs out of memory may end them all; a
// thread where no process can be started.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export interface StartedWorker {
  send(message: unknown): void;
  /** The next message. Rejects when there will be none; with `OutOfMemory` where that is why. */
  answer(): Promise<unknown>;
  /** Whether this process stays alive for it. */
  hold(held: boolean): void;
  end(): void;
}

export class OutOfMemory extends Error {}

/** A program is a file, or source text: CommonJS that listens to `parentPort ?? process`. */
export type Program = { readonly file: URL } | { readonly source: string };

export function startWorker(program: Program, megabytes: number): StartedWorker {
  return CAN_START ? inProcess(program, megabytes) : inThread(program);
}

/** A bundle made by others may lack the file. */
export function isThere(file: URL): boolean {
  return existsSync(file);
}

/** In a packaged application the executable is the application, which would not run our program. */
const CAN_START = /^node(?:\.exe)?$/i.test(basename(process.execPath));

function inProcess(program: Program, megabytes: number): StartedWorker {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const limits = [`--max-old-space-size=${megabytes}`, "--max-semi-space-size=2"];
  const code = "file" in program ? [fileURLToPath(program.file)] : ["-e", program.source];
  const options: SpawnOptions = {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    windowsHide: true,
    // Core dumps do not belong among the files of a workspace.
    cwd: "/",
    env,
  };
  const child = spawn(process.execPath, [...limits, ...code], options);
  child.on("error", () => {});
  return {
    send: (message) => void child.send(message as object, () => {}),
    answer: () =>
      settled((resolve, reject) => {
        const left = (code: number | null, signal: string | null): void => reject(endOf(code, signal));
        child.once("message", resolve).once("error", reject).once("exit", left);
        return () => child.off("message", resolve).off("error", reject).off("exit", left);
      }),
    hold: (held) => hold(child, held),
    end: () => void child.kill("SIGKILL"),
  };
}

function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

/** V8 aborts the process when its heap is full. */
function endOf(code: number | null, signal: string | null): Error {
  const why = `it ended with ${signal ?? code}`;
  return signal === "SIGABRT" || code === ABORTED ? new OutOfMemory(why) : new Error(why);
}

const ABORTED = 134;

/** Without a heap limit: a large array that meets one ends the whole process. */
function inThread(program: Program): StartedWorker {
  const isFile = "file" in program;
  const worker = new Worker(isFile ? program.file : program.source, { eval: !isFile, execArgv: [] });
  worker.on("error", () => {});
  return {
    send: (message) => worker.postMessage(message),
    answer: () =>
      settled((resolve, reject) => {
        worker.once("message", resolve).once("error", reject);
        return () => worker.off("message", resolve).off("error", reject);
      }),
    hold: (held) => (held ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  };
}

function settled(
  listen: (resolve: (value: unknown) => void, reject: (error: Error) => void) => () => void,
): Promise<unknown> {
  let stop = (): void => {};
  return new Promise<unknown>((resolve, reject) => {
    stop = listen(resolve, reject);
  }).finally(() => stop());
}
