// The process ends in the middle of a change, the next one finishes it, and then power fails: all of it or nothing, still.
import "../support/in-memory.ts";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import type { Op } from "./recorded.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { FILE_SYSTEMS, record, recordAgain, survivors } from "./survived.ts";

const { before } = SCENARIOS.find(({ name }) => name === "five files")!;
const two: Scenario = {
  name: "two files",
  files: { a: "old a\n", "dir/b": "old b\n" },
  before: before!,
  steps: [
    (session) =>
      session.change(
        ["a", "dir/b"].map((path) => ({ path, proof: { by: "waived" }, action: "write" })),
        () => [{ body: "new a\n" }, { body: "new b\n" }],
      ),
  ],
};

/** The entry is written and not flushed; the first file has its place. */
function telling(ops: readonly Op[]): number[] {
  const placed = ops.findIndex(({ call }, i) => call === "exchange" && ops[i - 1]?.kind === "flush");
  const written = ops.slice(0, placed).findLastIndex(({ kind }) => kind === "write");
  expect([written, placed]).not.toContain(-1);
  return [written + 1, placed + 1];
}

it.each([
  [two.name, two],
  [`${two.name}, and a new segment of the journal`, { ...two, segmentBytes: 1 }],
])("%s, finished after the end of the process", { timeout: 3_600_000 }, async (_name, scenario) => {
  const first = await record(scenario, "full", FILE_SYSTEMS.unknown);
  const { ops } = first.recording;
  let tried = 0;
  for (const end of HEAVY ? [...ops.keys()] : telling(ops)) {
    const again = await recordAgain(first, end, FILE_SYSTEMS.unknown);
    if (again === null) continue;
    const effort = { perMoment: HEAVY ? 60 : 4, everyCall: HEAVY, seed: 1, from: end + 1 };
    const { states, wrong } = await survivors(again, "weak", effort);
    expect(wrong.slice(0, 3), `${wrong.length} of ${states}, ended after ${end} calls`).toEqual([]);
    tried += states;
  }
  expect(tried).toBeGreaterThan(20);
});
