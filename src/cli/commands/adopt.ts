// stet adopt: the owner's decision about a state that was not made here. No tool can make it.
import { type Adoption, adoptState } from "../../backends/disk/trust/adopt.ts";
import { counted } from "../../core/counted.ts";
import { printable } from "../../core/printable.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { settingsOf } from "../config/settings.ts";
import { flagsOf, OPEN_ABOUT, OPEN_OPTIONS, onlyRoot, openOne } from "../open/workspaces.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { personIn } from "../options/person.ts";
import { expectPositionals, UsageError } from "../options/usage.ts";
import { paint, printJson } from "../terminal/print.ts";

export const adopt: Command = {
  name: "adopt",
  summary: "Take over a state that was not made here, or start anew beside it",
  usage: "adopt [--afresh] [--dry-run] [--root DIR]",
  options: { ...OPEN_OPTIONS, afresh: { type: "boolean" }, "dry-run": { type: "boolean" } },
  about: {
    ...OPEN_ABOUT,
    afresh: "take nothing over: the state is moved aside and kept, and a new one begins",
    "dry-run": "say what it is and whether its journal is whole; change nothing",
  },
  examples: ["stet adopt --dry-run", "stet adopt", "stet adopt --afresh"],
  async run(terminal, given) {
    expectPositionals(adopt, given, []);
    const settings = await settingsOf(terminal, flagsOf(given));
    const { path, stateDir, database } = onlyRoot(settings);
    if (database !== undefined)
      throw new UsageError("What is in a database has no state to adopt.", "stet verify checks its journal.");
    const afresh = given.values.afresh === true;
    const dryRun = given.values["dry-run"] === true;
    const { registerDir } = settings.workspace;
    const done = await adoptState({
      root: path,
      afresh,
      dryRun,
      signal: terminal.signal,
      progress: (words) => terminal.progress(words),
      ...(registerDir !== undefined && { registerDir }),
      ...(stateDir !== undefined && { stateDir }),
    });
    terminal.progress("");
    if (!dryRun) await note(terminal, given, done, afresh);
    if (given.values.json === true) printJson(terminal, { ...done, afresh, dryRun });
    else inWords(terminal, done, { afresh, dryRun });
    return 0;
  },
};

/** The new history begins with what was decided, by the person who decided it. */
async function note(terminal: Terminal, given: Given, done: Adoption, afresh: boolean): Promise<void> {
  const { workspace, close } = await openOne(terminal, given);
  try {
    await workspace.backend.record(draftOf(workspace, personIn(terminal), done, afresh));
  } finally {
    await close();
  }
}

function draftOf(workspace: Workspace, agent: string, { entries, versions, aside, why }: Adoption, afresh: boolean) {
  const taken = `${counted(entries, "entry")} and ${counted(versions, "version")} were taken over from elsewhere`;
  return {
    session: workspace.session().id,
    agent,
    tool: "stet adopt",
    outcome: "note" as const,
    changes: [],
    message: `${afresh ? "A new history begins here" : taken}; the state as it was lies in ${aside}.`,
    details: { entries, versions, aside, ...(why !== null && { why }) },
  };
}

function inWords(
  terminal: Terminal,
  done: Adoption,
  how: { readonly afresh: boolean; readonly dryRun: boolean },
): void {
  const { path, why, verification, versions, entries, unfinished, aside } = done;
  const [problem] = verification.problems;
  const whole = verification.ok ? paint(terminal, "green", "whole") : paint(terminal, "red", "damaged");
  terminal.out(`${printable(path)} ${printable(why ?? "was made here")}.\n`);
  terminal.out(`  journal     ${counted(verification.entries, "entry")}, ${whole}\n`);
  if (problem !== undefined) terminal.out(`              at entry ${problem.seq}: ${printable(problem.problem)}\n`);
  if (done.takenBack) terminal.out("  before      an adoption that was not finished; all of it was put back first\n");
  if (unfinished > 0)
    terminal.out(`  unfinished  ${counted(unfinished, "file")} of a change, which is never finished here\n`);
  if (how.dryRun) {
    terminal.err(
      how.afresh
        ? "Nothing was changed. All of it would be moved aside, and a new history begin.\n"
        : `Nothing was changed. ${counted(entries, "entry")} and ${counted(versions, "version")} would be taken over.\n`,
    );
    return;
  }
  terminal.out(
    how.afresh
      ? "A new history begins.\n"
      : `Took over ${counted(entries, "entry")} and ${counted(versions, "version")}, marked as history from elsewhere.\n`,
  );
  terminal.out(
    `What was there before lies in ${printable(`${path}/${aside}`)}; delete it when you no longer want it.\n`,
  );
}
