// stet gc: drops kept versions that are not likely to be needed again, by age, by count and by size, after a yes.
import { plural } from "../../../core/plural.ts";
import { printable } from "../../../core/printable.ts";
import { type Collected, collectGarbage, type RetentionPolicy } from "../../../kernel/history/retention.ts";
import { OPEN_ABOUT, OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { bytesOf, countOf, durationOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { agreed, YES_OPTION } from "../../options/confirmation.ts";
import { defined } from "../../options/defined.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { expectPositionals, UsageError } from "../../options/usage.ts";
import { shortList, sizeInWords } from "../../terminal/print.ts";
import { progressIn } from "../../terminal/progress.ts";
import { safeJson } from "../../terminal/safe.ts";

export const gc: Command = {
  name: "gc",
  summary: "Drop old kept versions, by age, count or size",
  usage: "gc [--older-than AGE] [--keep N] [--max-size SIZE] [--dry-run | --yes] [--even-recent]",
  options: {
    ...OPEN_OPTIONS,
    ...YES_OPTION,
    "older-than": { type: "string" },
    keep: { type: "string" },
    "max-size": { type: "string" },
    "dry-run": { type: "boolean" },
    "even-recent": { type: "boolean" },
  },
  about: {
    ...OPEN_ABOUT,
    "older-than": "drop versions that were replaced or deleted longer ago: 30d, 12w",
    keep: "keep at most so many versions of each file",
    "max-size": "drop the oldest until the rest fits: 500M, 2G",
    "dry-run": "say what would be dropped, drop nothing",
    yes: "do it without a question; where there is no terminal to ask in, nothing is dropped without it",
    "even-recent": "also what was written, replaced or deleted in the last 24 hours, which is otherwise kept",
  },
  examples: ["stet gc --older-than 30d --dry-run", "stet gc --keep 20 --max-size 2G --yes"],
  async run(terminal, given) {
    expectPositionals(gc, given, []);
    const policy = policyIn(given);
    return withWorkspace(terminal, given, async (workspace) => {
      const author = sessionOfPerson(workspace, terminal).author({ tool: "stet gc" });
      const common = { author, signal: terminal.signal, progress: progressIn(terminal) };
      const would = await collectGarbage(workspace, policy, Date.now(), { ...common, dryRun: true });
      terminal.progress("");
      const dryRun = given.values["dry-run"] === true;
      if (dryRun || would.dropped === 0) return print(terminal, given, would, dryRun);
      show(terminal, given, would);
      if (!(await agreed(terminal, given, `drop ${plural(would.dropped, "version")} for good`))) {
        if (given.values.json) terminal.out(`${safeJson({ ...amounts(would), dropped: 0, would: would.dropped })}\n`);
        return 1;
      }
      const among = new Set(would.versions.flatMap(({ shas }) => shas));
      const done = await collectGarbage(workspace, policy, Date.now(), { ...common, among });
      terminal.progress("");
      return print(terminal, given, done, false);
    });
  },
};

const MAX_SHOWN = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** On stderr: what it says on stdout is what was done. */
function show(terminal: Terminal, { values }: Given, { dropped, bytes, kept, versions: all }: Collected): void {
  if (values.json === true || values.yes === true) return;
  terminal.err(`Would drop ${dropped} of ${dropped + kept} versions, ${sizeInWords(bytes)}:\n${listed(all)}`);
}

function listed(all: Collected["versions"]): string {
  return shortList(all, MAX_SHOWN, ({ path, shas }) => {
    return `${plural(shas.length, "version")} of ${path === undefined ? "no file any more" : printable(path)}`;
  });
}

function print(terminal: Terminal, { values }: Given, done: Collected, dryRun: boolean): number {
  if (values.json) {
    terminal.out(`${safeJson({ ...amounts(done), dryRun })}\n`);
    return 0;
  }
  const { dropped, bytes, kept, tooYoung, versions: all } = done;
  terminal.out(
    `${dryRun ? "Would drop" : "Dropped"} ${dropped} of ${dropped + kept} versions, ${sizeInWords(bytes)}.\n`,
  );
  if (dryRun) terminal.out(listed(all));
  if (tooYoung > 0) {
    const are = tooYoung === 1 ? "version fits too, but is" : "versions fit too, but are";
    terminal.err(`${tooYoung} more ${are} of the last 24 hours: add --even-recent to drop them as well.\n`);
  }
  return 0;
}

function amounts({ dropped, bytes, kept, tooYoung }: Collected) {
  return { dropped, bytes, kept, tooYoung };
}

/** The current version of every file, and what an open checkpoint needs, stays whatever is asked for. */
function policyIn(given: Given): RetentionPolicy {
  const maxAgeMs = durationOf(given, "older-than");
  const maxVersionsPerPath = countOf(given, "keep");
  const maxBytes = bytesOf(given, "max-size");
  if (maxAgeMs === undefined && maxVersionsPerPath === undefined && maxBytes === undefined) {
    throw new UsageError(
      "stet gc drops nothing by itself: say what may go.",
      "Give --older-than, --keep or --max-size.",
    );
  }
  const minAgeMs = given.values["even-recent"] === true ? undefined : DAY_MS;
  return defined({ minAgeMs, maxAgeMs, maxVersionsPerPath, maxBytes });
}
