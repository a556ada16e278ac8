// stet trash: deleted files listed, brought back, or dropped for good.
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { purgeAll } from "../../../kernel/history/purge.ts";
import { findTrashed, listTrash, restore, type Trashed, type TrashFilter } from "../../../kernel/history/trash.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { formatUnusualMode } from "../../../words/history.ts";
import { listed, plural } from "../../../words/plural.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import { countOf, defined, durationOf, textOf, UsageError, type Verb, verbIn } from "../../options/given.ts";
import { agreed, longCall, sessionOfPerson } from "../../options/person.ts";
import { answer, printWarnings, shortList, sizeInWords, table } from "../../terminal/print.ts";
import { safeJson } from "../../terminal/safe.ts";
import { clock } from "./entry-line.ts";

export const trash: Command = {
  name: "trash",
  summary: "List deleted files, bring one back, or drop them for good",
  usage: "trash list [--path PATH] | restore ID [--to PATH] | purge ID|--older-than AGE|--all [--yes]",
  options: {
    ...OPEN_OPTIONS,
    path: value("PATH", "list: only deletions of this path"),
    limit: value("N", "list: how many at most (100 by default)", "n"),
    to: value("PATH", "restore: another path than the old one"),
    "older-than": value("AGE", "purge: what was deleted longer ago: 30d, 12h"),
    all: flag("purge: everything in the trash"),
    yes: flag("purge: do it; without it, say only what would be dropped", "y"),
    json: flag("list: one deletion a line; restore, purge: one object"),
  },
  examples: [
    "stet trash list",
    "stet trash restore 12",
    "stet trash restore 12 --to notes/old.md",
    "stet trash purge --older-than 30d --yes",
  ],
  notes: ["Sizes in the list are as the journal says."],
  async run(terminal, given) {
    const { verb, rest } = verbIn(trash, VERBS, given, "list");
    return withWorkspace(terminal, given, (workspace) => verb.run(terminal, rest, workspace));
  },
};

const VERBS: Readonly<Record<string, Verb<Workspace>>> = {
  list: { takes: [], run: list },
  restore: { takes: ["ID"], run: bringBack },
  purge: { run: purge },
};
const USUAL_LIMIT = 100;

async function list(terminal: Terminal, given: Given, workspace: Workspace): Promise<number> {
  const named = textOf(given, "path");
  const limit = countOf(given, "limit") ?? USUAL_LIMIT;
  const place = named === undefined ? undefined : await workspace.backend.resolve(named, { link: true, existed: true });
  const { progress } = longCall(terminal, "stet trash list");
  const rows: string[][] = [];
  let found = 0;
  for await (const item of listTrash(workspace, defined({ path: place?.path, progress, owner: true }))) {
    if (++found > limit) break;
    if (given.json) terminal.out(`${safeJson(item)}\n`);
    else rows.push(rowOf(item));
  }
  if (given.json) return 0;
  if (found === 0) terminal.err("The trash is empty.\n");
  else terminal.out(table(terminal, ["id", "deleted", "size", "by", "with", "path"], rows));
  if (found > limit) terminal.err("There are more: name a --path or raise --limit.\n");
  return 0;
}

function rowOf({ id, path, size, deletedAt, agent, session, tool }: Trashed): string[] {
  return [id, clock(deletedAt), sizeInWords(size), agent ?? session, tool, path].map(printable);
}

async function bringBack(terminal: Terminal, given: Given, workspace: Workspace): Promise<number> {
  const to = textOf(given, "to");
  const { tool, signal } = longCall(terminal, "stet trash restore");
  const call = { tool, signal, ...(to !== undefined && { to }) };
  const done = await restore(sessionOfPerson(workspace, terminal), given.positionals[0]!, call);
  const { entry, files, from, warnings } = done;
  const { path, size } = files[0] ?? from;
  const mode = formatUnusualMode(from.mode);
  const what = `${printable(path)} (${sizeInWords(size)})${mode === undefined ? "" : `, ${mode}`}`;
  const data = { id: from.id, path, sha256: from.sha, size, entry: entry?.seq, warnings };
  answer(terminal, given, data, `Brought back ${what}, as entry ${entry?.seq}.\n`);
  if (!given.json) printWarnings(terminal, warnings);
  return 0;
}

