// stet trash: deleted files listed, brought back, or dropped for good.
import { Refusal } from "../../../core/failure.ts";
import { listed, plural } from "../../../core/plural.ts";
import { printable } from "../../../core/printable.ts";
import { type Source, toldDiff } from "../../../kernel/history/entry.ts";
import { type PurgedAll, purgeAll } from "../../../kernel/history/purge.ts";
import { findTrashed, listTrash, restore, type Trashed } from "../../../kernel/history/trash.ts";
import type { CallOptions, Session } from "../../../kernel/session.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { formatUnusualMode } from "../../../words/history.ts";
import { AS_JOURNAL_SAYS, clock } from "../../history/entry-line.ts";
import { OPEN_ABOUT, OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { countOf, durationOf, textOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { agreed } from "../../options/confirmation.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { UsageError } from "../../options/usage.ts";
import { type Verb, verbIn } from "../../options/verbs.ts";
import { printWarnings, sizeInWords, table } from "../../terminal/print.ts";
import { progressIn } from "../../terminal/progress.ts";
import { safeJson } from "../../terminal/safe.ts";

export const trash: Command = {
  name: "trash",
  summary: "List deleted files, bring one back, or drop them for good",
  usage: "trash list [--path PATH] | restore ID [--to PATH] | purge ID|--older-than AGE|--all [--yes]",
  options: {
    ...OPEN_OPTIONS,
    path: { type: "string" },
    limit: { type: "string", short: "n" },
    to: { type: "string" },
    "older-than": { type: "string" },
    all: { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  },
  about: {
    ...OPEN_ABOUT,
    path: "list: only deletions of this path",
    limit: "list: how many at most (100 by default)",
    to: "restore: another path than the old one",
    "older-than": "purge: what was deleted longer ago: 30d, 12h",
    all: "purge: everything in the trash",
    yes: "purge: do it; without it, say only what would be dropped",
    json: "list: one deletion a line; restore, purge: one object",
  },
  examples: [
    "stet trash list",
    "stet trash restore 12",
    "stet trash restore 12 --to notes/old.md",
    "stet trash purge --older-than 30d --yes",
  ],
  notes: ["Sizes are those of the kept versions; ~ marks one that could not be checked so: it is as the journal says."],
  async run(terminal, given) {
    const { verb, rest } = verbIn(trash, VERBS, given, "list");
    return withWorkspace(terminal, given, (workspace) => verb.run(terminal, rest, workspace));
  },
};

const VERBS: Readonly<Record<string, Verb<Workspace>>> = {
  list: { takes: [], run: list },
  restore: { takes: ["ID"], run: bringBack },
  purge: { run: (terminal, given, workspace) => purgeTrash(terminal, workspace, given) },
};
const USUAL_LIMIT = 100;

async function list(terminal: Terminal, given: Given, workspace: Workspace): Promise<number> {
  const path = textOf(given, "path");
  const limit = countOf(given, "limit") ?? USUAL_LIMIT;
  const at =
    path === undefined ? {} : { path: (await workspace.backend.resolve(path, { link: true, existed: true })).path };
  const rows: string[][] = [];
  const room = { bytes: MAX_READ };
  let found = 0;
  for await (const item of listTrash(workspace, { ...at, progress: progressIn(terminal) })) {
    if (++found > limit) break;
    const deletion = { ...item, before: item.sha, after: null, beforeSize: item.size, afterSize: 0 };
    const sizes = await toldDiff(workspace.backend, deletion, { room, maxBytes: 0, largest: 0 });
    const sized = { ...item, size: sizes.beforeSize, sizeFrom: sizes.sizesFrom };
    if (given.values.json) terminal.out(`${safeJson(sized)}\n`);
    else rows.push(rowOf(sized));
  }
  terminal.progress("");
  if (given.values.json) return 0;
  if (found === 0) terminal.err("The trash is empty.\n");
  else terminal.out(`${table(terminal, ["id", "deleted", "size", "by", "with", "path"], rows)}\n`);
  if (found > limit) terminal.err("There are more: name a --path or raise --limit.\n");
  return 0;
}

/** Of kept versions for one list, so that it stays quick. */
const MAX_READ = 32 * 1024 * 1024;

function rowOf(item: Trashed & { readonly sizeFrom: Source }): string[] {
  const { id, path, size, sizeFrom, deletedAt, agent, session, tool } = item;
  const mark = sizeFrom === "journal" ? AS_JOURNAL_SAYS : "";
  const who = printable(agent ?? session);
  return [printable(id), clock(deletedAt), `${mark}${sizeInWords(size)}`, who, printable(tool), printable(path)];
}

async function bringBack(terminal: Terminal, given: Given, workspace: Workspace): Promise<number> {
  const to = textOf(given, "to");
  const { entry, files, from, warnings } = await restore(sessionOfPerson(workspace, terminal), given.positionals[0]!, {
    tool: "stet trash restore",
    signal: terminal.signal,
    ...(to !== undefined && { to }),
  });
  const { path, size } = files[0] ?? from;
  if (given.values.json) {
    terminal.out(`${safeJson({ id: from.id, path, sha256: from.sha, size, entry: entry?.seq, warnings }, 2)}\n`);
    return 0;
  }
  const mode = formatUnusualMode(from.mode);
  const what = `${printable(path)} (${sizeInWords(size)})${mode === undefined ? "" : `, ${mode}`}`;
  terminal.out(`Brought back ${what}, as entry ${entry?.seq}.\n`);
  printWarnings(terminal, warnings);
  return 0;
}

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
    if (!(await agreed(terminal, given, `drop ${plural(doomed.length, "deleted file")} for good`))) return 1;
  }
  const done = await purgeUntilStopped(sessionOfPerson(workspace, terminal), chosen, call);
  terminal.progress("");
  const stopped = done === undefined;
  const { purged, bytes, stillKept, left } = done ?? { purged: [], bytes: 0, stillKept: [], left: [] };
  const notPurged = left.length > 0 ? { notPurged: left.map(({ path }) => path) } : {};
  if (json) terminal.out(`${safeJson({ purged: purged.length, bytes, stopped, ...notPurged })}\n`);
  else if (stopped) terminal.out("Stopped before anything was purged.\n");
  else terminal.out(`Purged ${plural(purged.length, "deleted file")}, ${sizeInWords(bytes)} freed.\n`);
  if (stillKept.length > 0 && !json)
    terminal.err(
      `The bytes of ${plural(stillKept.length, "deleted file")} stay: something else that can be brought back needs them.\n`,
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
