// The demo plays: every moment comes, in order, with the text that a model would read, and it ends with 0 only if all held.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { missingPostgres } from "../scripts/postgres.mjs";
import { HEAVY } from "./support/processes.ts";

const DEMO = fileURLToPath(new URL("../examples/demo.mjs", import.meta.url));

it("plays the whole story, and every claim in it holds", { timeout: 120_000 }, () => {
  const { status, stdout: told, stderr } = spawnSync(process.execPath, [DEMO], { encoding: "utf8" });
  expect([status, stderr], told.slice(-2000)).toEqual([0, ""]);
  const moments = [
    /agent> read_file [\s\S]*?sha256=[0-9a-f]{64}/,
    /\| Edited src\/server\.js — 1 replacement/,
    /ok the file has changed behind the agent's back/,
    /\| Edit rejected, file unchanged\..*changed by something outside stet/,
    /\| \+const host = "0\.0\.0\.0";/,
    /"onSta[\s\S]*?\| Edited src\/server\.js/,
    /ok both changes are in the file/,
    /\| Patch rejected, no file changed\./,
    /ok the corrected patch changes all three files/,
    /Killed with SIGKILL\. It had put \d+ of 200 new files in place\./,
    /ok all 200 files are new/,
    /\$ stet undo \d+\n {3}\| Took back entry \d+, as entry \d+:/,
    /ok every file is as it was before/,
    /\| The journal is whole: \d+ entries\./,
    /\$ stet restore --all --root \S+\n {3}\| Brought back 20\d files, as entry \d+:/,
    /ok every file that stet had changed is back, byte for byte/,
    /\nAll \d+ claims in 10 steps held\.\n$/,
  ];
  let from = 0;
  for (const moment of moments) {
    const found = moment.exec(told.slice(from));
    expect(found, `${moment} after:\n${told.slice(0, from).slice(-300)}`).not.toBeNull();
    from += found!.index + found![0].length;
  }
  expect(told).not.toMatch(/NOT SO|BROKE|\u001b/);
});

it.runIf(HEAVY && missingPostgres() === undefined)("plays the story of a fleet", { timeout: 120_000 }, () => {
  const program = fileURLToPath(new URL("../examples/demo-fleet.mjs", import.meta.url));
  const told = execFileSync(process.execPath, [program, "--short"], { encoding: "utf8", timeout: 110_000 });
  const moments = [
    /1\. PostgreSQL and three servers(?:[\s\S]*?a server at http){3}/,
    /ok bo reads it at the second server/,
    /\| Edit rejected, file unchanged\..*changed by (?:ada|bo) [\s\S]*?ok one of them is made/,
    /killed with SIGKILL[\s\S]*?ok an agent had to move on: ada/,
    /ok all 18 lines are in the file, each of them once/,
    /\| The journal is whole: \d+ entries\.[\s\S]*?\nAll 7 claims in 4 steps held\.\n$/,
  ];
  for (const moment of moments) expect(told).toMatch(moment);
  expect(told).not.toMatch(/NOT SO|BROKE/);
});

it("a claim that does not hold is said so and ends it with 1", async () => {
  const { createStory } = await import("../examples/demo/story.mjs" as string);
  let told = "";
  const story = createStory({ write: (text: string) => (told += text) });
  story.step("something");
  story.check("water is wet", true);
  story.check("water is dry", false);
  expect(story.end()).toBe(1);
  expect(told).toMatch(/ok water is wet\n {3}NOT SO water is dry\n\n1 of 2 claims did not hold/);
});
