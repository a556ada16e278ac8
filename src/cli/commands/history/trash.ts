// stet trash: deleted files listed, brought back, or dropped for good.
import { printable } from "../../../core/printable.ts";
import { type Source, toldSize } from "../../../kernel/history/entry.ts";
import { listTrash, restore, type Trashed } from "../../../kernel/history/trash.ts";
import { unusualMode } from "../../../kernel/history/undo.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { AS_JOURNAL_SAYS, clock } from "../../history/entry-line.ts";
import { purgeTrash } from "../../history/trash-purge.ts";
import { withWorkspace } from "../../open/one-workspace.ts";
import { OPEN_ABOUT, OPEN_OPTIONS } from "../../open/workspaces.ts";
import { countOf, textOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { expectPositionals, nearest, UsageError } from "../../options/usage.ts";
import { columns, paint, sizeInWords } from "../../terminal/print.ts";
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
    limit: "list: how many at most (100 unless told)",
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
    const [verb = "list", ...positionals] = given.positionals;
    const work = Object.hasOwn(VERBS, verb) ? VERBS[verb as keyof typeof VERBS] : undefined;
    if (work === undefined) {
      const near = nearest(verb, Object.keys(VERBS));
      const next = near === undefined ? `Usage: stet ${trash.usage}` : `Did you mean stet trash ${near}?`;
      throw new UsageError(`stet trash cannot ${JSON.stringify(verb)}.`, next);
    }
    const rest = { ...given, positionals };
    return withWorkspace(terminal, given, (workspace) => work(terminal, workspace, rest));
  },
};

const VERBS = { list, restore: bringBack, purge: purgeTrash } as const;
const USUAL_LIMIT = 100;

async function list(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  expectPositionals({ ...trash, name: "trash list" }, given, []);
  const path = textOf(given, "path");
  const limit = countOf(given, "limit") ?? USUAL_LIMIT;
  const at =
    path === undefined ? {} : { path: (await workspace.backend.resolve(path, { link: true, existed: true })).path };
  const rows: string[][] = [];
  const room = { bytes: MOST_READ };
  let found = 0;
  for await (const item of listTrash(workspace, { ...at, progress: progressIn(terminal) })) {
    if (++found > limit) break;
    const told = { ...item, ...(await toldSize(workspace.backend, item, room)) };
    if (given.values.json) terminal.out(`${safeJson(told)}\n`);
    else rows.push(rowOf(told));
  }
  terminal.progress("");
  if (given.values.json) return 0;
  if (found === 0) terminal.err("The trash is empty.\n");
  if (rows.length > 0) {
    const heading = ["id", "deleted", "size", "by", "with", "path"].map((name) => paint(terminal, "dim", name));
    terminal.out(`${columns([heading, ...rows])}\n`);
  }
  if (found > limit) terminal.err("There are more: name a --path or raise --limit.\n");
  return 0;
}

/** Of kept versions for one list, so that it stays quick. */
const MOST_READ = 32 * 1024 * 1024;

function rowOf(item: Trashed & { readonly sizeFrom: Source }): string[] {
  const { id, path, size, sizeFrom, deletedAt, agent, session, tool } = item;
  const mark = sizeFrom === "journal" ? AS_JOURNAL_SAYS : "";
  const who = printable(agent ?? session);
  return [printable(id), clock(deletedAt), `${mark}${sizeInWords(size)}`, who, printable(tool), printable(path)];
}

async function bringBack(terminal: Terminal, workspace: Workspace, given: Given): Promise<number> {
  expectPositionals({ ...trash, name: "trash restore" }, given, ["ID"]);
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
  const mode = unusualMode(from.mode);
  const what = `${printable(path)} (${sizeInWords(size)})${mode === undefined ? "" : `, ${mode}`}`;
  terminal.out(`Brought back ${what}, as entry ${entry?.seq}.\n`);
  for (const warning of warnings) terminal.err(`${paint(terminal, "yellow", "warning:")} ${printable(warning)}\n`);
  return 0;
}
