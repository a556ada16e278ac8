// The trials generated for the edit benchmark hold together, and stet applies none of them wrongly.
import { fileURLToPath } from "node:url";
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { generateTrials, type Trial } from "../../bench/edits/generate.mjs";

const nodeModules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const trials = generateTrials({ nodeModules, seed: 7, hunks: 16 });
const mustRefuse = [
  "absent_sibling",
  "absent_sibling_1char",
  "absent_sibling_ctx",
  "absent_sibling_s",
  "already_applied",
  "already_applied_add",
  "dup_exact",
  "dup_indent",
  "near_dup",
  "short_multi",
  "stale_minus",
];

describe("generated trials", () => {
  it("are the same for the same seed, and other ones for another", () => {
    const digest = (seed: number) => JSON.stringify(generateTrials({ nodeModules, seed, hunks: 3 }));
    expect(digest(7)).toBe(digest(7));
    expect(digest(8)).not.toBe(digest(7));
  });

  it("have unique ids and all the common classes", () => {
    expect(new Set(trials.map(({ id }) => id)).size).toBe(trials.length);
    expect(new Set(trials.map(({ cls }) => cls)).size).toBeGreaterThanOrEqual(38);
  });

  it("expect a change, and only inside the region", () => {
    const applicable = trials.filter(({ expected }) => expected !== null);
    expect(applicable.length).toBeGreaterThan(300);
    expect(applicable.filter((trial) => !changesOnlyRegion(trial)).map(({ id }) => id)).toEqual([]);
  });

  it("expect a refusal exactly in the classes that must be refused", () => {
    const refused = new Set(trials.filter(({ expected }) => expected === null).map(({ cls }) => cls));
    const applied = new Set(trials.filter(({ expected }) => expected !== null).map(({ cls }) => cls));
    expect([...refused].sort()).toEqual(mustRefuse);
    expect([...applied].filter((cls) => refused.has(cls))).toEqual([]);
  });
});

describe("stet on generated trials", () => {
  it.each([false, true])("never applies an edit wrongly, seen: %s", (seen) => {
    const wrong = trials.filter((trial) => {
      const result = replaceText(trial.content, trial.old, trial.new, { seen });
      return result.ok && result.text !== trial.expected;
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it("applies what needs no judgement", () => {
    const plain = trials.filter(({ cls }) => ["exact", "crlf_file", "dollar", "marker", "short_unique"].includes(cls));
    const missed = plain.filter((trial) => {
      const result = replaceText(trial.content, trial.old, trial.new);
      return !result.ok || result.text !== trial.expected;
    });
    expect(missed.map(({ id }) => id)).toEqual([]);
  });
});

function changesOnlyRegion({ content, expected, rs, re }: Trial): boolean {
  if (expected === null || expected === content) return false;
  const before = content.slice(0, rs);
  const after = content.slice(re);
  return expected.length >= before.length + after.length && expected.startsWith(before) && expected.endsWith(after);
}
