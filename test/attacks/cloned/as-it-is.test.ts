// A repository that ships a state, a configuration or ignore files of its own making is cloned, and stet is used in it as it is.
import { describe, expect, it } from "vitest";
import { HEAVY } from "../../support/processes.ts";
import { CASES } from "./cases.ts";
import { clonedFrom, commitRunsNoHook, everything, ran, served, shipsState, untouchable } from "./use.ts";
import { differences, snapshot } from "./world.ts";

describe.each(CASES)("a clone with $name", (hostile) => {
  it("as it is: reads go on, nothing is changed, and every command says so", async () => {
    const world = clonedFrom(hostile);
    const foreign = shipsState(world);
    const before = foreign ? snapshot(world.parent, (path) => path === world.register) : untouchable(world);
    const said = await everything(world, HEAVY || !hostile.variation ? "all" : "some");
    // One server for each case, the other one for the next; for each variation both, with STET_HEAVY=1.
    const n = CASES.filter(({ variation }) => !variation).indexOf(hostile);
    const asked = hostile.variation ? [] : [n % 2 === 0 ? ("mcp" as const) : ("serve" as const)];
    const servers = HEAVY ? (["mcp", "serve"] as const) : asked;
    let text = "";
    for (const server of servers) text += await served(world, server);
    said.push(await ran(world, ["doctor"]));
    if (foreign) {
      const reason = /The state in \.stet is not used, because it is tracked by git/;
      for (const each of said)
        if (!/stet (?:tools|adopt)/.test(each.what)) expect(each.text, each.what).toMatch(reason);
      if (servers.length > 0) expect(text).toMatch(reason);
      const after = snapshot(world.parent, (path) => path === world.register);
      expect(differences(before, after)).toEqual([]);
    } else expect(differences(before, untouchable(world))).toEqual([]);
    commitRunsNoHook(world);
  });
});
