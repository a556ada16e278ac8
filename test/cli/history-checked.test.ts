// What people are shown of an entry: what a recovery found, and what the kept versions tell.
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { deskWith, linesOf, rewrite } from "./history-support.ts";

describe("stet show", () => {
  it("says of changes that never happened that a recovery found so, and of no others", async () => {
    const desk = deskWith({ "a.txt": "one\n", "b.txt": "one\n" });
    await desk.as("anna", async (session, { backend }) => {
      for (const path of ["a.txt", "b.txt"]) await rewrite(session, path, "two\n");
      await backend.record({ session: session.id, tool: "recovery", outcome: "aborted", changes: [], of: [1] });
    });
    const aborted = async (seq: number) => {
      const [words, json] = [await desk.run(["show", `${seq}`]), await desk.run(["show", `${seq}`, "--json"])];
      return [words.out.includes("never happened"), json.json().aborted];
    };
    expect([await aborted(1), await aborted(2)]).toEqual([
      [true, true],
      [false, undefined],
    ]);
  });
});

describe("stet log", () => {
  it.runIf(HEAVY)("reads a bounded amount of versions: older entries are marked instead", async () => {
    const desk = deskWith({ "a.txt": "0\n" });
    await desk.as("anna", async (session) => {
      for (let n = 1; n <= 24; n++) {
        const text = Array.from({ length: 6000 }, (_, at) => `${n} ${at}`.padEnd(90, ".")).join("\n");
        await rewrite(session, "a.txt", `${text}\n`);
      }
    });
    const lines = linesOf(await desk.run(["log", "--limit", "all"]));
    const checked = lines.map((line) => / \+6000 -6000$/.test(line));
    expect(checked.slice(0, 5)).toEqual([true, true, true, true, true]);
    expect(checked.at(-2)).toBe(false);
  });
});
