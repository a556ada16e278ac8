// Arguments as typed: parsed strictly, and what is wrong with them said with the nearest right spelling.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { distance } from "fastest-levenshtein";
import type { Failure } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { readRegularFile, Unfit } from "../../serve/regular-file.ts";
import { COMMON, type Command, type Given, type Terminal } from "./command.ts";

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly failure: Failure;

  constructor(message: string, next?: string) {
    super(message);
    this.failure = { kind: "invalid_input", message, recoverable: true, ...defined({ suggestedAction: next }) };
  }
}

export function parseGiven(command: Command, args: readonly string[]): Given {
  const options = { ...COMMON, ...command.options };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    const given = { values: values as Given["values"], positionals, json: values.json === true };
    if (command.takes !== undefined) expectPositionals(command, given, command.takes);
    return given;
  } catch (error) {
    throw usageError(error, command, Object.keys(options));
  }
}

/** The one of the choices that is named; refuses others with the most alike. */
export function choiceOf<T extends string>(name: string, choices: readonly T[], wrong: string): T {
  const choice = choices.find((known) => known === name);
  if (choice !== undefined) return choice;
  const near = nearest(name, choices);
  throw new UsageError(wrong, near === undefined ? `Use one of ${choices.join(", ")}.` : `Did you mean ${near}?`);
}

/** The most alike of the known names, when it is alike enough to have been meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, away: candidate.startsWith(name) ? 1 : distance(name, candidate) }))
    .sort((a, b) => a.away - b.away);
  if (best === undefined || best.away >= best.candidate.length) return undefined;
  return best.away <= Math.max(2, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** Exactly the positionals that the usage line names; `["ENTRY"]` for one, and so on. */
export function expectPositionals(
  { name, usage }: Pick<Command, "name" | "usage">,
  { positionals }: Pick<Given, "positionals">,
  names: readonly string[],
): void {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`stet ${name} needs ${missing}.`, `Usage: stet ${usage}`);
  if (positionals.length === names.length) return;
  const excess = JSON.stringify(positionals[names.length]);
  throw new UsageError(`stet ${name} takes no argument ${excess}.`, `Usage: stet ${usage}`);
}

function usageError(error: unknown, { name }: Command, known: readonly string[]): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  const help = `Run stet ${name} --help to see its options.`;
  const option = /'(?:-\w, )?(-[^' ]*)/.exec(message)?.[1] ?? "";
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const near = option.startsWith("--") ? nearest(option.slice(2), known) : undefined;
    return new UsageError(
      `stet ${name} has no option ${option}.`,
      near === undefined ? help : `Did you mean --${near}?`,
    );
  }
  if (code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") return error;
  if (message.includes("does not take")) return new UsageError(`${option} takes no value.`, help);
  const dashed = `Write ${option}=VALUE for a value that begins with a dash.`;
  return new UsageError(`${option} needs a value.`, message.includes("ambiguous") ? dashed : help);
}

export interface Verb<T> {
  /** The arguments behind its name; undefined where it validates them itself. */
  readonly takes?: readonly string[];
  run(terminal: Terminal, given: Given, on: T): Promise<number>;
}

/** The verb, as in stet trash restore ID, and what is given to it. `usual`: where none is named. */
export function verbIn<V extends Pick<Verb<never>, "takes">>(
  { name, usage }: Pick<Command, "name" | "usage">,
  verbs: Readonly<Record<string, V>>,
  given: Given,
  usual = "",
): { readonly verb: V; readonly rest: Given } {
  const [named = usual, ...positionals] = given.positionals;
  const rest = { ...given, positionals };
  const verb = Object.hasOwn(verbs, named) ? verbs[named] : undefined;
  if (verb !== undefined) {
    if (verb.takes !== undefined) expectPositionals({ name: `${name} ${named}`, usage }, rest, verb.takes);
    return { verb, rest };
  }
  const known = Object.keys(verbs);
  const near = named === "" ? undefined : nearest(named, known);
  const choice = known.join(", ").replace(/, ([^,]*)$/, " or $1");
  const what = named === "" ? `stet ${name} needs ${choice}.` : `stet ${name} cannot ${JSON.stringify(named)}.`;
  throw new UsageError(what, near === undefined ? `Usage: stet ${usage}` : `Did you mean stet ${name} ${near}?`);
}

export function textOf({ values }: Given, option: string): string | undefined {
  const value = values[option];
  return typeof value === "string" ? value : undefined;
}

/** The text of a file that an argument names. */
export function textOfFile({ cwd }: Terminal, file: string, what: string): string {
  try {
    return readRegularFile(resolve(cwd, file), MAX_BYTES).toString();
  } catch (error) {
    const why = error instanceof Unfit ? `it ${error.message}` : ((error as NodeJS.ErrnoException).code ?? error);
    throw new UsageError(`The ${what} ${printable(file)} cannot be read: ${why}.`);
  }
}

const MAX_BYTES = 64 * 1024 * 1024;

/** What `read` finds in an option; refuses where it finds nothing. */
function optionOf<T>(
  given: Given,
  option: string,
  read: (text: string) => T | undefined,
  [kind, next]: readonly [kind: string, next: string],
): T | undefined {
  const text = textOf(given, option);
  const value = text === undefined ? undefined : read(text.trim());
  if (text === undefined || value !== undefined) return value;
  throw new UsageError(`--${option} is no ${kind}: ${JSON.stringify(text)}.`, next);
}

/** A moment, or how long ago it was; as ISO time. */
export function momentOf(given: Given, option: string): string | undefined {
  return optionOf(given, option, momentIn, [
    "time",
    'Give a date, a time, or how long ago: 2026-01-31, "2026-01-31 12:00", 2h, 3d.',
  ]);
}

export function durationOf(given: Given, option: string): number | undefined {
  return optionOf(given, option, millisecondsIn, ["duration", "Give a number and s, m, h, d or w: 30d."]);
}

export function bytesOf(given: Given, option: string): number | undefined {
  return optionOf(given, option, bytesIn, ["size", "Give bytes, or a number and K, M or G: 500M."]);
}

/** A whole number from 1 on. */
export function countOf(given: Given, option: string): number | undefined {
  const text = textOf(given, option);
  return text === undefined ? undefined : wholeNumber(text, `--${option}`);
}

export function wholeNumber(text: string, what: string): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text.trim()) && number >= 1) return number;
  throw new UsageError(`${what} must be a whole number from 1 on, not ${JSON.stringify(text)}.`);
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function millisecondsIn(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9}) ?([smhdw])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

function bytesIn(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?) ?(?:([kmgt])(?:i?b)?|b)?$/i.exec(text) ?? [];
  return amount === undefined
    ? undefined
    : Math.floor(Number(amount) * 1024 ** " kmgt".indexOf(unit.toLowerCase() || " "));
}

const MOMENT = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

function momentIn(text: string): string | undefined {
  const ago = millisecondsIn(text);
  const [, day, clock] = MOMENT.exec(text) ?? [];
  // A date alone means the day here, not the day in Greenwich.
  const time =
    ago !== undefined ? Date.now() - ago : day !== undefined ? Date.parse(`${day}${clock ?? "T00:00"}`) : Number.NaN;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) || time < 0 ? undefined : date.toISOString();
}

/** Without what is undefined: options that were not given keep their defaults. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
