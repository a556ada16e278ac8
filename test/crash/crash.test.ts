// Power fails, or the process is killed, at every moment of every kind of change: what was reported is there, and all of it or nothing.
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { SCENARIOS } from "./scenarios.ts";
import { FILE_SYSTEMS, record, survivors } from "./survived.ts";

/** Where names keep no order, nothing is taken for granted; where they do, what relies on it is tried too. */
const FAILURES = [
  ["weak", FILE_SYSTEMS.unknown],
  ["logged", FILE_SYSTEMS.btrfs],
  ["ordered", FILE_SYSTEMS.xfs],
] as const;

const PER_MOMENT = HEAVY ? 1000 : 4;

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("%s", (_name, scenario) => {
  it.each(FAILURES)("survives a power failure (%s)", { timeout: 3_600_000 }, async (model, fileSystem) => {
    const { states, wrong } = await survivors(await record(scenario, "full", fileSystem), model, {
      perMoment: PER_MOMENT,
      seed: 1,
    });
    expect(wrong.slice(0, 3), `${wrong.length} of ${states}`).toEqual([]);
    expect(states).toBeGreaterThan(10);
    if (HEAVY) console.log(`${scenario.name}, ${model}: ${states} states, all whole`);
  });

  it("survives the end of the process", async () => {
    const { states, wrong } = await survivors(await record(scenario, "fast", FILE_SYSTEMS.xfs), "kill", {
      perMoment: 0,
      seed: 1,
    });
    expect(wrong.slice(0, 3), `${wrong.length} of ${states}`).toEqual([]);
    expect(states).toBeGreaterThan(5);
  });
});
