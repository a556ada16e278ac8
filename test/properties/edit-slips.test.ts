// Edits of real code with one slip in old and new text: whatever is applied is what was meant, byte for byte.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { belowFrom, SLIP_NAMES, type SlipTrial, slipTrial, sourceFiles } from "../support/slip-trials.ts";

// The trials are drawn from the sources: of few of them, another draw alone can refuse some more.
const [COUNT, CHANCE] = process.env.STET_HEAVY ? [700, 0] : [20, 0.15];
// Lines that are missing or are others come near the change, or leave too little alike, in a part of the trials. A line
// above the change that names something else may be the heading of a sibling, so it refuses.
const LEAST_APPLIED: Readonly<Record<string, number>> = {
  "missing line": 0.02,
  "indentation flattened": 0.3,
  "letter missing": 0.75,
  "missing argument": 0.7,
  "f-string": 0.63,
  "renamed variable": 0.7,
  "another line": 0.6,
  "missing comment line": 0.75,
};

describe("edits with one slip", () => {
  const files = sourceFiles();

  it.each(SLIP_NAMES)("%s: applied as meant, or refused", (slip) => {
    const trials = trialsOf(slip, files);
    const refused = new Map<string, number>();
    let unseen = 0;
    for (const { content, oldText, newText, expected } of trials) {
      const guessed = replaceText(content, oldText, newText, { maxSuggestions: 0 });
      if (guessed.ok) expect(guessed.text).toBe(expected);
      const result = replaceText(content, oldText, newText, { maxSuggestions: 0, seen: true });
      if (result.ok) expect(result.text).toBe(expected);
      else refused.set(result.kind, (refused.get(result.kind) ?? 0) + 1);
      if (!guessed.ok) unseen++;
    }
    const sum = [...refused.values()].reduce((total, count) => total + count, 0);
    if (process.env.STET_HEAVY) {
      console.log(
        `${slip}: ${trials.length} trials, refused ${sum} seen`,
        Object.fromEntries(refused),
        `${unseen} unseen`,
      );
    }
    expect(trials.length - sum).toBeGreaterThanOrEqual(trials.length * ((LEAST_APPLIED[slip] ?? 0.9) - CHANCE));
  });
});

function trialsOf(slip: string, files: readonly string[]): SlipTrial[] {
  const below = belowFrom(SLIP_NAMES.indexOf(slip) + 1);
  const found: SlipTrial[] = [];
  for (let tries = 0; found.length < COUNT && tries < COUNT * 60; tries++) {
    const trial = slipTrial(slip, files, below);
    if (trial) found.push(trial);
  }
  expect(found.length).toBeGreaterThan(COUNT / 3);
  return found;
}
