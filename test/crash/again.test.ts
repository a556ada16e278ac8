// The process ends in the middle of a change, the next one finishes it, and then power fails: all of it or nothing, still.
import "../support/in-memory.ts";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import type { Op } from "./recorded.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { FILE_SYSTEMS, record, recordAgain, survivors } from "./survived.ts";

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

const [one, two] = [{ ...of("dir/a"), perMoment: 8 }, of("a", "dir/b")];

/** The entry is written and not flushed; the first file has its place. */
function telling(ops: readonly Op[]): number[] {
  const placed = ops.findIndex(({ call }, i) => call === "exchange" && ops[i - 1]?.kind === "flush");
  const written = ops.slice(0, placed).findLastIndex(({ kind }) => kind === "write");
  expect([written, placed]).not.toContain(-1);
  return [written + 1, placed + 1];
}

it.each([
  [one.name, one],
  [two.name, two],
  [`${one.name}, and a new segment of the journal`, { ...one, segmentBytes: 1, perMoment: 3 }],
])("%s, finished after the end of the process", { timeout: 3_600_000 }, async (_name, scenario) => {
  const first = await record(scenario, "full", FILE_SYSTEMS.unknown);
  const { ops } = first.recording;
  let tried = 0;
  for (const end of HEAVY ? [...ops.keys()] : telling(ops)) {
    const again = await recordAgain(first, end, FILE_SYSTEMS.unknown);
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
