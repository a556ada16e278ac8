// The process ends in the middle of a change, the next one finishes it, and then power fails: all of it or nothing, still.
import "../support/in-memory.ts";
import fs, { readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";
import { layOut } from "./laid-out.ts";
import type { Op } from "./recorded.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { stateWhole } from "./states.ts";
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

const [one, two] = [{ ...of("dir/a"), perMoment: 16 }, of("a", "dir/b")];

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
  [`${one.name}, and a new segment of the journal`, { ...one, segmentBytes: 1, perMoment: 4 }],
])("%s, finished after the end of the process", { timeout: 3_600_000 }, async (_name, scenario) => {
  const first = await record(scenario, "full", FILE_SYSTEMS.unknown);
  const { ops } = first.recording;
  let tried = 0;
  for (const end of HEAVY ? [...ops.keys()] : telling(ops)) {
    const again = await recordAgain(first, end, FILE_SYSTEMS.unknown);
    if (again === null) continue;
    const effort = {
      perMoment: HEAVY ? 60 : (scenario.perMoment ?? 4),
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

it("what says that something is left to do is safe before the staged names go", async () => {
  const first = await record(one, "full", FILE_SYSTEMS.unknown);
  const again = await recordAgain(first, telling(first.recording.ops)[0]!, FILE_SYSTEMS.unknown);
  const { ops } = again!.recording;
  const namesIn = (op: Op) => (op.kind === "names" ? op.set : []);
  const at = ops.findIndex((op) => namesIn(op).some(({ name, id }) => id !== null && /\d-redo/.test(name)));
  const { dir } = namesIn(ops[at]!)[0]!;
  const later = ops.slice(at);
  const flushed = later.findIndex((op) => op.kind === "flush" && op.id === dir);
  const gone = later.findIndex((op) => namesIn(op).some((named) => named.dir === dir && named.id === null));
  expect(flushed).toBeGreaterThan(0);
  expect(gone).toBeGreaterThan(flushed);
});

it("what the disk does not let be finished stays to be finished", async () => {
  const { recording } = await record(two, "full", FILE_SYSTEMS.unknown);
  const base = join(tempDir(), "world");
  layOut(recording, stateWhole(recording, telling(recording.ops)[1]!), base);
  const root = join(base, "ws");
  const pending = (): string[] => readdirSync(join(root, ".stet/pending"));
  const workspace = new Workspace(disk({ root, registerDir: join(base, "register"), durability: "fast" }));
  const { openSync } = fs;
  const target = fs as unknown as Record<string, unknown>;
  target.openSync = (path: string, flags: number, ...more: []) => {
    if (/\d-new/.test(path) && typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0)
      throw Object.assign(new Error("EIO: injected"), { code: "EIO", errno: -5 });
    return openSync(path, flags, ...more);
  };
  syncBuiltinESMExports();
  try {
    await expect(createFile(workspace.session(), "c", "c\n")).rejects.toMatchObject({ kind: "io_error" });
    expect(pending().filter((name) => name.startsWith("2-"))).not.toEqual([]);
  } finally {
    Object.assign(target, { openSync });
    syncBuiltinESMExports();
  }
  const session = workspace.session();
  await createFile(session, "c", "c\n");
  expect([(await session.read("a")).body, (await session.read("dir/b")).body]).toEqual(["new a\n", "new dir/b\n"]);
  expect(pending()).toEqual([]);
  expect((await workspace.verify()).problems).toEqual([]);
  await workspace.close();
});
