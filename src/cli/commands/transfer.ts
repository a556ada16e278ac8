// stet push and pull, stet history export and import: copies of a workspace between a directory, a database and a file.
import { readHistoryFile, writeHistoryFile } from "../../backends/disk/history-file.ts";
import { stateHome } from "../../backends/disk/home.ts";
import { receiveDirectory, receiveHistory } from "../../backends/disk/receive.ts";
import { type DirectorySource, withDirectory } from "../../backends/disk/transfer.ts";
import { receiveInDatabase, withWorkspaceInDatabase } from "../../backends/postgres/transfer.ts";
import { type Receiver, type Source, type Transferred, transfer } from "../../backends/transfer.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { listed, plural } from "../../words/plural.ts";
import { type DatabaseRoot, databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "../config/database.ts";
import { absolute } from "../config/paths.ts";
import { type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import { flagsOf, OPEN_OPTIONS, onlyRoot, openRoot, tellNotes } from "../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal } from "../options/command.ts";
import { UsageError } from "../options/given.ts";
import { sessionOfPerson } from "../options/person.ts";
import { answer } from "../terminal/print.ts";

const MOVE_OPTIONS = { "no-history": flag("only the files as they are now: a new history begins") };

export const push: Command = {
  name: "push",
  summary: "Copy a directory with its whole history into a database",
  usage: "push DIR postgres://…/WORKSPACE [--no-history]",
  takes: ["DIR", "postgres://…/WORKSPACE"],
  options: { config: OPEN_OPTIONS.config, ...MOVE_OPTIONS },
  examples: [
    "stet push . postgres://stet@localhost/stet/acme/web",
    "stet push . postgres://stet@localhost/stet/acme/web --no-history",
  ],
  notes: [
    "The directory stays as it is. Files that the policy denies reading are not copied. All of it arrives or nothing:",
    "after a push that was cut short, run the same command again.",
  ],
  async run(terminal, given) {
    const [dir = "", target = ""] = given.positionals;
    const to = workspaceIn(terminal, target);
    const history = keepsHistory(given);
    const { root, settings } = await directoryNamed(terminal, given, [dir]);
    tellNotes(terminal, settings.notes);
    return fromDirectory(terminal, { root, settings, history, files: true, tool: "stet push" }, async (source) => {
      const done = await receiveInDatabase(to, (receiver) => transferAll(terminal, source, receiver));
      return tellCopied(terminal, given, { from: root.path, to: to.shown, done, left: source.left });
    });
  },
};

export const pull: Command = {
  name: "pull",
  summary: "Copy a workspace with its whole history out of a database",
  usage: "pull postgres://…/WORKSPACE DIR [--no-history]",
  takes: ["postgres://…/WORKSPACE", "DIR"],
  options: MOVE_OPTIONS,
  examples: ["stet pull postgres://stet@localhost/stet/acme/web ./web"],
  notes: [
    "DIR must be new or empty. It gets its name when all of it is there; a pull that was cut short leaves nothing that",
    "counts, and the same command starts anew. The workspace in the database stays as it is.",
  ],
  async run(terminal, given) {
    const [source = "", dir = ""] = given.positionals;
    const from = workspaceIn(terminal, source);
    const history = keepsHistory(given);
    const to = absolute(terminal.cwd, dir, terminal.env);
    const home = history ? stateHome(terminal.env) : null;
    if (home === undefined)
      throw new Refusal("unsupported", "There is no place for the history: this user has no home directory.", {
        next: "Set STET_STATE to a directory of this user, or pull with --no-history.",
      });
    return withWorkspaceInDatabase(from, history, async (workspace) => {
      const done = await receiveDirectory(to, home, (receiver) => transferAll(terminal, workspace, receiver));
      return tellCopied(terminal, given, { from: from.shown, to, done });
    });
  },
};

/** Without the files of the directory. What other programs changed is recorded first. */
export async function exportHistory(terminal: Terminal, given: Given): Promise<number> {
  const { root, settings } = await directoryNamed(terminal, given);
  const to = absolute(terminal.cwd, given.positionals[0]!, terminal.env);
  const what = { root, settings, history: true, files: false, tool: "stet history export" };
  return fromDirectory(terminal, what, async (source) => {
    const done = await writeHistoryFile(to, source.head, (receiver) => transferAll(terminal, source, receiver));
    return tell(terminal, given, `Exported ${historyOf(done)}`, { from: root.path, to, done });
  });
}

/** For a directory that has no history. Its files stay as they are. */
export async function importHistory(terminal: Terminal, given: Given, home: string): Promise<number> {
  const { root } = await directoryNamed(terminal, given);
  const from = absolute(terminal.cwd, given.positionals[0]!, terminal.env);
  const done = await receiveHistory(home, root.path, (receiver) =>
    readHistoryFile(from, (source) => transferAll(terminal, source, receiver)),
  );
  return tell(terminal, given, `Imported ${historyOf(done)}`, { from, to: root.path, done });
}

function keepsHistory({ values }: Given): boolean {
  return values["no-history"] !== true;
}

function workspaceIn(terminal: Terminal, text: string): DatabaseRoot & { readonly workspace: string } {
  const place = isDatabaseUrl(text) ? databaseRoot(text) : undefined;
  if (place?.workspace === undefined)
    throw new UsageError(
      "The other end of a move is a workspace in a database.",
      "Give it as postgres://USER@HOST:PORT/DATABASE/WORKSPACE, or …/DATABASE/TENANT/WORKSPACE.",
    );
  if (place.hasPassword) terminal.err(`stet: ${PASSWORD_SEEN}\n`);
  return { ...place, workspace: place.workspace };
}

async function directoryNamed(terminal: Terminal, given: Given, roots?: readonly string[]) {
  const settings = await settingsOf(terminal, flagsOf(given, roots));
  const root = onlyRoot(settings);
  if (root.database === undefined) return { root, settings };
  throw new UsageError(`${root.path} is a workspace in a database.`, "stet pull copies it into a directory.");
}

interface Taken {
  readonly root: RootSettings;
  readonly settings: Settings;
  readonly history: boolean;
  readonly files: boolean;
  readonly tool: string;
}

async function fromDirectory(
  terminal: Terminal,
  { root, settings, tool, ...what }: Taken,
  work: (source: DirectorySource) => Promise<number>,
): Promise<number> {
  const workspace = openRoot({ ...root, further: false }, settings);
  const { backend, policy } = workspace;
  const author = sessionOfPerson(workspace, terminal).author({ tool });
  try {
    return await withDirectory(backend, { ...what, mayRead: (path) => policy.allows(path, "read"), author }, work);
  } finally {
    await workspace.close();
  }
}

function transferAll(terminal: Terminal, from: Source, to: Receiver): Promise<Transferred> {
  return transfer(from, to, { signal: terminal.signal, progress: (words) => terminal.progress(words) });
}

interface Ends {
  readonly from: string;
  readonly to: string;
  readonly done: Transferred;
  /** Paths of files that were not copied. */
  readonly left?: readonly string[];
}

function tellCopied(terminal: Terminal, given: Given, ends: Ends): number {
  const history = keepsHistory(given) ? `with ${historyOf(ends.done)}` : "without a history";
  return tell(terminal, given, `Copied ${plural(ends.done.files, "file")}, ${history},`, ends);
}

function tell(terminal: Terminal, given: Given, what: string, { from, to, done, left = [] }: Ends): number {
  const { entries, head, damaged } = done;
  const whole = entries > 0 ? `The journal is whole at both ends.\nhead ${head.seq}:${head.hash}\n` : "";
  const said = `${what} from ${printable(from)} to ${printable(to)}.\n${whole}`;
  answer(terminal, given, { from, to, ...done, left }, said);
  if (given.json) return 0;
  if (damaged.length > 0)
    terminal.err(`${plural(damaged.length, "kept version")} had other bytes than their names say, and stayed.\n`);
  const names = listed(left.map(printable), MAX_SHOWN);
  if (left.length > 0) terminal.err(`Not copied, because the policy denies reading it or it is no file: ${names}.\n`);
  return 0;
}

const MAX_SHOWN = 10;

function historyOf({ entries, versions }: Transferred): string {
  return `${plural(entries, "entry")} and ${plural(versions, "kept version")}`;
}
