// Power fails, or the process is killed, at every moment of every kind of change: what was reported is there, and all of it or nothing.
import "../support/in-memory.ts";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import type { TreeFlush } from "./recorded.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import type { Model } from "./states.ts";
import { record, survivors } from "./survived.ts";

const POWER_FAILURES = ["weak", "logged", "ordered"] as const;

const named = SCENARIOS.filter(({ heavy = false }) => HEAVY || !heavy).map(
  (scenario) => [scenario.name, scenario] as const,
);
/** Those that show most; the others follow in the heavy run. */
const TELLING = ["five files", "a move to another directory"];
const isTold = ({ name }: Scenario): boolean => HEAVY || TELLING.includes(name);

async function allSurvive(scenario: Scenario, model: Model, flush?: TreeFlush): Promise<void> {
  const isKill = model === "kill";
  const recorded = await record(scenario, isKill ? "fast" : "full", flush);
  const effort = {
    perMoment: HEAVY ? 150 : (scenario.perMoment ?? 12),
    everyCall: HEAVY || isKill,
    seed: 1,
  };
  const { states, wrong } = await survivors(recorded, model, effort);
  if (HEAVY) console.log(`${scenario.name}, ${model}: ${states} states, ${wrong.length} of them wrong`);
  expect(wrong.slice(0, 3), `${wrong.length} of ${states}`).toEqual([]);
  expect(states).toBeGreaterThan(6);
}

describe.each(named)("%s", { timeout: 3_600_000 }, (_name, scenario) => {
  const failures = POWER_FAILURES.filter((model) => model === "weak" || isTold(scenario));
  it.each(failures)("survives a power failure (%s)", (model) => allSurvive(scenario, model));

  it.runIf(isTold(scenario)).each(POWER_FAILURES)("and shows nobody a torn file once files are flushed (%s)", (model) =>
    allSurvive(scenario, model, "prompt"),
  );

  it.runIf(HEAVY || scenario.name === "five files")("survives the end of the process", () =>
    allSurvive(scenario, "kill"),
  );
});
