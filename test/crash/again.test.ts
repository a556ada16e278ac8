// The process ends in the middle of a change, the next one finishes it, and then power fails: all of it or nothing, still.
import "../support/in-memory.ts";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import type { Op } from "./recorded.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { record, recordAgain, survivors } from "./survived.ts";

const { before } = SCENARIOS.find(({ name }) => name === "five files")!;

const of = (...paths: string[]): Scenario => ({
  name: paths.join(" and "),
  files: Object.fromEntries(paths.map((path) => [path, `old ${path}\n`])),
  before: before!,
  steps: [
    (session) =>
      session.change(
        paths.map((path) => ({ path, proof: { by: "waived" }, action: "write" })),
        () => paths.map((path) => ({ body: `new ${path}\n` })),
      ),
  ],
});

/** Nothing is staged for it: only the log says what is to be done. */
const deletion: Scenario = {
  ...of("a", "dir/b"),
  steps: [
    (session) =>
      session.change(
        ["a", "dir/b"].map((path) => ({ path, proof: { by: "waived" }, action: "delete" })),
        () => [null, null],
      ),
  ],
};

const [one, two] = [{ ...of("dir/a"), perMoment: 8 }, of("a", "dir/b")];

/** The entry is written and not flushed; the first file has its place. */
function telling(ops: readonly Op[]): number[] {
  const flushed = ops.findLastIndex(({ kind }, i) => kind === "flush" && i < ops.findIndex((op) => op.kind === "done"));
  const written = ops.slice(0, flushed).findLastIndex(({ kind }) => kind === "write");
  const placed = ops.findIndex(({ call }, i) => (call === "exchange" || call === "rename") && i > flushed);
  expect([written, placed]).not.toContain(-1);
  return [written + 1, placed + 1];
}

it.each([
  [one.name, one],
  [two.name, two],
  ["a deletion of two files", deletion],
  [`${one.name}, and a new segment of the journal`, { ...one, segmentBytes: 1, perMoment: 3 }],
])("%s, finished after the end of the process", { timeout: 3_600_000 }, async (_name, scenario) => {
  const first = await record(scenario, "full");
  const { ops } = first.recording;
  let tried = 0;
  const reported = ops.findIndex(({ kind }) => kind === "done");
  for (const end of HEAVY ? [...ops.keys()].slice(0, reported + 1) : telling(ops)) {
    const again = await recordAgain(first, end);
    const effort = {
      perMoment: HEAVY ? 60 : (scenario.perMoment ?? 3),
      everyCall: HEAVY || scenario === one,
      seed: 1,
      from: end + 1,
    };
    const { states, wrong } = await survivors(again, "weak", effort);
    expect(wrong.slice(0, 3), `${wrong.length} of ${states}, ended after ${end} calls`).toEqual([]);
    tried += states;
  }
  expect(tried).toBeGreaterThan(20);
});
