import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { dataMissing, type Trial, trials } from "../support/edits.ts";

// Real commit hunks, damaged the way models damage them; judged byte for byte.
describe.skipIf(dataMissing)("figures on recorded trials (skipped where ../shared/data is absent)", () => {
  // Every third; `npm run bench:edits` judges all of them.
  const all = (dataMissing ? [] : trials()).filter((_, n) => n % 3 === 0);

  // Context that another author has rewritten is no slip: without proof it is refused by right.
  const inDate = all.filter(({ cls }) => cls !== "stale_ctx");

  it("no proof of having seen: nothing wrong, 95 % or more of what can be applied is right", () => {
    const { wrong, right } = judged(inDate, false);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(0.95);
  });

  it("seen: nothing wrong, 98 % or more right, and rewritten context where enough is left", () => {
    const { wrong, right } = judged(inDate, true);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(0.98);
    const stale = judged(
      all.filter(({ cls }) => cls === "stale_ctx"),
      true,
    );
    expect(stale.wrong).toEqual([]);
    expect(stale.right).toBeGreaterThanOrEqual(0.3);
  });
});

function judged(all: readonly Trial[], seen: boolean): { wrong: string[]; right: number } {
  const wrong: string[] = [];
  let applicable = 0;
  let right = 0;
  for (const trial of all) {
    if (trial.expected !== null) applicable++;
    const result = replaceText(trial.content, trial.old, trial.new, { seen, maxSuggestions: 0 });
    if (!result.ok) continue;
    if (result.text === trial.expected) right++;
    else wrong.push(`${trial.cls} ${trial.id} ${result.strategy}`);
  }
  return { wrong, right: right / applicable };
}
