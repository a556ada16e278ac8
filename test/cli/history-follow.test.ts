// Reading a longer journal: pages that fit together, and a check that tells how far it is.
import { type EntryDraft, openWorkspace, type Path, type Sha } from "stet";
import { beforeAll, describe, expect, it } from "vitest";
import { type Desk, deskWith, linesOf } from "./history-support.ts";

const COUNT = 450;
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
