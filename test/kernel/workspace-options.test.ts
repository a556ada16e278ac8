// Options of a workspace: a slip of the pen is refused, and never makes the workspace less safe than was asked for.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type OpenOptions, openWorkspace, Refusal } from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const root = directoryWith({});

describe("opening a workspace", () => {
  it.each([
    ["nothing", undefined, "A workspace is opened with an object of options. The options are policy,"],
    ["no root", {}, 'The root of the workspace is missing. Give one: { root: "." }.'],
    ["a root that is no path", { root: 5 }, "root must be the path of a directory, not 5."],
    ["a misspelt durability", { root, durability: "ful" }, 'durability must be "full" or "fast", not "ful".'],
    ["a misspelt option", { root, polcy: {} }, 'There is no option "polcy" here. Did you mean policy?'],
    [
      "a bad time to wait",
      { root, lockMs: 2 ** 31 },
      "lockMs must be a positive number up to 2147483647, not 2147483648.",
    ],
    ["a negative limit", { root, limits: { callMs: -1 } }, "callMs must be a positive number, not -1."],
    [
      "a limit that is not there",
      { root, limits: { callMS: 1 } },
      'There is no limit "callMS" here. Did you mean callMs?',
    ],
    [
      "a misspelt way with stale proofs",
      { root, onStale: "rebse" },
      'onStale must be "reject" or "rebase", not "rebse".',
    ],
    ["half a truth", { root, strict: "yes" }, 'strict must be true or false, not "yes".'],
  ])("refuses %s", (_name, options, words) => {
    const opening = () => openWorkspace(options as OpenOptions);
    expect(opening).toThrow(Refusal);
    expect(opening).toThrow(words);
    expect(existsSync(join(root, ".stet"))).toBe(false);
  });

  it("leaves nothing open when it refuses", async (context) => {
    context.skip(!existsSync("/proc/self/fd"), "no /proc here");
    const before = readdirSync("/proc/self/fd").length;
    for (let n = 0; n < 20; n++) expect(() => openWorkspace({ root, limits: { callMs: 0 } })).toThrow(Refusal);
    await new Promise(setImmediate);
    expect(readdirSync("/proc/self/fd").length).toBeLessThan(before + 10);
  });

  it("takes what is right, undefined for what is left out, and limits of the disk among the others", async () => {
    const given = {
      root,
      durability: "fast",
      stateDir: undefined,
      limits: { lockMs: 50, segmentBytes: 1000, callMs: 5 },
    };
    const workspace = openWorkspace(given as unknown as OpenOptions);
    expect(workspace.limits).toMatchObject({ lockMs: 50, callMs: 5 });
    await workspace.close();
    await openWorkspace({ backend: memory(), strict: true }).close();
  });

  it("refuses what the disk backend alone does not know", () => {
    const options = { root, durabilty: "full" } as { root: string };
    expect(() => disk(options)).toThrow('There is no option "durabilty" here. Did you mean durability?');
  });
});
