// Reading a longer journal: pages that fit together, catching up in windows, and an entry that its writer took back.
import { beforeAll, describe, expect, it } from "vitest";
import type { Entry, EntryDraft, Path, Sha } from "../../src/core/backend.ts";
import { openWorkspace } from "../../src/index.ts";
import { followJournal } from "../../src/kernel/history/journal/follow.ts";
import { type Desk, deskWith, linesOf } from "./history-support.ts";

const COUNT = 450;
const NOBODY = { seq: 0, hash: "" as Sha };
let desk: Desk;

/** Of three entries one changes a.txt, one is a refusal about it, one is about another file. */
function draft(n: number): EntryDraft {
  const who = { session: `s${n % 2}`, tool: "test" };
  const path = (n % 3 === 0 ? "a.txt" : "b.txt") as Path;
  const changes = [{ path, from: null, to: "0".repeat(64) as Sha }];
  if (n % 3 !== 1) return { ...who, outcome: "external", changes };
  return { ...who, outcome: "refused", changes: [], error: "stale_file", details: { paths: ["./a.txt"] } };
}

beforeAll(async () => {
  desk = deskWith({ "a.txt": "a\n" });
  await desk.as("anna", async (_, { backend }) => {
    for (let n = 1; n <= COUNT; n++) await backend.record(draft(n));
  });
});

async function followed(last: Pick<Entry, "seq" | "hash">, count: number) {
  const ending = new AbortController();
  const workspace = openWorkspace({ root: desk.root });
  const found: { seq: number; again: boolean }[] = [];
  try {
    for await (const { entry, again } of followJournal(workspace.backend, last, ending.signal)) {
      found.push({ seq: entry.seq, again });
      if (found.length === count) ending.abort();
    }
  } finally {
    await workspace.close();
  }
  return found;
}

describe("a longer journal", () => {
  it("a path is found page by page, with the refusals about it in between", async () => {
    const seqs = linesOf(await desk.run(["log", "--path", "a.txt", "--limit", "all", "--json"])).map(
      (line) => JSON.parse(line).seq,
    );
    const wanted = Array.from({ length: COUNT }, (_, n) => COUNT - n).filter((seq) => seq % 3 !== 2);
    expect(seqs).toEqual(wanted);
    const some = await desk.run(["log", "--path", "a.txt", "--session", "s1", "--before", "100", "-n", "3", "--json"]);
    expect(linesOf(some).map((line) => JSON.parse(line).seq)).toEqual([99, 97, 93]);
  });

  it("who follows from far behind gets every entry once, in order", async () => {
    const found = await followed(NOBODY, COUNT);
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: COUNT }, (_, n) => n + 1));
    expect(found.every(({ again }) => !again)).toBe(true);
  });

  it("an entry that was taken back and replaced is told again", async () => {
    const last = { seq: COUNT - 1, hash: "f".repeat(64) as Sha };
    expect(await followed(last, 2)).toEqual([
      { seq: COUNT - 1, again: true },
      { seq: COUNT, again: false },
    ]);
  });

  it("verification tells how far it is", async () => {
    const root = deskWith({}).root;
    const workspace = openWorkspace({ root, segmentBytes: 2000, durability: "fast" });
    for (let n = 1; n <= 20; n++) await workspace.backend.record(draft(n));
    const told: number[] = [];
    const { entries } = await workspace.verify({ progress: (done) => told.push(done) });
    await workspace.close();
    expect(entries).toBe(20);
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBeLessThan(20);
  });
});
