// stet gc: drops kept versions that nobody is likely to ask for again, by age, by count and by size.
import { collectGarbage, type RetentionPolicy } from "../../kernel/history/retention.ts";
import type { Command, Given } from "../command.ts";
import { OPEN_ABOUT, OPEN_OPTIONS } from "../open.ts";
import { sizeInWords } from "../print.ts";
import { expectPositionals, UsageError } from "../usage.ts";
import { bytesOf, countOf, durationOf } from "./amounts.ts";
import { sessionOfPerson } from "./person.ts";
import { progressIn } from "./progress.ts";
import { safeJson } from "./safe.ts";
import { withWorkspace } from "./workspace.ts";

export const gc: Command = {
  name: "gc",
  summary: "Drop old kept versions, by age, count or size",
  usage: "gc [--older-than AGE] [--keep N] [--max-size SIZE] [--dry-run]",
  options: {
    ...OPEN_OPTIONS,
    "older-than": { type: "string" },
    keep: { type: "string" },
    "max-size": { type: "string" },
    "dry-run": { type: "boolean" },
  },
  about: {
    ...OPEN_ABOUT,
    "older-than": "drop versions that were replaced or deleted longer ago: 30d, 12w",
    keep: "keep at most so many versions of each file",
    "max-size": "drop the oldest until the rest fits: 500M, 2G",
    "dry-run": "say what would be dropped, drop nothing",
  },
  examples: ["stet gc --older-than 30d --dry-run", "stet gc --keep 20 --max-size 2G"],
  async run(terminal, given) {
    expectPositionals(gc, given, []);
    const policy = policyIn(given);
    const dryRun = given.values["dry-run"] === true;
    return withWorkspace(terminal, given, async (workspace) => {
      const author = sessionOfPerson(workspace, terminal).author({ tool: "stet gc" });
      const { dropped, bytes, kept } = await collectGarbage(workspace, policy, Date.now(), {
        dryRun,
        author,
        signal: terminal.signal,
        progress: progressIn(terminal),
      });
      terminal.progress("");
      if (given.values.json) terminal.out(`${safeJson({ dropped, bytes, kept, dryRun })}\n`);
      else
        terminal.out(
          `${dryRun ? "Would drop" : "Dropped"} ${dropped} of ${dropped + kept} versions, ${sizeInWords(bytes)}.\n`,
        );
      return 0;
    });
  },
};

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
  return {
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    ...(maxVersionsPerPath !== undefined && { maxVersionsPerPath }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}
