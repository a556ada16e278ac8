// The interface of a command: what it takes, its words for --help, and its run.

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
  /** Asked for data instead of words. */
  readonly json: boolean;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  /** Stands for the value in --help. */
  readonly value?: string;
  /** What it means, in --help. */
  readonly about: string;
}

export function flag(about: string, short?: string): Option {
  return { type: "boolean", about, ...(short !== undefined && { short }) };
}

export function value(name: string, about: string, short?: string): Option {
  return { type: "string", value: name, about, ...(short !== undefined && { short }) };
}

/** Every command has these; one may say of them in other words what they mean there. */
export const COMMON: Readonly<Record<string, Option>> = {
  help: flag("show this help", "h"),
  json: flag("print JSON, for programs"),
};

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** After "stet": "log [--follow] [--session ID]". */
  readonly usage: string;
  /** Exactly these arguments besides options; undefined where the command sees to it itself. */
  readonly takes?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** What else is to be known to read its output, for --help. */
  readonly notes?: readonly string[];
  /** The exit code: 0 done, 1 refused or found wrong, 2 called wrongly. */
  run(terminal: Terminal, given: Given): Promise<number>;
}
