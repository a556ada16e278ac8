// stet install: prints what a client needs to know about stet, or puts it into the client's configuration.
import { inOrder, Refusal } from "../../core/failure.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { type Asked, askedFor } from "../install/asked.ts";
import { CLIENT_NAMES, TOKEN_VARIABLE } from "../install/clients.ts";
import { changeInWords, type Merged, merged, snippetOf } from "../install/merge.ts";
import { readOwnerFile, replaceOwnerFile, writeNewFile } from "../install/owner-file.ts";
import { tryOut } from "../install/try-out.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { answer, paint } from "../terminal/print.ts";

export const install: Command = {
  name: "install",
  summary: "Show what to put into a client's configuration, or put it there",
  usage: "install --client NAME [--root DIR…] [--write] [--scope user|project] [--npx] [--http URL]",
  takes: [],
  options: {
    client: value("NAME", `one of ${CLIENT_NAMES.join(", ")}`),
    root: {
      ...value("DIR", "serve this directory, whatever project is open; without it, the project that is open", "r"),
      multiple: true,
    },
    write: flag("try the server out, then write into the client's file and keep a copy of it beside it"),
    force: flag("replace another entry of the same name"),
    "no-check": flag("do not try the server out before writing"),
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
    const asked = askedFor(terminal, given);
    return given.values.write === true ? write(terminal, asked, given) : show(terminal, asked, given);
  },
};

function show(terminal: Terminal, asked: Asked, given: Given): number {
  const { client, file, name, key, entry } = asked;
  const snippet = snippetOf(asked);
  const found = lookedUp(terminal, asked);
  const data = { client: given.values.client, file, key, name, entry, snippet };
  const title = paint(terminal, "bold", `${client.title}: put this into ${printable(file)}`);
  answer(
    terminal,
    given,
    { ...data, state: found?.state, existing: found?.existing },
    `${title}\n\n${printableJson(snippet)}`,
  );
  if (given.json) return 0;
  if (found?.state === "differs") {
    terminal.err(`\nThere is another entry named ${name}. What --write --force would change:\n`);
    terminal.err(changeInWords(found.existing, entry));
  } else {
    const next = found?.state === "same" ? "It is there already." : "Add --write to have it done.";
    terminal.err(`\n${inOrder([next, remoteHint(asked)])}\n`);
  }
  return 0;
}

/** What is in the file now. One that cannot be read is no reason not to show what belongs there. */
function lookedUp(terminal: Terminal, asked: Asked): Merged | undefined {
  try {
    return merged(readOwnerFile(asked.file) ?? "", asked);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    terminal.err(`stet: ${printable(error.message)}\n`);
    return undefined;
  }
}

function write(terminal: Terminal, asked: Asked, given: Given): number {
  const { file, name, entry } = asked;
  const { json } = given;
  const before = readOwnerFile(file);
  const { text, state, existing } = merged(before ?? "", asked);
  if (state === "differs" && given.values.force !== true) {
    if (!json) terminal.err(`What there is, and what it would become:\n${changeInWords(existing, entry)}`);
    throw new Refusal("already_exists", `${file} has another entry named ${name}; it was left as it is.`, {
      path: file,
      next: "Replace it with --force, or choose another --name.",
      details: { existing, wanted: entry },
    });
  }
  const tried = given.values["no-check"] === true ? undefined : tryOut(terminal, asked);
  const isChanged = state !== "same" && text !== before;
  const backup = isChanged && before !== undefined ? replaceOwnerFile(file, before, text) : null;
  if (isChanged && before === undefined) writeNewFile(file, text);
  const did = { added: "now has", same: "already had", differs: "now has, instead of the entry before," }[state];
  if (!json) {
    terminal.out(`${printable(file)} ${did} the server ${name}.\n`);
    if (state === "differs") terminal.out(changeInWords(existing, entry));
    if (backup !== null) terminal.out(`The file as it was: ${printable(backup)}\n`);
  }
  const words = tried === undefined ? "" : `tried out: ${printable(tried)}\n`;
  answer(terminal, given, { file, name, state, backup, tried }, words);
  if (!json) terminal.err(`Left to do: ${inOrder([asked.client.afterwards, remoteHint(asked)])}\n`);
  return 0;
}

function remoteHint({ start }: Asked): string {
  return start !== undefined ? "" : `The client needs ${TOKEN_VARIABLE} in its environment.`;
}
