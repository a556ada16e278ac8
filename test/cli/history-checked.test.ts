// What people are shown of an entry: what an agent was told, what a recovery found, and what the kept versions tell.
import { purge } from "stet";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { deskWith, linesOf, rewrite } from "./history-support.ts";

const REFUSED = { session: "s", tool: "t", outcome: "refused", changes: [], error: "old_text_not_found" } as const;

describe("stet show", () => {
  it("shows what an agent was told, line by line behind a mark; the log does not", async () => {
    const desk = deskWith({ "a.txt": "one\ntwo\n" });
    const told = "Edit rejected, file unchanged.\nthe file says: one\u001b[2J";
    await desk.as("anna", ({ workspace }) =>
      workspace.backend.record({ ...REFUSED, details: { paths: ["a.txt"], told } }),
    );
    const { out } = await desk.run(["show", "1"]);
    expect(out).toContain("\nThe agent got this answer:\n| Edit rejected, file unchanged.\n| the file says: one\\u{1b}[2J\n");
    expect(out.split("file says")).toHaveLength(2);
    expect((await desk.run(["show", "1", "--json"])).json().details.told).toBe(told);
    for (const how of [[], ["--json"]]) expect((await desk.run(["log", ...how])).out).not.toContain("file says");
  });

  it("leaves out what was told of a file that was purged since", async () => {
    const desk = deskWith({ "a.txt": "one\n" });
    await desk.as("anna", async (session, { backend }) => {
      await backend.record({ ...REFUSED, details: { paths: ["a.txt"], told: "the file says: one" } });
      await session.delete("a.txt", { expectedSha256: (await session.read("a.txt")).sha });
    });
    const shown = async () =>
      (await Promise.all([[], ["--json"]].map((how) => desk.run(["show", "1", ...how])))).map(({ out }) => out);
    for (const out of await shown()) expect(out).toContain("file says");
    await desk.as("anna", (session) => purge(session, "a.txt"));
    for (const out of await shown()) {
      expect(out).toContain("old_text_not_found");
      expect(out).not.toContain("file says");
    }
  });

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