/** Exit code 1 when nothing was dropped for want of a yes, or not all that was asked for. */
async function purge(terminal: Terminal, given: Given, workspace: Workspace): Promise<number> {
  const { json } = given;
  const choice = choiceIn(given);
  const call = longCall(terminal, "stet trash purge");
  const chosen = await unlessStopped(choose(workspace, choice, { ...call, owner: true }));
  if (chosen !== undefined && given.values.yes !== true) {
    const { doomed, left } = chosen;
    const bytes = doomed.reduce((sum, { size }) => sum + size, 0);
    const named = ({ id, path, size }: Trashed) => `${printable(id)}  ${printable(path)} (${sizeInWords(size)})`;
    answer(terminal, given, { purged: 0, would: doomed.length, bytes }, shortList(doomed, named, MAX_NAMED));
    if (doomed.length === 0) terminal.err("Nothing in the trash fits.\n");
    tellLeft(terminal, left);
    if (doomed.length === 0) return left.length === 0 ? 0 : 1;
    if (!(await agreed(terminal, given, `drop ${plural(doomed.length, "deleted file")} for good`))) return 1;
  }
  const ids = chosen?.doomed.map(({ id }) => id) ?? [];
  const done = chosen && (await unlessStopped(purgeAll(sessionOfPerson(workspace, terminal), ids, call)));
  const stopped = done === undefined;
  const { purged, bytes, stillKept } = done ?? { purged: [], bytes: 0, stillKept: [] };
  const left = stopped ? [] : chosen!.left;
  const notPurged = left.length > 0 ? left.map(({ path }) => path) : undefined;
  const said = stopped
    ? "Stopped before anything was purged."
    : `Purged ${plural(purged.length, "deleted file")}, ${sizeInWords(bytes)} freed.`;
  answer(terminal, given, { purged: purged.length, bytes, stopped, notPurged }, `${said}\n`);
  const kept = plural(stillKept.length, "deleted file");
  if (stillKept.length > 0 && !json)
    terminal.err(`The bytes of ${kept} stay: something else that can be brought back needs them.\n`);
  tellLeft(terminal, left);
  return stopped || left.length > 0 ? 1 : 0;
}

/** All or none: Ctrl-C counts until the journal says that they are gone. */
async function unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error) => {
    if (error instanceof Refusal && error.kind === "cancelled") return undefined;
    throw error;
  });
}

type Choice = { readonly id: string } | { readonly before: string };

function choiceIn(given: Given): Choice {
  const [id, ...others] = given.positionals;
  const age = durationOf(given, "older-than");
  const ways = [id !== undefined, age !== undefined, given.values.all === true].filter(Boolean).length;
  if (ways !== 1 || others.length > 0)
    throw new UsageError("stet trash purge needs one ID, --older-than AGE or --all.", "stet trash list shows the ids.");
  if (id !== undefined) return { id };
  return { before: new Date(Math.max(0, Date.now() - (age ?? 0))).toISOString() };
}

interface Chosen {
  readonly doomed: readonly Trashed[];
  /** What the policy forbids to purge. A single one is refused instead. */
  readonly left: readonly Trashed[];
}

async function choose(workspace: Workspace, choice: Choice, call: TrashFilter): Promise<Chosen> {
  if ("id" in choice) return { doomed: [await findTrashed(workspace, choice.id, call)], left: [] };
  const found: Trashed[] = [];
  for await (const item of listTrash(workspace, call)) if (item.deletedAt <= choice.before) found.push(item);
  const may = ({ path }: Trashed): boolean => workspace.policy.allows(path, "purge");
  return { doomed: found.filter(may), left: found.filter((item) => !may(item)) };
}

function tellLeft(terminal: Terminal, left: readonly Trashed[]): void {
  const names = left.map(({ path }) => printable(path));
  if (left.length > 0) terminal.err(`Not purged, the policy forbids it: ${listed(names, MAX_NAMED)}\n`);
}

const MAX_NAMED = 50;
