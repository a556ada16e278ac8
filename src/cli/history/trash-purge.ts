// stet trash purge: what leaves the trash for good, only after a yes.
import { Refusal } from "../../kernel/failure.ts";
import { findTrashed, listTrash, type PurgedAll, purgeAll, type Trashed } from "../../kernel/history/trash.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Given, Terminal } from "../command.ts";
import { sizeInWords } from "../print.ts";
import { UsageError } from "../usage.ts";
import { durationOf } from "./amounts.ts";
import { sessionOfPerson } from "./person.ts";
import { progressIn } from "./progress.ts";
import { safeJson, safeLine } from "./safe.ts";

/** Exit code 1 when nothing was dropped for want of a yes. */
export async function purgeTrash(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  const chosen = choiceIn(given);
  const json = given.values.json === true;
  if (given.values.yes !== true) return sayWhatWould(terminal, workspace, chosen, json);
  const call = { tool: "stet trash purge", signal: terminal.signal, progress: progressIn(terminal) };
  const doomed: string[] = [];
  for await (const { id } of chosenFrom(workspace, chosen)) doomed.push(id);
  const { purged, bytes, stillKept } = await purgeUntilStopped(sessionOfPerson(workspace, terminal), doomed, call);
  terminal.progress("");
  const left = doomed.length - purged.length;
  if (json) terminal.out(`${safeJson({ purged: purged.length, bytes, left })}\n`);
  else if (left === 0) terminal.out(`Purged ${files(purged.length)}, ${sizeInWords(bytes)} freed.\n`);
  else terminal.out(`Stopped before anything was purged: ${files(left)} left.\n`);
  if (stillKept.length > 0 && !json)
    terminal.err(`The bytes of ${files(stillKept.length)} stay: something else that can be brought back needs them.\n`);
  return left === 0 ? 0 : 1;
}

/** All or none: Ctrl-C counts until the journal says that they are gone. */
async function purgeUntilStopped(session: Session, doomed: readonly string[], call: CallOptions): Promise<PurgedAll> {
  try {
    return await purgeAll(session, doomed, call);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "cancelled") throw error;
    return { purged: [], bytes: 0, stillKept: [] };
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

async function* chosenFrom(workspace: Workspace, chosen: Choice): AsyncGenerator<Trashed> {
  if ("id" in chosen) {
    yield await findTrashed(workspace, chosen.id);
    return;
  }
  for await (const item of listTrash(workspace)) if (item.deletedAt <= chosen.before) yield item;
}

async function sayWhatWould(terminal: Terminal, workspace: Workspace, chosen: Choice, json: boolean): Promise<number> {
  let count = 0;
  let bytes = 0;
  for await (const { id, path, size } of chosenFrom(workspace, chosen)) {
    count++;
    bytes += size;
    if (!json && count <= MOST_NAMED) terminal.out(`  ${id}  ${safeLine(path)} (${sizeInWords(size)})\n`);
  }
  if (json) terminal.out(`${safeJson({ purged: 0, would: count, bytes })}\n`);
  else if (count > MOST_NAMED) terminal.out(`  … and ${count - MOST_NAMED} more\n`);
  if (count === 0) {
    terminal.err("Nothing in the trash fits.\n");
    return 0;
  }
  terminal.err(`Nothing was dropped. Repeat it with --yes to drop ${files(count)} for good.\n`);
  return 1;
}

const MOST_NAMED = 50;

function files(count: number): string {
  return count === 1 ? "1 deleted file" : `${count} deleted files`;
}
