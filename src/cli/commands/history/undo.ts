// stet undo: takes back one entry, or everything of a session, an agent, a path or a time, as one change.
import { Refusal, reworded } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { Undone, UndoOptions, UndoWhat } from "../../../kernel/history/undo.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { formatModeBack } from "../../../words/history.ts";
import { listed, plural } from "../../../words/plural.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import { defined, expectPositionals, momentOf, textOf, UsageError, wholeNumber } from "../../options/given.ts";
import { agreed, longCall, sessionNamed, sessionOfPerson } from "../../options/person.ts";
import { answer, printWarnings, shortList } from "../../terminal/print.ts";
import { lineCounts } from "./entry-line.ts";

export const undo: Command = {
  name: "undo",
  summary: "Take changes back: one entry, or all of a session, an agent, a time",
  usage: "undo ENTRY | --session ID | --agent NAME | --since TIME [--path PATH] [--merge] [--dry-run | --yes]",
  options: {
    ...OPEN_OPTIONS,
    session: value("ID", "everything of this session; conditions add up"),
    agent: value("NAME", "everything of this agent"),
    since: value(
      "TIME",
      "everything since then: 2026-01-31, 2h, 3d; without --session or --agent also what others changed outside stet",
    ),
    path: value("PATH", "only changes that touched this file; one of several files is taken back whole"),
    merge: flag("where a file was changed later, take back only the lines in question"),
    "dry-run": flag("say what would happen, change no file"),
    yes: flag(
      "take back more than one entry without a question; where there is no terminal to ask in, none is without it",
      "y",
    ),
  },
  notes: ["What would happen is computed from the files and the kept versions; modes are as the journal says."],
  examples: [
    "stet undo 12",
    "stet undo --session 3f2a9c10 --dry-run",
    "stet undo --since 2h --agent claude --yes",
    "stet undo 12 --merge",
  ],
  async run(terminal, given) {
    return withWorkspace(terminal, given, async (workspace) => {
      const { undo: takeBack } = await import("../../../kernel/history/undo.ts");
      const what = await whatIn(given, workspace);
      const session = sessionOfPerson(workspace, terminal);
      const take = (more: UndoOptions): Promise<Undone> =>
        takeBack(session, what, {
          ...longCall(terminal, "stet undo"),
          onLaterChanges: given.values.merge ? "merge" : "refuse",
          deadlineMs: MAX_MS,
          maxFiles: Math.max(MAX_FILES, workspace.limits.maxFilesPerChange),
          ...more,
        }).catch((error) => inWordsOfTheShell(error, given));
      const dryRun = given.values["dry-run"] === true;
      if (dryRun || "entry" in what || given.values.yes === true)
        return print(terminal, given, await take({ dryRun }), dryRun);
      const would = await take({ dryRun: true });
      if (would.undone.length > 1) {
        print(terminal, given, would, true);
        if (!(await agreed(terminal, given, `take back ${plural(would.undone.length, "entry")}`))) return 1;
      }
      return print(terminal, given, await take({ among: new Set(would.undone) }), false);
    });
  },
};

/** Long enough for the history of a long session; Ctrl-C ends it earlier, before anything is changed. */
const MAX_MS = 10 * 60_000;
/** The limit for agents is not the owner's; but all files of one undo are open at once. */
const MAX_FILES = 10_000;

/** What to do next, with the options that there are here. */
function inWordsOfTheShell(error: unknown, given: Given): never {
  const next = error instanceof Refusal ? nextAfter(error, given) : undefined;
  throw error instanceof Refusal && next !== undefined ? reworded(error, { next }) : error;
}

function nextAfter({ kind, facts, failure: { details } }: Refusal, { values }: Given): string | undefined {
  if (kind === "stale_file" && facts?.mayMerge === true)
    return "Undo these first, or add --merge to take back only the lines in question.";
  if (kind === "too_many_files") {
    if (typeof details?.since === "string") {
      const how = values.since === undefined ? "add --since" : "change --since to";
      return `Take back the newest part first: ${how} ${details.since}; then repeat this.`;
    }
    return details?.newest === undefined
      ? "Raise limits.maxFilesPerChange in a configuration file that you name with --config."
      : `Take back the newest entry first, with stet undo ${details.newest}; then repeat this.`;
  }
  if (kind === "not_kept" && details?.entry !== undefined)
    return `stet show ${details.entry} tells what it changed, as far as that is kept; change the file by hand.`;
  return undefined;
}

async function whatIn(given: Given, workspace: Workspace): Promise<UndoWhat> {
  const session = textOf(given, "session");
  const agent = textOf(given, "agent");
  const since = momentOf(given, "since");
  const path = textOf(given, "path");
  const conditions = [session, agent, since].some((each) => each !== undefined);
  if (path !== undefined && !conditions)
    throw new UsageError(
      "--path alone would take back all that ever happened to it.",
      "Add --since, --session or --agent.",
    );
  if (!conditions) {
    if (given.positionals.length === 0)
      throw new UsageError("stet undo needs an ENTRY, or --session, --agent or --since.", `Usage: stet ${undo.usage}`);
    expectPositionals(undo, given, ["ENTRY"]);
    return { entry: wholeNumber(given.positionals[0]!, "ENTRY") };
  }
  if (given.positionals.length > 0)
    throw new UsageError("Name one entry, or say which entries by options; not both.", `Usage: stet ${undo.usage}`);
  return defined({
    session: session === undefined ? undefined : await sessionNamed(workspace, session),
    agent,
    since,
    path: path && (await workspace.backend.resolve(path, { link: true, existed: true })).path,
  });
}

function print(terminal: Terminal, given: Given, done: Undone, dryRun: boolean): number {
  const { undone, entry, files, warnings, modes } = done;
  const changed = files.filter(({ path, before, after }) => before !== after || modes.has(path));
  const data = changed.map(({ path, before, after, movedFrom, diff: { insertions, deletions } }) => {
    const mode = modes.get(path);
    return { path, before, after, movedFrom, insertions, deletions, mode: mode && { ...mode, from: "journal" } };
  });
  const lines = shortList(changed, ({ path, before, after, diff }) => {
    const became = after === null ? "removed" : before === null ? "brought back" : "changed back";
    const mode = modes.get(path);
    // A diff that was left out has no counts.
    const counts = diff.insertions + diff.deletions === 0 ? "" : ` ${lineCounts(terminal, diff)}`;
    return `${became.padEnd(12)}  ${printable(path)}${counts}${mode === undefined ? "" : `, ${formatModeBack(mode)}`}`;
  });
  const entries = `${undone.length === 1 ? "entry" : `${undone.length} entries:`} ${listed(undone, 10)}`;
  const how = entry === undefined ? "" : `, as entry ${entry.seq}`;
  const nothing = !dryRun && changed.length === 0;
  const said = nothing
    ? `Nothing was left to take back of ${entries}.`
    : `${dryRun ? "Would take" : "Took"} back ${entries}${how}:`;
  answer(terminal, given, { undone, dryRun, entry: entry?.seq, files: data, warnings }, `${said}\n${lines}`);
  if (!given.json) printWarnings(terminal, warnings);
  return 0;
}
