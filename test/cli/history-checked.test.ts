// What people are shown of the journal is what its kept versions tell; only where they cannot, what it says, marked.
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { purge } from "../../src/kernel/history/trash/trash.ts";
import { createFile, deleteFile } from "../../src/kernel/verbs.ts";
import { type Desk, deskWith, linesOf, rewrite } from "./history-support.ts";
import { entriesIn, plantEntry } from "./planted.ts";

const FORGED = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,4 @@\n one\n-two\n+rm -rf ~\n+curl evil\n+sudo\n";

const REFUSED = { session: "s", tool: "t", outcome: "refused", changes: [], error: "old_text_not_found" } as const;

/** Entry 1 is true; entry 2 speaks of the same versions, with a diff and sizes that never were. */
async function forgedDesk(fromSize = 7): Promise<Desk> {
  const desk = deskWith({ "a.txt": "one\ntwo\n" });
  await desk.as("anna", (session) => rewrite(session, "a.txt", "one\nthree\n"));
  const [{ changes }] = entriesIn(desk.root);
  plantEntry(desk.root, {
    changes: [{ ...changes[0], fromSize, toSize: 1 }],
    diff: FORGED,
  });
  return desk;
}

const objectOf = (desk: Desk, seq: number, side: "from" | "to", n = 0) =>
  join(desk.root, ".stet", "objects", entriesIn(desk.root)[seq - 1].changes[n][side]);

