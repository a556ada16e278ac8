// Edit calls that real models made, against the engines as they are.
import { Refusal } from "stet";
import { applySplices, parsePatch, planPatch, replaceEdits, replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { realEditsMissing, replayRealEdits } from "../../bench/edits/real.mjs";

describe.skipIf(realEditsMissing)("real edit calls (skipped where ../shared/data is absent)", () => {
  const figures = realEditsMissing ? undefined : replayed();

  it("what the original tool applied gives the same bytes, by the ladder and to the letter", () => {
    expect(figures!.applied).toEqual({ calls: 200, differing: [] });
  });

  it("patches: all of them are read, and 95 % or more give the expected bytes", () => {
    const { calls, parsed, applied, known, locators, not } = figures!.patches;
    expect({ calls, parsed, known, locators }).toEqual({ calls: 101, parsed: 101, known: 54, locators: 18 });
    expect(not).toEqual(["5627d09e0e: the recorded bytes are damage"]);
    expect(applied / calls).toBeGreaterThanOrEqual(0.95);
  });

  it("what the original tool refused: 15 or more are applied now, all of them rightly", () => {
    const { right, wrong } = figures!.refused;
    expect(wrong).toEqual([]);
    expect(right.length).toBeGreaterThanOrEqual(15);
  });
});

function replayed() {
  return replayRealEdits({
    replaceText(text, oldText, newText, options) {
      const result = replaceText(text, oldText, newText, { ...options, maxSuggestions: 0 });
      return result.ok ? result.text : undefined;
    },
    replaceEdits(text, { old: oldText, new: newText, all: replaceAll }) {
      try {
        return applySplices(text, replaceEdits(text, [{ oldText, newText, replaceAll }]).splices);
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
    parsePatch,
    planPatch,
    relativeTo: ([root], raw) =>
      raw
        .split(/[\\/]+/)
        .filter(Boolean)
        .slice(root!.length)
        .join("/"),
  });
}
