// stet history: lists the histories of this user, gives one to another root, deletes one, or copies one to a file and back.
import {
  type AboutHistory,
  bytesOnDisk,
  forgetHistory,
  isRootThere,
  linkHistory,
  listHistories,
  stateHome,
} from "../../../backends/disk/home.ts";
import { realPlace } from "../../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { absolute } from "../../config/paths.ts";
import { settingsOf } from "../../config/settings.ts";
import { flagsOf, OPEN_OPTIONS, onlyRoot } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal } from "../../options/command.ts";
import { UsageError, type Verb, verbIn } from "../../options/given.ts";
import { agreed } from "../../options/person.ts";
import { answer, paint, sizeInWords, table } from "../../terminal/print.ts";
import { clock } from "./entry-line.ts";

export const history: Command = {
  name: "history",
  summary: "List the histories of all roots, link, delete, export or import one",
  usage: "history [list] | link PATH|ID [--root DIR] | forget PATH|ID [--yes] | export|import FILE [--root DIR]",
  options: {
    ...OPEN_OPTIONS,
    root: {
      ...OPEN_OPTIONS.root,
      about: "link, import: the directory that gets the history; export: whose it is (default: the current directory)",
    },
    yes: flag(
      "forget: do it without a question; where there is no terminal to ask in, nothing is deleted without it",
      "y",
    ),
  },
  examples: [
    "stet history",
    "stet history link ~/project",
    "stet history forget ~/old-project --yes",
    "stet history export ~/project.history",
    "stet history import ~/project.history --root ~/project",
  ],
  notes: [
    "A history belongs to one directory, known by its inode and the time it was made, not by its path.",
    "A directory that was deleted and cloned anew is another one: link gives it the old history.",
    "export writes the journal and all kept versions, not the files. import needs a directory without a history.",
  ],
  async run(terminal, given) {
    const { verb, rest } = verbIn(history, VERBS, given, "list");
    const home = stateHome(terminal.env);
    if (home === undefined)
      throw new Refusal("unsupported", "This user has no home directory.", {
        next: "Set STET_STATE, or give --state.",
      });
    return verb.run(terminal, rest, home);
  },
};

const VERBS: Readonly<Record<string, Verb<string>>> = {
  list: { takes: [], run: list },
  link: { takes: ["PATH|ID"], run: link },
  forget: { takes: ["PATH|ID"], run: forget },
  export: {
    takes: ["FILE"],
    run: async (terminal, given) => (await import("../transfer.ts")).exportHistory(terminal, given),
  },
  import: {
    takes: ["FILE"],
    run: async (terminal, given, home) => (await import("../transfer.ts")).importHistory(terminal, given, home),
  },
};

async function list(terminal: Terminal, given: Given, home: string): Promise<number> {
  const all = listHistories(home)
    .map((about) => ({ ...about, bytes: bytesOnDisk(about), isGone: !isRootThere(about) }))
    .sort((a, b) => b.usedAt.localeCompare(a.usedAt));
  if (all.length === 0 && !given.json) terminal.err(`There is no history in ${printable(home)}.\n`);
  const rows = all.map(({ id, root, usedAt, bytes, isGone }) => {
    const mark = isGone ? paint(terminal, "yellow", " (gone or moved)") : "";
    return [printable(id), sizeInWords(bytes), clock(usedAt).slice(0, DAY), `${printable(root)}${mark}`];
  });
  const words = all.length === 0 ? "" : table(terminal, ["id", "size", "last used", "root"], rows);
  return answer(terminal, given, all, words);
}

const DAY = "2026-01-31".length;

async function link(terminal: Terminal, given: Given, home: string): Promise<number> {
  const { path, database } = onlyRoot(await settingsOf(terminal, flagsOf(given)));
  if (database !== undefined) throw new UsageError("A workspace in a database has its history there.");
  const gone = listHistories(home).filter((about) => !isRootThere(about));
  const old = named(terminal, gone, given.positionals[0]!);
  linkHistory(home, old, path);
  const said = `${printable(path)} goes on with the history of ${printable(old.root)}.\n`;
  return answer(terminal, given, { from: old.root, root: path }, said);
}

async function forget(terminal: Terminal, given: Given, home: string): Promise<number> {
  const about = named(terminal, listHistories(home), given.positionals[0]!);
  const bytes = bytesOnDisk(about);
  const what = `delete the history of ${printable(about.root)}, ${sizeInWords(bytes)}, for good`;
  if (!(await agreed(terminal, given, what))) return 1;
  forgetHistory(home, about);
  const said = `Deleted the history of ${printable(about.root)}, ${sizeInWords(bytes)} freed.\n`;
  return answer(terminal, given, { root: about.root, bytes }, said);
}

/** By its id, or by the path of its root. */
function named({ cwd, env }: Terminal, all: readonly AboutHistory[], text: string): AboutHistory {
  const path = realPlace(absolute(cwd, text, env));
  const fitting = all.filter(({ id, root }) => id === text || root === path);
  const [only, ...others] = fitting;
  if (only === undefined)
    throw new Refusal("not_found", `There is no such history: ${text}.`, {
      next: "stet history lists them. Only one whose directory is gone can be linked.",
    });
  if (others.length === 0) return only;
  throw new Refusal("invalid_input", `There are ${fitting.length} histories of ${text}.`, {
    next: `Name one by its id: ${fitting.map(({ id }) => id).join(", ")}.`,
  });
}
