// A journal whose end is damaged: verification tells what is wrong, everything else refuses and says so.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { directoryWith } from "../support/workspace.ts";
import { segmentsOf } from "./journal-fixture.ts";

async function written(segmentBytes?: number): Promise<{ root: string; segments: string[] }> {
  const root = directoryWith({});
  const workspace = new Workspace(disk({ root, ...(segmentBytes !== undefined && { segmentBytes }) }));
  for (const name of ["a", "b", "c"]) await createFile(workspace.session(), name, name);
  await workspace.close();
  return { root, segments: segmentsOf(join(root, ".stet/journal")) };
}

const random = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 7919 + 13) % 251));

const DAMAGES: readonly (readonly [what: string, damage: (segments: string[]) => void, problem: string])[] = [
  [
    "an altered last entry",
    (segments) =>
      writeFileSync(segments.at(-1)!, readFileSync(segments.at(-1)!, "utf8").replace('"path":"c"', '"path":"x"')),
    "Entry 3 was altered: its content does not have the hash it carries.",
  ],
  [
    "a last line that is no entry",
    (segments) => writeFileSync(segments.at(-1)!, "{}\n", { flag: "a" }),
    "Entry 4 is not readable as an entry.",
  ],
  [
    "a last segment that was overwritten",
    (segments) => writeFileSync(segments.at(-1)!, Buffer.concat([random(500), Buffer.from("\n")])),
    " is not readable as an entry.",
  ],
  [
    "an empty last segment whose one before it is gone",
    (segments) => {
      writeFileSync(segments.at(-1)!, "");
      writeFileSync(segments.at(-2)!, "");
    },
    "missing",
  ],
];

describe.each(DAMAGES)("%s", (_what, damage, problem) => {
  it("is listed by verification; the rest refuses and names it", async () => {
    const { root, segments } = await written(1);
    expect(segments).toHaveLength(3);
    damage(segments);
    const before = segments.map((file) => readFileSync(file));
    const workspace = new Workspace(disk({ root, segmentBytes: 1 }));
    const found = await workspace.verify();
    expect(found).toMatchObject({ ok: false, signedHeads: 0 });
    expect(found.problems.map((each) => each.problem).join("\n")).toContain(problem);
    for (const ask of [() => all(workspace.log()), () => createFile(workspace.session(), "d", "d")]) {
      const { failure } = await refuses("journal_damaged", ask);
      expect(failure.suggestedAction).toContain("stet verify");
    }
    expect(segments.map((file) => readFileSync(file))).toEqual(before);
  });
});

describe("a journal that is not there yet", () => {
  it("verifies as an empty one", async () => {
    const workspace = new Workspace(disk({ root: directoryWith({}) }));
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 0 });
    expect(await workspace.verify({ expectedHead: `1:${"0".repeat(64)}` })).toMatchObject({ ok: false });
  });
});
