// Which entries of a journal from elsewhere are taken over: all up to the first that does not follow, or is none.
import { cpSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { segmentPath } from "../../src/backends/disk/journal/segment.ts";
import { adoptState } from "../../src/backends/disk/trust/adopt.ts";
import { GENESIS, seal } from "../../src/backends/journal/entry.ts";
import type { Path, Sha } from "../../src/core/backend.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all } from "../../src/testing/assertions.ts";
import { linesOf, segmentsOf } from "../backends/journal-fixture.ts";
import { type Forging, forge } from "../support/forged.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

/** A project with five entries, copied as a whole, as a download is. */
async function copied(segmentBytes?: number) {
  const root = directoryWith({});
  const segments = segmentBytes === undefined ? {} : { segmentBytes };
  const workspace = new Workspace(disk({ root, registerDir: tempDir(), durability: "fast", ...segments }));
  const session = workspace.session({ id: "there" });
  await createFile(session, "a.txt", "line 1 of a\n");
  for (let n = 2; n <= 5; n++) await writeFile(session, "a.txt", `line ${n} of a\n`);
  await workspace.close();
  const copy = join(tempDir(), "copy");
  cpSync(root, copy, { recursive: true });
  return { root: copy, registerDir: tempDir(), journal: join(copy, ".stet/journal") };
}

/** What is taken is a whole journal, and it can be gone on with. */
async function takes({ root, registerDir }: { root: string; registerDir: string }, count: number): Promise<void> {
  expect(await adoptState({ root, registerDir })).toMatchObject({ entries: count });
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  expect(await workspace.verify()).toMatchObject({ ok: true, entries: count, problems: [] });
  await createFile(workspace.session(), "new.txt", "new\n");
  expect((await all(workspace.log())).map(({ seq }) => seq).sort()).toEqual(
    Array.from({ length: count + 1 }, (_, n) => n + 1),
  );
  expect(await workspace.verify()).toMatchObject({ ok: true, entries: count + 1 });
  await workspace.close();
}

const third =
  (fields: Record<string, unknown>): Forging =>
  (entry, seq) =>
    seq === 3 ? { ...entry, ...fields } : entry;

describe("of a journal with the right hashes, what is taken over", () => {
  it("is all of it when all of it follows", async () => takes(await copied(), 5));

  it.each([
    ["follows another entry than the one before it", { prev: "f".repeat(64) }],
    ["has another number than the next", { seq: 4 }],
    ["has a change that is none", { changes: [null] }],
  ])("ends before an entry that %s", async (_what, fields) => {
    const at = await copied();
    forge(segmentsOf(at.journal)[0]!, third(fields));
    await takes(at, 2);
  });

  it("ends before a segment whose name is not the number of its first entry", async () => {
    const at = await copied(700);
    const [first, second, ...more] = segmentsOf(at.journal);
    for (const path of more) rmSync(path);
    for (const name of readdirSync(at.journal)) if (!name.endsWith(".jsonl")) rmSync(join(at.journal, name));
    const count = linesOf(first!).length;
    renameSync(second!, segmentPath(at.journal, count + 2));
    await takes(at, count);
  });

  it("comes with the last word on every path, when it is long: the first call need not read all of it", async () => {
    const at = await copied();
    const path = "a.txt" as Path;
    let prev: Sha = GENESIS;
    const lines = Array.from({ length: 600 }, (_, n) => {
      const change = { path, from: null, to: `${n % 2}`.repeat(64) as Sha };
      const draft = { session: "s", tool: "t", outcome: "applied" as const, changes: [change] };
      const { line, entry } = seal(draft, { seq: n + 1, at: "2026-01-01T00:00:00.000Z", prev });
      prev = entry.hash;
      return `${line}\n`;
    });
    for (const name of readdirSync(at.journal)) rmSync(join(at.journal, name));
    writeFileSync(segmentPath(at.journal, 1), lines.join(""));
    expect(await adoptState(at)).toMatchObject({ entries: 600 });
    expect(readdirSync(at.journal)).toContain("0000000000000601.heads.json");
  });
});
