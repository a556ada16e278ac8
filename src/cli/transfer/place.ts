// Parts of push, pull, export and import: the address, the progress, the words at the end.
import { type Receiver, type Source, type Transferred, transfer } from "../../backends/transfer.ts";
import { listed, plural } from "../../core/plural.ts";
import { printable } from "../../core/printable.ts";
import { type DatabaseRoot, databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "../config/database-root.ts";
import type { Given, Terminal } from "../options/command.ts";
import { UsageError } from "../options/usage.ts";
import { printJson } from "../terminal/print.ts";

export const MOVE_OPTIONS = { "no-history": { type: "boolean" } } as const;
export const MOVE_ABOUT = {
  "no-history": "only the files as they are now: a new history begins",
} as const;

/** The workspace in a database that an argument names. */
export function placeNamed(terminal: Terminal, text: string): DatabaseRoot & { readonly workspace: string } {
  const place = isDatabaseUrl(text) ? databaseRoot(text) : undefined;
  if (place?.workspace === undefined)
    throw new UsageError(
      "The other end of a move is a workspace in a database.",
      "Give it as postgres://USER@HOST:PORT/DATABASE/WORKSPACE, or …/DATABASE/TENANT/WORKSPACE.",
    );
  if (place.hasPassword) terminal.err(`stet: ${PASSWORD_SEEN}\n`);
  return { ...place, workspace: place.workspace };
}

export async function transferAll(terminal: Terminal, from: Source, to: Receiver): Promise<Transferred> {
  try {
    return await transfer(from, to, { signal: terminal.signal, progress: (words) => terminal.progress(words) });
  } finally {
    terminal.progress("");
  }
}

interface Told {
  readonly from: string;
  readonly to: string;
  readonly done: Transferred;
  readonly left?: readonly string[];
}

const MAX_SHOWN = 10;

export function tellCopied(terminal: Terminal, { values }: Given, { from, to, done, left = [] }: Told): number {
  const { files, versions, entries, head, damaged } = done;
  if (values.json === true) {
    printJson(terminal, { from, to, files, versions, entries, head, left, damaged });
    return 0;
  }
  const history =
    values["no-history"] === true
      ? "without a history"
      : `with ${plural(entries, "entry")} and ${plural(versions, "kept version")}`;
  terminal.out(`Copied ${plural(files, "file")} from ${printable(from)} to ${printable(to)}, ${history}.\n`);
  tellHead(terminal, done);
  if (left.length > 0) {
    const names = listed(left.map(printable), MAX_SHOWN);
    terminal.err(`Not moved, because the policy denies reading it or it is no file: ${names}.\n`);
  }
  return 0;
}

export function tellHead(terminal: Terminal, { entries, head, damaged }: Transferred): void {
  if (entries > 0) terminal.out(`The journal is whole at both ends.\nhead ${head.seq}:${head.hash}\n`);
  if (damaged.length > 0)
    terminal.err(`${plural(damaged.length, "kept version")} had other bytes than their names say, and stayed.\n`);
}
