// stet trash purge: what leaves the trash for good, only after a yes.
import { counted } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { findTrashed, listTrash, type PurgedAll, purgeAll, type Trashed } from "../../kernel/history/trash/trash.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { durationOf } from "../options/amounts.ts";
import type { Given, Terminal } from "../options/command.ts";
import { agreed } from "../options/confirmation.ts";
import { sessionOfPerson } from "../options/person.ts";
import { UsageError } from "../options/usage.ts";
import { sizeInWords } from "../terminal/print.ts";
import { progressIn } from "../terminal/progress.ts";
import { safeJson } from "../terminal/safe.ts";

/** Exit code 1 when nothing was dropped for want of a yes. */
export async function purgeTrash(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  const chosen = choiceIn(given);
  const json = given.values.json === true;
  const call = { tool: "stet trash purge", signal: terminal.signal, progress: progressIn(terminal) };
  if (given.values.yes !== true) {
    const count = await sayWhatWould(terminal, chosenFrom(workspace, chosen, call), json);
    if (count === 0) return 0;
    if (!(await agreed(terminal, given, `drop ${counted(count, "deleted file")} for good`))) return 1;
  }
  const done = await purgeUntilStopped(sessionOfPerson(workspace, terminal), chosen, call);
  terminal.progress("");
  const stopped = done === undefined;
  const { purged, bytes, stillKept } = done ?? { purged: [], bytes: 0, stillKept: [] };
  if (json) terminal.out(`${safeJson({ purged: purged.length, bytes, stopped })}\n`);
  else if (stopped) terminal.out("Stopped before anything was purged.\n");
  else terminal.out(`Purged ${counted(purged.length, "deleted file")}, ${sizeInWords(bytes)} freed.\n`);
  if (stillKept.length > 0 && !json)
    terminal.err(
      `The bytes of ${counted(stillKept.length, "deleted file")} stay: something else that can be brought back needs them.\n`,
    );
  return stopped ? 1 : 0;
}

/** All or none: Ctrl-C counts until the journal says that they are gone. */
async function purgeUntilStopped(session: Session, chosen: Choice, call: CallOptions): Promise<PurgedAll | undefined> {
  try {
    const doomed: string[] = [];
    for await (const { id } of chosenFrom(session.workspace, chosen, call)) doomed.push(id);
    return await purgeAll(session, doomed, call);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "cancelled") return undefined;
    throw error;
  }
}

type Choice = { readonly id: string } | { readonly before: string };

function choiceIn(given: Given): Choice {
  const [id, ...others] = given.positionals;
  const age = durationOf(given, "older-than");
  const ways = [id !== undefined, age !== undefined, given.values.all === true].filter(Boolean).length;
  if (ways !== 1 || others.length > 0) {
    throw new UsageError("stet trash purge needs one ID, --older-than AGE or --all.", "stet trash list shows the ids.");
  }
  if (id !== undefined) return { id };
  return { before: new Date(Math.max(0, Date.now() - (age ?? 0))).toISOString() };
}

async function* chosenFrom(workspace: Workspace, chosen: Choice, call: CallOptions): AsyncGenerator<Trashed> {
  if ("id" in chosen) {
    yield await findTrashed(workspace, chosen.id, call);
    return;
  }
  for await (const item of listTrash(workspace, call)) if (item.deletedAt <= chosen.before) yield item;
}

async function sayWhatWould(terminal: Terminal, items: AsyncIterable<Trashed>, json: boolean): Promise<number> {
  const lines: string[] = [];
  let count = 0;
  let bytes = 0;
  for await (const { id, path, size, elsewhere } of items) {
    count++;
    bytes += size;
    const from = elsewhere ? ", from elsewhere" : "";
    if (count <= MOST_NAMED) lines.push(`  ${printable(id)}  ${printable(path)} (${sizeInWords(size)}${from})\n`);
  }
  terminal.progress("");
  if (count > MOST_NAMED) lines.push(`  … and ${count - MOST_NAMED} more\n`);
  terminal.out(json ? `${safeJson({ purged: 0, would: count, bytes })}\n` : lines.join(""));
  if (count === 0) terminal.err("Nothing in the trash fits.\n");
  return count;
}

const MOST_NAMED = 50;
