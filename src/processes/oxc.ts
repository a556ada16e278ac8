// Runs oxc in a worker: deeply nested text overflows its native stack, a few constructs take it hours, and only parsing
// tells such text.
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { OxcError, ParserOptions } from "oxc-parser";
import { type StartedWorker, startWorker } from "./worker.ts";

export interface ParserErrors {
  readonly errors: readonly { readonly message: OxcError["message"]; readonly offset?: number }[];
  /** The text follows the grammar and breaks a rule about names: declared twice, never declared, `break` outside a loop. */
  readonly grammatical: boolean;
}

// Five thousand lines take about 10 ms, the first start 100 ms; the rest is for a busy machine.
const DEADLINE_MS = 5000;
// An idle parser holds some 50 MB.
const IDLE_MS = 60_000;

const HEAP_MEGABYTES = 512;

let worker: StartedWorker | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Returns at most `max` errors of a text; null when the parser crashed, took too long or cannot be started. */
export function askOxc(text: string, options: ParserOptions, max: number): Promise<ParserErrors | null> {
  const answer = last.then(() => (canStart() ? ask({ text, options, max }) : null));
  last = answer.catch(() => {});
  return answer;
}

async function ask(question: object): Promise<ParserErrors | null> {
  clearTimeout(idle);
  worker ??= startWorker({ source: programOf(createRequire(import.meta.url).resolve("oxc-parser")) }, HEAP_MEGABYTES);
  worker.hold(false);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DEADLINE_MS);
  });
  const answer = worker.answer().catch(() => null);
  worker.send(question);
  const found = (await Promise.race([answer, late])) as ParserErrors | null;
  clearTimeout(timer);
  if (found === null) end();
  else idle = setTimeout(end, IDLE_MS).unref();
  return found;
}

function end(): void {
  worker?.end();
  worker = undefined;
}

/** In a packaged application the executable is the application, which would not run a parser. */
function canStart(): boolean {
  return /^node(?:\.exe)?$/i.test(basename(process.execPath));
}

// Source text, not a file: it runs from sources, from a build and from a bundle alike.
const programOf = (parser: string): string => `
const loading = import(${JSON.stringify(pathToFileURL(parser).href)});
process.on("message", async ({ text, options, max }) => {
  const { parseSync } = await loading;
  const parse = (more) =>
    parseSync("text", text, { ...options, ...more }).errors.filter((error) => error.severity === "Error");
  const errors = parse({ showSemanticErrors: true });
  const grammatical = errors.length === 0 || parse({}).length === 0;
  const found = errors.slice(0, max).map(({ message, labels }) => ({ message, offset: labels[0]?.start }));
  process.send({ errors: found, grammatical });
});
`;
