// One run of the command line: finds the command, reads its arguments, runs it, and turns every end into words and an exit code.
import { type Failure, Refusal } from "../core/failure.ts";
import { commandNames, loadCommand } from "./commands/index.ts";
import type { Command, Given, Terminal } from "./options/command.ts";
import { nearest, parseGiven, UsageError } from "./options/given.ts";
import { helpAsData, helpFor, helpForAll, listAsData } from "./options/help.ts";
import { answer, paint } from "./terminal/print.ts";
import { OutputClosed } from "./terminal/process-terminal.ts";
import { guarded, safeJson, safeMessage, safeText, withoutPasswords } from "./terminal/safe.ts";
import { stetVersion } from "./version.ts";

export const EXIT = { done: 0, refused: 1, usage: 2, defect: 70 } as const;

export async function runCli(args: readonly string[], outer: Terminal): Promise<number> {
  const terminal = guarded(outer);
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
  const json = hasOption(args, "--json");
  if (first === "--json" && rest.some((arg) => arg !== first)) return dispatch([...rest, first], terminal);
  if (first === undefined || ["--help", "-h", "--json"].includes(first)) return showHelp(terminal, undefined, json);
  if (first === "help")
    return showHelp(
      terminal,
      rest.find((arg) => arg !== "--json"),
      json,
    );
  if (["--version", "-v", "version"].includes(first))
    return answer(terminal, { json }, { version: stetVersion() }, `${stetVersion()}\n`);
  const command = await commandNamed(first);
  // Before the arguments are read, so that help can be had whatever else is wrong with them.
  if (hasOption(rest, "--help", "-h")) return showHelp(terminal, first, json);
  const given = parseGiven(command, rest);
  return command.run(await withState(terminal, given), given);
}

/** `--state` takes the place of STET_STATE. */
async function withState(terminal: Terminal, { values: { state } }: Given): Promise<Terminal> {
  if (typeof state !== "string") return terminal;
  const { absolute } = await import("./config/paths.ts");
  const { cwd, env } = terminal;
  return Object.assign(Object.create(terminal) as Terminal, { env: { ...env, STET_STATE: absolute(cwd, state, env) } });
}

function hasOption(args: readonly string[], ...names: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).some((arg) => names.includes(arg));
}

async function showHelp(terminal: Terminal, name: string | undefined, json: boolean): Promise<number> {
  const command = name === undefined ? undefined : await commandNamed(name);
  const data = command === undefined ? await listAsData() : helpAsData(command);
  const words = command === undefined ? await helpForAll(terminal) : helpFor(command, terminal);
  return answer(terminal, { json }, data, words);
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
  const isExpected = error instanceof UsageError || error instanceof Refusal;
  if (isExpected) {
    const { message, suggestedAction, path = "" } = error.failure;
    const words = [message, ...(suggestedAction ? [suggestedAction] : [])].map((part) =>
      safeMessage(withoutPasswords(part), [path, ...args]),
    );
    terminal.err(`${paint(terminal, "red", "stet:")} ${words.join("\n")}\n`);
    sayAsData(terminal, args, error.failure);
    return error instanceof UsageError ? EXIT.usage : EXIT.refused;
  }
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  terminal.err(`stet: a defect in stet, not in what you asked for:\n${safeText(withoutPasswords(stack))}\n`);
  sayAsData(terminal, args, { kind: "unknown", message, recoverable: false });
  return EXIT.defect;
}

function sayAsData(terminal: Terminal, args: readonly string[], error: Failure): void {
  if (!hasOption(args, "--json")) return;
  const line = `${withoutPasswords(safeJson({ ok: false, error }))}\n`;
  // The stdout of that command belongs to the protocol.
  const isMcp = args.find((arg) => arg !== "--json") === "mcp";
  try {
    if (isMcp) terminal.err(line);
    else terminal.out(line);
  } catch (closed) {
    // Stdout has no reader any more; the exit code still tells.
    if (!(closed instanceof OutputClosed)) throw closed;
  }
}
