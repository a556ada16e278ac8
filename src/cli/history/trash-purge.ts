// stet trash purge: what leaves the trash for good, only after a yes.
import { counted, listed } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { findTrashed, listTrash, type PurgedAll, purgeAll, type Trashed } from "../../kernel/history/trash.ts";
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

/** Exit code 1 when nothing was dropped for want of a yes, or not all that was asked for. */
export async function purgeTrash(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  const chosen = choiceIn(given);
  const json = given.values.json === true;
  const call = { tool: "stet trash purge", signal: terminal.signal, progress: progressIn(terminal) };
  if (given.values.yes !== true) {
    const { doomed, left } = await choose(workspace, chosen, call);
    sayWhatWould(terminal, doomed, json);
    sayWhatIsLeft(terminal, left);
    if (doomed.length === 0) return left.length === 0 ? 0 : 1;
    if (!(await agreed(terminal, given, `drop ${counted(doomed.length, "deleted file")} for good`))) return 1;
  }
  const done = await purgeUntilStopped(sessionOfPerson(workspace, terminal), chosen, call);
  terminal.progress("");
  const stopped = done === undefined;
  const { purged, bytes, stillKept, left } = done ?? { purged: [], bytes: 0, stillKept: [], left: [] };
  const notPurged = left.length > 0 ? { notPurged: left.map(({ path }) => path) } : {};
  if (json) terminal.out(`${safeJson({ purged: purged.length, bytes, stopped, ...notPurged })}\n`);
  else if (stopped) terminal.out("Stopped before anything was purged.\n");
  else terminal.out(`Purged ${counted(purged.length, "deleted file")}, ${sizeInWords(bytes)} freed.\n`);
  if (stillKept.length > 0 && !json)
    terminal.err(
      `The bytes of ${counted(stillKept.length, "deleted file")} stay: something else that can be brought back needs them.\n`,
    );
  sayWhatIsLeft(terminal, left);
  return stopped || left.length > 0 ? 1 : 0;
}

/** All or none: Ctrl-C counts until the journal says that they are gone. */
async function purgeUntilStopped(
  session: Session,
  chosen: Choice,
  call: CallOptions,
): Promise<(PurgedAll & Pick<Chosen, "left">) | undefined> {
  try {
    const { doomed, left } = await choose(session.workspace, chosen, call);
    const ids = doomed.map(({ id }) => id);
    return { ...(await purgeAll(session, ids, call)), left };
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

interface Chosen {
  readonly doomed: readonly Trashed[];
  /** What the policy forbids to purge. A single one is refused instead. */
  readonly left: readonly Trashed[];
}

async function choose(workspace: Workspace, chosen: Choice, call: CallOptions): Promise<Chosen> {
  if ("id" in chosen) return { doomed: [await findTrashed(workspace, chosen.id, call)], left: [] };
  const found: Trashed[] = [];
  for await (const item of listTrash(workspace, call)) if (item.deletedAt <= chosen.before) found.push(item);
  const may = ({ path }: Trashed): boolean => workspace.policy.allows(path, "purge");
  return { doomed: found.filter(may), left: found.filter((item) => !may(item)) };
}

function sayWhatWould(terminal: Terminal, items: readonly Trashed[], json: boolean): void {
  const lines = items.slice(0, MAX_NAMED).map(({ id, path, size }) => {
    return `  ${printable(id)}  ${printable(path)} (${sizeInWords(size)})\n`;
  });
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  terminal.progress("");
  if (items.length > MAX_NAMED) lines.push(`  … and ${items.length - MAX_NAMED} more\n`);
  terminal.out(json ? `${safeJson({ purged: 0, would: items.length, bytes })}\n` : lines.join(""));
  if (items.length === 0) terminal.err("Nothing in the trash fits.\n");
}

function sayWhatIsLeft(terminal: Terminal, left: readonly Trashed[]): void {
  if (left.length === 0) return;
  const names = left.map(({ path }) => printable(path));
  terminal.err(`Not purged, the policy forbids it: ${listed(names, MAX_NAMED)}\n`);
}

const MAX_NAMED = 50;
