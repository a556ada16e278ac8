import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { casesOf, dataMissing } from "../support/edits.ts";
import { reasonFor, type SingleEdit, singleEdits } from "../support/peer-edits.ts";

const GROUPS = [
  "opencode-replace",
  "gemini-calculate-replacement",
  "copilot-replace-string",
  "continue-find-replace",
  "continue-match",
  "oh-my-pi-edit-match",
  "aider-editblock",
  "roo-multi-search-replace",
  "cline-diff",
] as const;

const run = (edit: SingleEdit) => replaceText(edit.input, edit.old, edit.new, { replaceAll: edit.replaceAll });

describe.skipIf(dataMissing)(
  "single edits recorded from other engines (skipped where ../shared/data is absent)",
  () => {
    it.each(GROUPS)("%s: never applied where the recorded engine refused", (group) => {
      const refused = singleEdits(group).filter((edit) => edit.expected === null);
      expect(refused.filter((edit) => run(edit).ok).map((edit) => edit.name)).toEqual([]);
    });

    it.each(GROUPS)("%s: every other disagreement has a reason", (group) => {
      const unexplained: string[] = [];
      for (const edit of singleEdits(group).filter(({ expected }) => expected !== null)) {
        const result = run(edit);
        if (result.ok && result.text === edit.expected) continue;
        if (reasonFor(edit, result) === undefined)
          unexplained.push(`${edit.name}: ${result.ok ? result.text : result.kind}`);
      }
      expect(unexplained).toEqual([]);
    });

    it("most of what others apply is applied alike", () => {
      const edits = GROUPS.flatMap((group) => singleEdits(group)).filter(({ expected }) => expected !== null);
      const alike = edits.filter((edit) => {
        const result = run(edit);
        return result.ok && result.text === edit.expected;
      });
      expect(alike.length).toBeGreaterThanOrEqual(130);
    });
  },
);

interface Regression {
  readonly id: string;
  readonly input: string;
  readonly old: string;
  readonly new: string;
  readonly expected: string | null;
  readonly alt_ok?: string;
  readonly replaceAll?: boolean;
}

describe.skipIf(dataMissing)("public issues about wrong edits (skipped where ../shared/data is absent)", () => {
  const cases = dataMissing ? [] : (casesOf("issue-regressions") as unknown as Regression[]);
  const runs = cases.flatMap((issue) =>
    [false, true].map((seen) => ({ issue, seen, name: `${issue.id}, seen: ${seen}` })),
  );

  it.each(runs)("$name", ({ issue, seen }) => {
    const options = { seen, replaceAll: issue.replaceAll === true };
    const result = replaceText(issue.input, issue.old, issue.new, options);
    const accepted = [issue.expected, issue.alt_ok === "reject" ? null : (issue.alt_ok ?? issue.expected)];
    expect(accepted).toContain(result.ok ? result.text : null);
  });
});
