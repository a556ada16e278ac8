// The same states as an archive would bring them, closed to others and unknown to git, and then taken over by their new owner.
import { describe, expect, it } from "vitest";
import { HEAVY } from "../../support/processes.ts";
import { CASES } from "./cases.ts";
import { clonedFrom, commitRunsNoHook, disguised, everything, ran, served, untouchable } from "./use.ts";
import { differences } from "./world.ts";

const WITH_STATE = CASES.filter(({ name }) => !/ignore files|configuration/.test(name));

describe.each(WITH_STATE)("a download with $name", (hostile) => {
  it("is used, and then adopted: nothing outside is changed or shown, and nothing that is denied", async () => {
    const world = clonedFrom(hostile);
    disguised(world);
    const before = untouchable(world);
    const first = HEAVY || !hostile.variation ? await everything(world, HEAVY ? "all" : "some") : [];
    await ran(world, ["adopt"]);
    // A history that is well formed and finished was taken over at once, and the file is there by now.
    const making = [...first, ...(await everything(world, HEAVY || !hostile.variation ? "all" : "some"))].filter(
      ({ what }) => what.includes("create_file"),
    );
    expect(making.map(({ code }) => code)).toContain(0);
    if (HEAVY) await served(world, "mcp");
    expect(differences(before, untouchable(world))).toEqual([]);
    commitRunsNoHook(world);
  });
});