describe("stet show", () => {
  it("shows the diff and the sizes of the kept versions, whatever the entry says", async () => {
    const desk = await forgedDesk(77_777_777);
    for (const seq of ["1", "2"]) {
      const { out } = await desk.run(["show", seq]);
      expect(out).toContain("M a.txt +1 -1");
      expect(out).toContain("-two\n+three\n");
      expect(out).not.toMatch(/evil|sudo|journal says/);
      const { files } = (await desk.run(["show", seq, "--json"])).json();
      expect(files).toMatchObject([
        { beforeSize: 8, afterSize: 10, sizesFrom: "versions", diffFrom: "versions", diff: { insertions: 1 } },
      ]);
      expect(JSON.stringify(files)).not.toContain("evil");
    }
  });

  it("shows what an agent was told, line by line behind a mark; the log does not", async () => {
    const desk = deskWith({ "a.txt": "one\ntwo\n" });
    const told = "Edit rejected, file unchanged.\nthe file says: one\u001b[2J";
    await desk.as("anna", ({ workspace }) =>
      workspace.backend.record({ ...REFUSED, details: { paths: ["a.txt"], told } }),
    );
    const { out } = await desk.run(["show", "1"]);
    expect(out).toContain("\nThe agent was told:\n| Edit rejected, file unchanged.\n| the file says: one\\u{1b}[2J\n");
    expect(out.split("file says")).toHaveLength(2);
    expect((await desk.run(["show", "1", "--json"])).json().details.told).toBe(told);
    for (const how of [[], ["--json"]]) expect((await desk.run(["log", ...how])).out).not.toContain("file says");
  });

  it("leaves out what was told of a file that was purged since", async () => {
    const desk = deskWith({ "a.txt": "one\n" });
    await desk.as("anna", async (session, { backend }) => {
      await backend.record({ ...REFUSED, details: { paths: ["a.txt"], told: "the file says: one" } });
      await deleteFile(session, "a.txt", { expectedSha256: (await session.read("a.txt")).sha });
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

  it.each([
    ["is not kept", (file: string) => rmSync(file), "These versions are no longer kept"],
    ["is damaged", (file: string) => writeFileSync(file, "other by\n"), "A kept version cannot be read"],
  ])("where a version %s, what the journal says stands behind a mark on every line", async (_, spoil, words) => {
    const desk = await forgedDesk();
    chmodSync(objectOf(desk, 1, "from"), 0o600);
    spoil(objectOf(desk, 1, "from"));
    const { code, out } = await desk.run(["show", "2"]);
    expect(code).toBe(0);
    expect(out).toContain("M a.txt ~+3 ~-1");
    expect(out).toContain(words);
    expect(out).toMatch(/\(7 B -> 10 B as the journal says\)\. As the journal says, unchecked:\n~ --- a/);
    expect(out.split("\n").filter((line) => line.includes("evil"))).toEqual(["~ +curl evil"]);
    const [file] = (await desk.run(["show", "2", "--json"])).json().files;
    expect(file).toMatchObject({ diffFrom: "journal", sizesFrom: "journal" });
    expect(file.diff).toEqual({
      left: expect.any(String),
      asJournalSays: { text: FORGED, lines: { insertions: 3, deletions: 1 } },
    });
    const painted = await desk.run(["show", "2"], { colour: true });
    expect(painted.out).toContain("\u001b[32m~ +curl evil\u001b[39m\n");
  });

  it("of several files, only those that cannot be checked are told as the journal says", async () => {
    const desk = deskWith({ "a.txt": "a 1\n", "b.txt": "b 1\n" });
    await desk.as("anna", async (session) => {
      await rewrite(session, "a.txt", "a 2\n");
      await rewrite(session, "b.txt", "b 2\n");
    });
    const changes = entriesIn(desk.root).map(({ changes: [change] }) => change);
    const lie = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${name} 1\n+lie about ${name}\n`;
    plantEntry(desk.root, { changes, diff: `${lie("a.txt")}${lie("b.txt")}${lie("not-in-it.txt")}` });
    rmSync(objectOf(desk, 3, "from", 1));
    const { out } = await desk.run(["show", "3"]);
    expect(out).toContain("-a 1\n+a 2\n");
    expect(out).toContain("~ +lie about b.txt\n");
    expect(out).not.toMatch(/lie about (a|not-in-it)\.txt/);
  });

  it("a move is told as one only where the entry says what was at the source", async () => {
    const desk = await forgedDesk();
    const [{ changes }] = entriesIn(desk.root);
    const seq = plantEntry(desk.root, { changes: [{ ...changes[0], movedFrom: "innocent.txt" }] });
    const { out } = await desk.run(["show", `${seq}`]);
    expect(out).toContain("M a.txt +1 -1");
    expect(out).not.toContain("innocent");
  });
});

describe("stet log", () => {
  it("counts lines in the kept versions, and marks what only the journal says", async () => {
    const desk = await forgedDesk();
    expect(linesOf(await desk.run(["log"]))).toEqual([
      expect.stringMatching(/planted +M a\.txt \+1 -1$/),
      expect.stringMatching(/write_file +M a\.txt \+1 -1$/),
    ]);
    rmSync(objectOf(desk, 1, "to"));
    expect(linesOf(await desk.run(["log"]))).toEqual([
      expect.stringMatching(/planted +M a\.txt ~\+3 ~-1$/),
      expect.stringMatching(/write_file +M a\.txt ~\+1 ~-1$/),
    ]);
    expect((await desk.run(["log", "--help"])).out).toMatch(/~ marks what could not be checked/);
  });

  it("reads a bounded amount of versions: older entries are marked instead", async () => {
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

describe("stet undo --dry-run", () => {
  it("tells what happens to the files, and modes as what the journal says", async () => {
    const desk = await forgedDesk();
    chmodSync(join(desk.root, "a.txt"), 0o644);
    const [{ changes }] = entriesIn(desk.root);
    const seq = plantEntry(desk.root, { changes: [{ ...changes[0], fromMode: 0o755 }], diff: FORGED });
    const dry = await desk.run(["undo", `${seq}`, "--dry-run"]);
    expect(dry.out).toBe(
      `Would take back entry ${seq}:\n  changed back  a.txt +1 -1, mode 644 -> mode 755 (as the journal says)\n`,
    );
    expect((await desk.run(["undo", `${seq}`, "--dry-run", "--json"])).json().files).toMatchObject([
      { path: "a.txt", insertions: 1, deletions: 1, mode: { before: 0o644, after: 0o755, from: "journal" } },
    ]);
    const link = plantEntry(desk.root, { changes: [{ ...changes[0], fromMode: 0o120000 }] });
    expect((await desk.run(["undo", `${link}`, "--dry-run"])).out).toContain("mode 644 -> a symbolic link");
  });

  it("an entry that changed only the mode does not pass for nothing", async () => {
    const desk = await forgedDesk();
    chmodSync(join(desk.root, "a.txt"), 0o644);
    const [{ changes }] = entriesIn(desk.root);
    const seq = plantEntry(desk.root, { changes: [{ ...changes[0], from: changes[0].to, fromMode: 0o755 }] });
    const { out } = await desk.run(["undo", `${seq}`]);
    expect(out).toMatch(/Took back entry \d+, as entry \d+:\n {2}changed back {2}a\.txt \+0 -0, mode 644 -> mode 755/);
    expect(statSync(join(desk.root, "a.txt")).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(desk.root, "a.txt"), "utf8")).toBe("one\nthree\n");
  });
});

describe("stet trash", () => {
  it("lists the sizes of the kept versions, and marks those that are not kept", async () => {
    const desk = deskWith({});
    await desk.as("anna", async (session) => {
      await createFile(session, "a.txt", "four\n");
      await deleteFile(session, "a.txt", { tool: "delete_file" });
    });
    const { changes } = entriesIn(desk.root)[1];
    plantEntry(desk.root, { changes: [{ ...changes[0], fromSize: 123_456 }] });
    const sizes = async () =>
      linesOf(await desk.run(["trash", "list", "--json"]))
        .map((line) => JSON.parse(line))
        .map(({ size, sizeFrom }) => [size, sizeFrom]);
    expect(await sizes()).toEqual([
      [5, "versions"],
      [5, "versions"],
    ]);
    expect((await desk.run(["trash", "list"])).out).not.toMatch(/120\.6 KiB|~/);
    rmSync(objectOf(desk, 2, "from"));
    expect(await sizes()).toEqual([
      [123_456, "journal"],
      [5, "journal"],
    ]);
    expect((await desk.run(["trash", "list"])).out).toMatch(/~120\.6 KiB[\s\S]*~5 B/);
  });
});

describe("audit_log", () => {
  it("gives each file the diff of its kept versions, and marks what only the journal says", async () => {
    const desk = await forgedDesk();
    const asked = ["call", "audit_log", '{"includeDiff":true}'];
    const { entries } = (await desk.run(asked)).json().data;
    expect(entries).toMatchObject([{ diffFrom: "versions" }, { diffFrom: "versions" }]);
    expect(entries[0].diff).toContain("-two\n+three\n");
    expect(JSON.stringify(entries)).not.toContain("evil");
    rmSync(objectOf(desk, 1, "from"));
    expect((await desk.run(asked)).json().data.entries).toMatchObject([
      { diffFrom: "journal" },
      { diffFrom: "journal" },
    ]);
    const { out } = await desk.run([...asked, "--text"]);
    expect(out).toMatch(/As the journal says; the versions could not be compared:\n~ ---/);
    expect(out.split("\n").filter((line) => line.includes("evil"))).toEqual(["~ +curl evil"]);
  });
});
