// The interface of a command: its words for --help, its options and its run.
import type { ParseArgsConfig } from "node:util";

/** Where a command reads and writes; the whole outside world of the command line. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  out(text: string): void;
  err(text: string): void;
  /** Takes the place of the last one on an interactive stderr, "" takes it away; goes nowhere else. */
  progress(text: string): void;
  /** One line of the person at the terminal, "" when they end it instead; undefined where there is no terminal. */
  readonly answer: (() => Promise<string>) | undefined;
  /** Colour only where a person looks: an interactive stdout that is not dumb, without NO_COLOR. */
  readonly colour: boolean;
  /** Aborts on SIGINT, SIGTERM and SIGHUP, and when stdout has no reader any more. A command that never looks at it is ended by the signal itself. */
  readonly signal: AbortSignal;
}

export interface Given {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** After "stet": "log [--follow] [--session ID]". */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** What each option means, for --help. */
  readonly about: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  /** What else is to be known to read its output, for --help. */
  readonly notes?: readonly string[];
  /** The exit code: 0 done, 1 refused or found wrong, 2 called wrongly. */
  run(terminal: Terminal, given: Given): Promise<number>;
}
