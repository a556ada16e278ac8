// The words of --help: the list of commands, and one command with its options and examples.
import { commandNames, loadCommand } from "../commands/index.ts";
import { columns, paint } from "../terminal/print.ts";
import { COMMON, type Command, type Terminal } from "./command.ts";

export async function helpForAll(terminal: Terminal): Promise<string> {
  const commands = await Promise.all(commandNames.map(loadCommand));
  return `\
stet: file tools for AI agents. They change only what they have seen, and nothing they change is lost.

${heading(terminal, "Usage")} stet COMMAND [OPTIONS]

${heading(terminal, "Commands")}
${columns(commands.map((command) => [`  ${command!.name}`, command!.summary]))}
${heading(terminal, "Options")}
  --json         print JSON, for programs (every command)
  -h, --help     show help, also after a command
  -v, --version  show the version

${heading(terminal, "First steps")}
  stet init                      write stet.config.json with comments
  stet install --client cursor   show what to put into a client's configuration
  stet serve                     serve the current directory over HTTP

stet help COMMAND says more. Exit codes: 0 done, 1 refused or found wrong, 2 called wrongly, 70 a defect in stet.
`;
}

export function helpFor(command: Command, terminal: Terminal): string {
  const { summary, usage, notes = [], examples } = command;
  const rows = optionsOf(command).map(({ name, short, value, about }) => [
    `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  ]);
  return `\
${summary}

${heading(terminal, "Usage")} stet ${usage}

${heading(terminal, "Options")}
${columns(rows)}
${notes.map((note) => `${note}\n`).join("")}${notes.length > 0 ? "\n" : ""}\
${heading(terminal, "Examples")}
${examples.map((example) => `  ${example}\n`).join("")}`;
}

/** The list of commands, for programs. */
export async function listAsData() {
  const commands = await Promise.all(commandNames.map(loadCommand));
  return { usage: "stet COMMAND [OPTIONS]", commands: commands.map((command) => inShort(command!)) };
}

/** One command, for programs. */
export function helpAsData(command: Command) {
  const options = optionsOf(command).map(({ name, short, value, about }) => {
    return { name: `--${name}`, short: short && `-${short}`, value, about };
  });
  const { examples, notes } = command;
  return { ...inShort(command), options, examples, notes };
}

function inShort({ name, summary, usage }: Command) {
  return { name, summary, usage: `stet ${usage}` };
}

function optionsOf({ options }: Command) {
  return Object.entries({ ...options, ...COMMON, ...options }).map(([name, option]) => ({ name, ...option }));
}

function heading(terminal: Terminal, text: string): string {
  return paint(terminal, "bold", `${text}:`);
}
