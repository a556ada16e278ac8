// The words of --help: the list of commands, and one command with its options and examples.
import { commandNames, loadCommand } from "../commands/index.ts";
import { columns, paint } from "../terminal/print.ts";
import type { Command, Terminal } from "./command.ts";
import { COMMON_ABOUT, COMMON_OPTIONS } from "./usage.ts";

export async function helpForAll(terminal: Terminal): Promise<string> {
  const commands = await Promise.all(commandNames.map(loadCommand));
  const rows = commands.map((command) => [`  ${command!.name}`, command!.summary]);
  return [
    "stet: file tools for AI agents. They change only what they have seen, and nothing they change is lost.",
    "",
    `${heading(terminal, "Usage")} stet COMMAND [OPTIONS]`,
    "",
    heading(terminal, "Commands"),
    columns(rows),
    "",
    heading(terminal, "Options"),
    columns([
      ["  --json", "print JSON, for programs (every command)"],
      ["  -h, --help", "show help, also after a command"],
      ["  -v, --version", "show the version"],
    ]),
    "",
    heading(terminal, "First steps"),
    "  stet init                      write stet.config.json with comments",
    "  stet install --client cursor   show what to put into a client's configuration",
    "  stet serve                     serve the current directory over HTTP",
    "",
    "stet help COMMAND says more. Exit codes: 0 done, 1 refused or found wrong, 2 called wrongly, 70 a defect in stet.",
    "",
  ].join("\n");
}

export function helpFor(command: Command, terminal: Terminal): string {
  const rows = optionsOf(command).map(({ name, short, value, about }) => [
    `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  ]);
  return [
    `${command.summary}`,
    "",
    `${heading(terminal, "Usage")} stet ${command.usage}`,
    "",
    heading(terminal, "Options"),
    columns(rows),
    "",
    ...(command.notes === undefined ? [] : [...command.notes, ""]),
    heading(terminal, "Examples"),
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

/** The list of commands, for programs. */
export async function listAsData() {
  const commands = await Promise.all(commandNames.map(loadCommand));
  return { usage: "stet COMMAND [OPTIONS]", commands: commands.map((command) => inShort(command!)) };
}

/** One command, for programs. */
export function helpAsData(command: Command) {
  const options = optionsOf(command).map(({ name, short, value, about }) => ({
    name: `--${name}`,
    ...(short !== undefined && { short: `-${short}` }),
    ...(value !== undefined && { value }),
    about,
  }));
  const { examples, notes } = command;
  return { ...inShort(command), options, examples, ...(notes !== undefined && { notes }) };
}

function inShort({ name, summary, usage }: Command) {
  return { name, summary, usage: `stet ${usage}` };
}

function optionsOf(command: Command) {
  const options: Command["options"] = { ...command.options, ...COMMON_OPTIONS };
  const about: Readonly<Record<string, string>> = { ...COMMON_ABOUT, ...command.about };
  return Object.entries(options).map(([name, { type, short }]) => ({
    name,
    short,
    value: type === "string" ? (VALUE_NAMES[name] ?? "VALUE") : undefined,
    about: about[name] ?? "",
  }));
}

/** What stands for the value of an option, where the option's own name does not say it. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  root: "DIR",
  config: "FILE",
  surface: "NAMES",
  session: "ID",
  path: "PATH",
  port: "N",
  host: "ADDRESS",
  since: "TIME",
  until: "TIME",
  limit: "N",
  before: "N",
  keep: "N",
  to: "PATH",
  agent: "NAME",
  "older-than": "AGE",
  "max-size": "SIZE",
  "expected-head": "SEQ:HASH",
  "signed-heads": "FILE",
  "public-key": "KEY",
  client: "NAME",
  name: "NAME",
  action: "NAME",
  scope: "user|project",
  http: "URL",
  "token-file": "FILE",
  database: "URL",
  tenant: "NAME",
  role: "ROLE",
  workspaces: "NAMES",
  expires: "AGE",
  bytes: "SIZE",
  files: "N",
  "entries-per-second": "N",
};

function heading(terminal: Terminal, text: string): string {
  return paint(terminal, "bold", `${text}:`);
}
