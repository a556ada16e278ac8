// stet trash purge: what leaves the trash for good, only after a yes.
import { findTrashed, listTrash, purge, type Trashed } from "../../kernel/history/trash.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Given, Terminal } from "../command.ts";
import { sizeInWords } from "../print.ts";
import { UsageError } from "../usage.ts";
import { durationOf } from "./amounts.ts";
import { sessionOfPerson } from "./person.ts";
import { safeJson, safeLine } from "./safe.ts";

/** Exit code 1 when nothing was dropped for want of a yes. */
export async function purgeTrash(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  const chosen = choiceIn(given);
  const json = given.values.json === true;
  if (given.values.yes !== true) return sayWhatWould(terminal, workspace, chosen, json);
  const session = sessionOfPerson(workspace, terminal);
  const doomed: string[] = [];
  for await (const { id } of chosenFrom(workspace, chosen)) doomed.push(id);
  let bytes = 0;
  let purged = 0;
  for (const id of doomed) {
    if (terminal.signal.aborted) break;
    terminal.progress(`purging ${purged + 1} of ${doomed.length}`);
    const done = await purge(session, id, { tool: "stet trash purge" });
    purged++;
    bytes += done.bytes;
  }
  terminal.progress("");
  if (json) terminal.out(`${safeJson({ purged, bytes, left: doomed.length - purged })}\n`);
  else terminal.out(`Purged ${files(purged)}, ${sizeInWords(bytes)} freed.\n`);
  return purged === doomed.length ? 0 : 1;
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
  return { before: new Date(Date.now() - (age ?? 0)).toISOString() };
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
