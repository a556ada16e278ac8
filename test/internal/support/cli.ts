// The command line in this process: a terminal of buffers, so that a test sees exit code, stdout and stderr.
import { Readable } from "node:stream";
import type { Terminal } from "../../../src/cli/options/command.ts";
import { runCli } from "../../../src/cli/run.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  json(): any;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly colour?: boolean;
  readonly signal?: AbortSignal;
  /** What the person at the terminal says, line by line; there is nobody unless given. */
  readonly answers?: readonly string[];
  /** Happens while they think. */
  readonly beforeAnswer?: () => Promise<void>;
  /** Sees every piece of stdout as it comes. */
  readonly onOut?: (text: string) => void;
  /** Sees what a person at a terminal would see of the progress. */
  readonly onProgress?: (text: string) => void;
}

/** The home is a place that does not exist unless given, so that nobody's real files are touched. */
export async function stet(args: readonly string[], around: Surroundings): Promise<Ran> {
  const { terminal, said } = terminalIn(around);
  const code = await runCli(args, terminal);
  const { out, err } = said;
  return { code, out, err, json: () => JSON.parse(out) };
}

export function terminalIn(around: Surroundings): {
  readonly terminal: Terminal;
  readonly said: { out: string; err: string };
} {
  const said = { out: "", err: "" };
  const answers = [...(around.answers ?? [])];
  const answer = async (): Promise<string> => {
    await around.beforeAnswer?.();
    return answers.shift() ?? "";
  };
  const terminal: Terminal = {
    cwd: around.cwd,
    env: { HOME: "/nonexistent/home", STET_STATE: process.env.STET_STATE, ...around.env },
    stdin: Readable.from(around.stdin === undefined ? [] : [around.stdin]) as unknown as NodeJS.ReadStream,
    colour: around.colour ?? false,
    answer: around.answers === undefined ? undefined : answer,
    signal: around.signal ?? new AbortController().signal,
    progress: (text) => around.onProgress?.(text),
    out(text) {
      said.out += text;
      around.onOut?.(text);
    },
    err(text) {
      said.err += text;
    },
  };
  return { terminal, said };
}
