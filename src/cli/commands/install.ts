// stet install: prints what a client needs to know about stet, or puts it into the client's configuration.
import { inOrder, Refusal } from "../../core/failure.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { type Asked, askedFor } from "../install/asked.ts";
import { CLIENT_NAMES } from "../install/clients.ts";
import { TOKEN_VARIABLE } from "../install/entry.ts";
import { changeInWords, type Merged } from "../install/merge.ts";
import { readOwnerFile, replaceOwnerFile, writeNewFile } from "../install/owner-file.ts";
import { type Tried, tryOut } from "../install/try-out.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { answer, paint } from "../terminal/print.ts";

export const install: Command = {
  name: "install",
  summary: "Show what to put into a client's configuration, or put it there",
  usage: "install [PROJECT] --client NAME [--root DIR…] [--write] [--scope user|project] [--npx] [--http URL]",
  options: {
    client: value("NAME", `one of ${CLIENT_NAMES.join(", ")}`),
    root: {
      ...value("DIR", "serve this directory, whatever project is open; without it, the project that is open", "r"),
      multiple: true,
    },
    write: flag("write into the client's file, keep a copy of it beside it, and try the server out"),
    force: flag("replace another entry of the same name"),
    "no-check": flag("do not try the server out after writing"),
    scope: value(
      "user|project",
      "user: for all projects (usual); project: a file in the project, for all who work on it",
    ),
    name: value("NAME", "what the client calls the server (stet by default)"),
    npx: flag("start stet by its package name instead of its place on this machine; so it is in a project's file"),
    http: value("URL", `connect to a running stet serve; the token comes from the variable ${TOKEN_VARIABLE}`),
    surface: value("NAMES", "the tools to offer", "s"),
    "read-only": flag("deny every change"),
    config: value("FILE", "the configuration file that stet shall use", "c"),
    state: value(
      "DIR",
      "where the histories lie that stet shall use; the client does not have STET_STATE of this shell",
    ),
  },
  examples: [
    "stet install --client claude-code --write",
    "stet install --client claude-desktop --root ~/project",
    "stet install --client vscode --scope project --write",
    "stet install --client codex --http http://127.0.0.1:4100/mcp",
  ],
  async run(terminal, given) {
    const asked = await askedFor(terminal, given);
    return given.values.write === true ? write(terminal, asked, given) : show(terminal, asked, given);
  },
};

function show(terminal: Terminal, asked: Asked, given: Given): number {
  const { client, file, name, key, entry, snippet, link } = asked;
  const found = lookedUp(terminal, asked);
  if (given.json) {
    const there = found === undefined ? {} : { state: found.state, existing: found.existing };
    return answer(
      terminal,
      given,
      { client: given.values.client, file, key, name, entry, snippet, link, ...there },
      "",
    );
  }
  const linkLines = link === undefined ? "" : `\nOr open this link:\n\n${link}\n`;
  terminal.out(
    `${paint(terminal, "bold", `${client.title}: put this into ${printable(file)}`)}\n\n${printableJson(snippet)}${linkLines}`,
  );
  if (found?.state === "same") terminal.err(`\n${inOrder(["It is there already.", remoteHint(asked)])}\n`);
  else if (found?.state === "differs") {
    terminal.err(`\nThere is another entry named ${name}. What --write --force would change:\n`);
    terminal.err(changeInWords(found.existing, entry));
  } else terminal.err(`\n${inOrder(["Add --write to have it done.", remoteHint(asked)])}\n`);
  return 0;
}

/** What is in the file now. One that cannot be read is no reason not to show what belongs there. */
function lookedUp(terminal: Terminal, asked: Asked): Merged | undefined {
  try {
    return asked.merge(readOwnerFile(asked.file) ?? "", asked);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    terminal.err(`stet: ${printable(error.message)}\n`);
    return undefined;
  }
}

async function write(terminal: Terminal, asked: Asked, given: Given): Promise<number> {
  const { file, name, merge, entry } = asked;
  const json = given.json;
  const before = readOwnerFile(file);
  const { text, state, existing } = merge(before ?? "", asked);
  if (state === "differs" && given.values.force !== true) {
    if (!json) terminal.err(`What there is, and what it would become:\n${changeInWords(existing, entry)}`);
    throw new Refusal("already_exists", `${file} has another entry named ${name}; it was left as it is.`, {
      path: file,
      next: "Replace it with --force, or choose another --name.",
      details: { existing, wanted: entry },
    });
  }
  const backup = save(file, before, state === "same" ? before : text);
  const did = { added: "now has", same: "already had", differs: "now has, instead of the entry before," }[state];
  if (!json) {
    terminal.out(`${printable(file)} ${did} the server ${name}.\n`);
    if (state === "differs") terminal.out(changeInWords(existing, entry));
    if (backup !== undefined) terminal.out(`The file as it was: ${printable(backup)}\n`);
  }
  const tried = given.values["no-check"] === true ? undefined : await tryOut(terminal, asked);
  if (json) answer(terminal, given, { file, name, state, backup: backup ?? null, tried }, "");
  else tell(terminal, asked, tried);
  return tried?.works === false ? 1 : 0;
}

function tell(terminal: Terminal, asked: Asked, tried: Tried | undefined): void {
  if (tried !== undefined) terminal.out(`tried out: ${printable(tried.words)}\n`);
  terminal.err(`Left to do: ${inOrder([asked.leftToDo, remoteHint(asked)])}\n`);
}

function save(file: string, before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined || before === after) return undefined;
  if (before !== undefined) return replaceOwnerFile(file, before, after);
  writeNewFile(file, after);
  return undefined;
}

function remoteHint({ what }: Asked): string {
  return what.kind === "local" ? "" : `The client needs ${TOKEN_VARIABLE} in its environment.`;
}
