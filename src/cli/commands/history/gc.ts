// stet gc: drops kept versions that are not likely to be needed again, by age, by count and by size, after a yes.

import { printable } from "../../../core/printable.ts";
import { type Collected, collectGarbage, type RetentionPolicy } from "../../../kernel/history/retention.ts";
import { plural } from "../../../words/plural.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, value } from "../../options/command.ts";
import { bytesOf, countOf, defined, durationOf, UsageError } from "../../options/given.ts";
import { agreed, longCall, sessionOfPerson, YES_OPTION } from "../../options/person.ts";
import { answer, shortList, sizeInWords } from "../../terminal/print.ts";

export const gc: Command = {
  name: "gc",
  summary: "Drop old kept versions, by age, count or size",
  usage: "gc [--older-than AGE] [--keep N] [--max-size SIZE] [--dry-run | --yes] [--even-recent]",
  takes: [],
  options: {
    ...OPEN_OPTIONS,
    "older-than": value("AGE", "drop versions that were replaced or deleted longer ago: 30d, 12w"),
    keep: value("N", "keep at most so many versions of each file"),
    "max-size": value("SIZE", "drop the oldest until the rest fits: 500M, 2G"),
    "dry-run": flag("say what would be dropped, drop nothing"),
    ...YES_OPTION,
    "even-recent": flag("also what was written, replaced or deleted in the last 24 hours, which is otherwise kept"),
  },
  examples: ["stet gc --older-than 30d --dry-run", "stet gc --keep 20 --max-size 2G --yes"],
  async run(terminal, given) {
    const policy = policyIn(given);
    const dryRun = given.values["dry-run"] === true;
    return withWorkspace(terminal, given, async (workspace) => {
      const { tool, ...call } = longCall(terminal, "stet gc");
      const common = { ...call, author: sessionOfPerson(workspace, terminal).author({ tool }) };
      const would = await collectGarbage(workspace, policy, Date.now(), { ...common, dryRun: true });
      const tell = (verb: string, done: Collected, files = ""): number => {
        const said = `${formatCollected(verb, done)}.\n${files}`;
        answer(terminal, given, { ...amounts(done), dryRun }, said);
        return tellYoung(terminal, given, done);
      };
      if (dryRun) return tell("Would drop", would, listed(would));
      if (would.dropped === 0) return tell("Dropped", would);
      // On stderr: what is said on stdout is what was done.
      if (!given.json && given.values.yes !== true)
        terminal.err(`${formatCollected("Would drop", would)}:\n${listed(would)}`);
      if (!(await agreed(terminal, given, `drop ${plural(would.dropped, "version")} for good`))) {
        answer(terminal, given, { ...amounts(would), dropped: 0, would: would.dropped }, "");
        return 1;
      }
      const among = new Set(would.versions.flatMap(({ shas }) => shas));
      return tell("Dropped", await collectGarbage(workspace, policy, Date.now(), { ...common, among }));
    });
  },
};

const DAY_MS = 24 * 60 * 60 * 1000;

function formatCollected(verb: string, { dropped, bytes, kept }: Collected): string {
  return `${verb} ${dropped} of ${dropped + kept} versions, ${sizeInWords(bytes)}`;
}

function listed({ versions }: Collected): string {
  return shortList(versions, ({ path, shas }) => {
    return `${plural(shas.length, "version")} of ${path === undefined ? "no file any more" : printable(path)}`;
  });
}

function tellYoung({ err }: { err(text: string): void }, { json }: Given, { tooYoung }: Collected): number {
  const are = tooYoung === 1 ? "version fits too, but is" : "versions fit too, but are";
  if (tooYoung > 0 && !json)
    err(`${tooYoung} more ${are} of the last 24 hours: add --even-recent to drop them as well.\n`);
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
  if (maxAgeMs === undefined && maxVersionsPerPath === undefined && maxBytes === undefined)
    throw new UsageError(
      "stet gc drops nothing by itself: say what may go.",
      "Give --older-than, --keep or --max-size.",
    );
  const minAgeMs = given.values["even-recent"] === true ? undefined : DAY_MS;
  return defined({ minAgeMs, maxAgeMs, maxVersionsPerPath, maxBytes });
}
