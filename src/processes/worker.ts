// A program that runs beside this one and can be ended at any moment: a process of its own, since a thread that runs out of
// memory may take all others along; a thread where no process can be started.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export interface StartedWorker {
  send(message: unknown): void;
  /** The next message. Rejects when there will be none; with `OutOfMemory` where that is why. */
  answer(): Promise<unknown>;
  /** Whether the process waits for it before it ends. */
  hold(held: boolean): void;
  end(): void;
}

export class OutOfMemory extends Error {}

/** A program is a file, or source text: CommonJS that listens to `parentPort ?? process`. */
export type Program = { readonly file: URL } | { readonly source: string };

export function startWorker(program: Program, megabytes: number): StartedWorker {
  return CAN_START ? inProcess(program, megabytes) : inThread(program);
}

/** Bundled by others, the files that a program consists of may not be there. */
export function isThere(file: URL): boolean {
  return existsSync(file);
}

/** In a packaged application the executable is the application itself: started again it would be no program of ours. */
const CAN_START = /^node(?:\.exe)?$/i.test(basename(process.execPath));

function inProcess(program: Program, megabytes: number): StartedWorker {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const limits = [`--max-old-space-size=${megabytes}`, "--max-semi-space-size=2"];
  const code = "file" in program ? [fileURLToPath(program.file)] : ["-e", program.source];
  const options: SpawnOptions = {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    windowsHide: true,
    // What a system writes down of a process that failed does not belong among the files of a workspace.
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

/** V8 aborts where no memory is left to it. */
function endOf(code: number | null, signal: string | null): Error {
  const why = `it ended with ${signal ?? code}`;
  return signal === "SIGABRT" || code === ABORTED ? new OutOfMemory(why) : new Error(why);
}

const ABORTED = 134;

/** No limit: one that is met by a large array ends the whole process. */
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
