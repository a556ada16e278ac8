// Arguments as typed: parsed strictly, and what is wrong with them said with the nearest right spelling.
import { parseArgs } from "node:util";
import { distance } from "fastest-levenshtein";
import type { Failure } from "../../core/failure.ts";
import type { Command, Given } from "./command.ts";

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly failure: Failure;

  constructor(message: string, next?: string) {
    super(message);
    this.failure = {
      kind: "invalid_input",
      message,
      recoverable: true,
      ...(next !== undefined && { suggestedAction: next }),
    };
  }
}

/** Every command has these. */
export const COMMON_OPTIONS = { help: { type: "boolean", short: "h" }, json: { type: "boolean" } } as const;
export const COMMON_ABOUT = { help: "show this help", json: "print JSON, for programs" } as const;

export function parseGiven(command: Command, args: readonly string[]): Given {
  const options = { ...command.options, ...COMMON_OPTIONS };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values: values as Given["values"], positionals };
  } catch (error) {
    throw usageError(error, command, Object.keys(options));
  }
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
  command: Pick<Command, "name" | "usage">,
  given: Given,
  names: readonly string[],
): void {
  const { positionals } = given;
  const missing = names[positionals.length];
  if (missing !== undefined) {
    throw new UsageError(`stet ${command.name} needs ${missing}.`, `Usage: stet ${command.usage}`);
  }
  if (positionals.length > names.length) {
    throw new UsageError(
      `stet ${command.name} takes no argument ${JSON.stringify(positionals[names.length])}.`,
      `Usage: stet ${command.usage}`,
    );
  }
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
  const ambiguous = message.includes("ambiguous");
  return new UsageError(
    `${option} needs a value.`,
    ambiguous ? `Write ${option}=VALUE for a value that begins with a dash.` : help,
  );
}
