// stet history export and import: the history of a directory as one file, and back.
import { readHistoryFile, writeHistoryFile } from "../../../backends/disk/history-file.ts";
import { receiveHistory } from "../../../backends/disk/receive.ts";
import { withDirectory } from "../../../backends/disk/transfer.ts";
import type { Transferred } from "../../../backends/transfer.ts";
import { plural } from "../../../core/plural.ts";
import { printable } from "../../../core/printable.ts";
import { absolute } from "../../config/paths.ts";
import { settingsOf } from "../../config/settings.ts";
import { flagsOf, onlyRoot, openRoot } from "../../open/workspaces.ts";
import type { Given, Terminal } from "../../options/command.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { UsageError } from "../../options/usage.ts";
import { printJson } from "../../terminal/print.ts";
import { tellHead, transferAll } from "../../transfer/place.ts";

/** Without the files of the directory. What other programs changed is recorded first. */
export async function exportHistory(terminal: Terminal, given: Given): Promise<number> {
  const { root, settings } = await directoryOf(terminal, given);
  const path = absolute(terminal.cwd, given.positionals[0]!, terminal.env);
  const workspace = openRoot({ ...root, further: false }, settings);
  const { backend, policy } = workspace;
  const author = sessionOfPerson(workspace, terminal).author({ tool: "stet history export" });
  try {
    return await withDirectory(
      backend,
      { history: true, files: false, mayRead: (each) => policy.allows(each, "read"), author },
      async (source) => {
        const done = await writeHistoryFile(path, source.head, (receiver) => transferAll(terminal, source, receiver));
        return tell(terminal, given, "Exported", { from: root.path, to: path }, done);
      },
    );
  } finally {
    await workspace.close();
  }
}

/** For a directory that has no history. Its files stay as they are. */
export async function importHistory(terminal: Terminal, given: Given, home: string): Promise<number> {
  const { root } = await directoryOf(terminal, given);
  const path = absolute(terminal.cwd, given.positionals[0]!, terminal.env);
  const done = await receiveHistory(home, root.path, (receiver) =>
    readHistoryFile(path, (source) => transferAll(terminal, source, receiver)),
  );
  return tell(terminal, given, "Imported", { from: path, to: root.path }, done);
}

async function directoryOf(terminal: Terminal, given: Given) {
  const settings = await settingsOf(terminal, flagsOf(given));
  const root = onlyRoot(settings);
  if (root.database !== undefined)
    throw new UsageError("A workspace in a database has its history there.", "stet pull copies it into a directory.");
  return { root, settings };
}

function tell(
  terminal: Terminal,
  { values }: Given,
  verb: string,
  { from, to }: { readonly from: string; readonly to: string },
  done: Transferred,
): number {
  const { entries, versions, head, damaged } = done;
  if (values.json === true) {
    printJson(terminal, { from, to, entries, versions, head, damaged });
    return 0;
  }
  const what = `${plural(entries, "entry")} and ${plural(versions, "kept version")}`;
  terminal.out(`${verb} ${what} from ${printable(from)} to ${printable(to)}.\n`);
  tellHead(terminal, done);
  return 0;
}
