// The terminal of a real process: its streams, its signals, and what happens when the output has no reader any more.
import { stripVTControlCharacters } from "node:util";
import { Refusal } from "../../core/failure.ts";
import type { Terminal } from "../options/command.ts";

/** The reader of stdout went away, as `head` does; no reader is left to tell, and nothing is wrong. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const ending = new AbortController();
  let closed = false;
  let listening = false;
  let progressShown = false;

  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!closed && error.code !== "EPIPE") {
      process.exitCode = 1;
      stderr.write(`stet: The output cannot be written: ${error.code ?? error.message}.\n`);
    }
    closed = true;
    ending.abort();
  });
  stderr.on("error", () => undefined);

  function clearProgress(): void {
    if (progressShown) stderr.write("\r\u001b[2K");
    progressShown = false;
  }

  return {
    get cwd() {
      return workingDirectory();
    },
    env,
    get stdin() {
      return process.stdin;
    },
    colour: showsColour(stdout, env),
    out(text) {
      if (closed) throw new OutputClosed("Stdout has no reader.");
      clearProgress();
      stdout.write(text);
    },
    err(text) {
      clearProgress();
      // Whether text is coloured is decided by stdout; stderr may go to a file all the same.
      stderr.write(stderr.isTTY === true ? text : stripVTControlCharacters(text));
    },
    progress(text) {
      if (stderr.isTTY !== true || env.TERM === "dumb") return;
      clearProgress();
      if (text === "") return;
      stderr.write(text.slice(0, Math.max(0, (stderr.columns ?? 80) - 1)));
      progressShown = true;
    },
    get answer() {
      const { stdin } = process;
      return stdin.isTTY === true && stderr.isTTY === true ? () => lineFrom(stdin, signal()) : undefined;
    },
    get signal() {
      return signal();
    },
  };

  function signal(): AbortSignal {
    if (!listening) {
      listening = true;
      // Once: a second Ctrl-C ends the process at once.
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => ending.abort());
    }
    return ending.signal;
  }
}

/** Terminals hand over whole lines. */
async function lineFrom(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const line = await new Promise<string>((resolve) => {
    stdin.once("data", (data) => resolve(String(data)));
    stdin.once("end", () => resolve(""));
    signal.addEventListener("abort", () => resolve(""), { once: true });
  });
  // A stream that is listened to keeps the process alive.
  stdin.pause();
  return line;
}

export function showsColour({ isTTY }: { readonly isTTY?: boolean }, { NO_COLOR, TERM }: Terminal["env"]): boolean {
  return isTTY === true && !NO_COLOR && TERM !== "dumb";
}

/** Asked for only by what needs it: help can be had in a directory that was deleted. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Refusal("not_found", "The directory that stet was started in no longer exists.", {
      next: "Change to a directory that exists.",
      cause: error,
    });
  }
}
