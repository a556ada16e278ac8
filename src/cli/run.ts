// One run of the command line: finds the command, reads its arguments, runs it, and turns every end into words and an exit code.
import { Refusal } from "../kernel/failure.ts";
import type { Command, Terminal } from "./command.ts";
import { commandNames, loadCommand } from "./commands.ts";
import { helpFor, helpForAll } from "./help.ts";
import { safeJson, safeText } from "./history/safe.ts";
import { paint } from "./print.ts";
import { OutputClosed } from "./process-terminal.ts";
import { nearest, parseGiven, UsageError } from "./usage.ts";
import { stetVersion } from "./version.ts";

export const EXIT = { done: 0, refused: 1, usage: 2, defect: 70 } as const;

export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(args, terminal);
  } catch (error) {
    if (error instanceof OutputClosed) return EXIT.done;
    return sayWhy(error, terminal, args);
  } finally {
    terminal.progress("");
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h") return showHelp(terminal, undefined);
  if (first === "--json" && rest.length > 0) return dispatch([...rest, first], terminal);
  if (first === "help") return showHelp(terminal, rest[0]);
  if (first === "--version" || first === "-v" || first === "version") return showVersion(terminal);
  const command = await commandNamed(first);
  if (asksForHelp(rest)) return showHelp(terminal, first);
  return command.run(terminal, parseGiven(command, rest));
}

/** Before the arguments are read, so that help can be had whatever else is wrong with them. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

async function showHelp(terminal: Terminal, name: string | undefined): Promise<number> {
  terminal.out(name === undefined ? await helpForAll(terminal) : helpFor(await commandNamed(name), terminal));
  return EXIT.done;
}

function showVersion(terminal: Terminal): number {
  terminal.out(`${stetVersion()}\n`);
  return EXIT.done;
}

async function commandNamed(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command !== undefined) return command;
  if (name.startsWith("-")) {
    throw new UsageError(`There is no option ${name} without a command.`, "Run stet --help to see the commands.");
  }
  const near = nearest(name, commandNames);
  throw new UsageError(
    `There is no command ${JSON.stringify(name)}.`,
    near === undefined ? "Run stet --help to see the commands." : `Did you mean stet ${near}?`,
  );
}

/** Words for people on stderr; with --json the failure as data on stdout, which is where a program looks. */
function sayWhy(error: unknown, terminal: Terminal, args: readonly string[]): number {
  if (!(error instanceof UsageError) && !(error instanceof Refusal)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.err(`stet: a defect in stet, not in what you asked for:\n${stack}\n`);
    return EXIT.defect;
  }
  const { message, suggestedAction } = error.failure;
  const words = safeText(suggestedAction ? `${message}\n${suggestedAction}` : message);
  terminal.err(`${paint(terminal, "red", "stet:")} ${words}\n`);
  if (args.includes("--json")) terminal.out(`${safeJson({ ok: false, error: error.failure })}\n`);
  return error instanceof UsageError ? EXIT.usage : EXIT.refused;
}
