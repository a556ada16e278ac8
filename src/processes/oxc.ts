// oxc in a process of its own. Text nested deeply enough overflows its native stack, and a few constructs take it hours:
// both would take our own process along, and nothing short of parsing tells such text beforehand.

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { OxcError, ParserOptions } from "oxc-parser";

export interface ParserErrors {
  readonly errors: readonly { readonly message: OxcError["message"]; readonly offset?: number }[];
  /** The grammar is kept, a rule about names is not: declared twice, never declared, `break` outside a loop. */
  readonly grammatical: boolean;
}

// Five thousand lines take about 10 ms, the first start 100 ms; the rest is for a busy machine.
const DEADLINE_MS = 5000;
// It holds some 50 MB.
const IDLE_MS = 60_000;

let current: OxcProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/** At most so many errors of a text, one text at a time; `null` when the parser crashed, took too long or is not to be had. */
export function askOxc(text: string, options: ParserOptions, most: number): Promise<ParserErrors | null> {
  const answer = last.then(() => {
    if (!canStart()) return null;
    if (!current || current.ended) current = new OxcProcess();
    return current.ask({ text, options, most });
  });
  last = answer.catch(() => {});
  return answer;
}

/** In a packaged application the executable is the application itself: starting it again would not be a parser. */
function canStart(): boolean {
  return /^node(?:\.exe)?$/i.test(basename(process.execPath));
}

interface Question {
  readonly text: string;
  readonly options: ParserOptions;
  readonly most: number;
}

// Source text, not a file: it runs from sources, from a build and from a bundle alike.
const PROGRAM = `
const loading = import(process.argv[1]);
process.on("message", async ({ text, options, most }) => {
  const { parseSync } = await loading;
  const parse = (more) =>
    parseSync("text", text, { ...options, ...more }).errors.filter((error) => error.severity === "Error");
  const errors = parse({ showSemanticErrors: true });
  const grammatical = errors.length === 0 || parse({}).length === 0;
  const found = errors.slice(0, most).map(({ message, labels }) => ({ message, offset: labels[0]?.start }));
  process.send({ errors: found, grammatical });
});
`;

class OxcProcess {
  ended = false;
  readonly #child: ChildProcess;
  #answer: ((errors: ParserErrors | null) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    const parser = pathToFileURL(createRequire(import.meta.url).resolve("oxc-parser")).href;
    const { NODE_OPTIONS: _, ...env } = process.env;
    const options: SpawnOptions = { stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced", env };
    this.#child = spawn(process.execPath, ["-e", PROGRAM, parser], options);
    this.#child.on("message", (errors) => this.#settle(errors as ParserErrors));
    this.#child.on("error", () => this.#end());
    this.#child.on("exit", () => this.#end());
    this.#child.unref();
    this.#child.channel?.unref();
  }

  ask(question: Question): Promise<ParserErrors | null> {
    return new Promise((resolve) => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#end(), DEADLINE_MS);
      this.#answer = resolve;
      this.#child.send(question, (error) => error && this.#end());
    });
  }

  #settle(errors: ParserErrors | null): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
    this.#answer?.(errors);
    this.#answer = undefined;
  }

  #end(): void {
    this.ended = true;
    this.#child.kill("SIGKILL");
    this.#settle(null);
    clearTimeout(this.#timer);
  }
}
