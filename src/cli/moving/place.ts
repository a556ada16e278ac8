// What both ways of moving a workspace have in common at the command line: the address, and the words at the end.
import { GENESIS } from "../../backends/journal/entry.ts";
import { type Moved, moveWhole, type Reached, type Receiver, type Whole } from "../../backends/moving.ts";
import type { Verification } from "../../core/backend.ts";
import { counted, listed } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
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

/** Refuses a journal that is not whole: what it says would be believed at the other end. */
export function requireWhole({ ok, problems }: Verification): void {
  if (ok) return;
  const [first] = problems;
  const why = first === undefined ? "" : ` At entry ${first.seq}: ${first.problem}`;
  throw new Refusal("journal_damaged", `Nothing was moved, because the journal is damaged.${why}`, {
    next: "stet verify tells all that is wrong. --no-history moves the files alone.",
  });
}

interface Arriving {
  readonly history: boolean;
  /** Makes visible what came, if it is what was sent. */
  finish(head: Reached): Promise<Verification>;
}

/** All of it, seen to have arrived. */
export async function moveAll(
  terminal: Terminal,
  from: Whole,
  to: Receiver,
  { history, finish }: Arriving,
): Promise<{ readonly moved: Moved; readonly head: Reached }> {
  const head = history ? from.head : { seq: 0, hash: GENESIS };
  const moved = await moveWhole(from, to, {
    history,
    signal: terminal.signal,
    progress: (words) => terminal.progress(words),
  });
  requireArrived(await finish(head), head);
  return { moved, head };
}

function requireArrived({ ok, head }: Verification, sent: Reached): void {
  if (ok && head.hash === sent.hash) return;
  throw new Refusal("journal_damaged", "What arrived is not what was sent; it was not made visible.", {
    next: "Run the same command again. If it happens again, look at the disk and at the network.",
  });
}

interface Told {
  readonly from: string;
  readonly to: string;
  readonly moved: Moved;
  readonly head: Reached;
  readonly left: readonly string[];
}

const MAX_SHOWN = 10;

export function tellMoved(terminal: Terminal, { values }: Given, { from, to, moved, head, left }: Told): number {
  terminal.progress("");
  const { files, versions, entries, damaged } = moved;
  if (values.json === true) {
    printJson(terminal, { from, to, files, versions, entries, head, left, damaged });
    return 0;
  }
  const history =
    values["no-history"] === true
      ? "without a history"
      : `with ${counted(entries, "entry")} and ${counted(versions, "kept version")}`;
  terminal.out(`Moved ${counted(files, "file")} from ${printable(from)} to ${printable(to)}, ${history}.\n`);
  if (entries > 0) terminal.out(`The journal is whole at both ends.\nhead ${head.seq}:${head.hash}\n`);
  if (damaged.length > 0)
    terminal.err(`${counted(damaged.length, "kept version")} had other bytes than their names say, and stayed.\n`);
  if (left.length > 0) {
    const names = listed(left.map(printable), MAX_SHOWN);
    terminal.err(`Not moved, because the policy denies reading it or it is no file: ${names}.\n`);
  }
  return 0;
}
