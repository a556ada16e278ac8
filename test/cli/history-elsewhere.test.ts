// History that was taken over from another place: told as such wherever it is shown, and left alone by conditions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteFile, writeFile } from "../../src/kernel/verbs.ts";
import { fileCheckpoints } from "../../src/surfaces/anchors/index.ts";
import { refuses, version } from "../../src/testing/assertions.ts";
import { type Desk, deskWith, linesOf, rewrite } from "./history-support.ts";
import { takeOver } from "./planted.ts";

/** Entries 1 and 2 are from elsewhere, 3 and 4 were made here. */
async function takenOverDesk(until = 2): Promise<Desk> {
  const desk = deskWith({ "a.txt": "a 1\n", "b.txt": "b 1\n", "c.txt": "c 1\n", "d.txt": "d 1\n" });
  await desk.as("anna", async (session) => {
    await rewrite(session, "a.txt", "a 2\n");
    await deleteFile(session, "b.txt", { expectedSha256: (await session.read("b.txt")).sha, tool: "delete_file" });
    await rewrite(session, "c.txt", "c 2\n");
    await deleteFile(session, "d.txt", { expectedSha256: (await session.read("d.txt")).sha, tool: "delete_file" });
  });
  takeOver(desk.root, until);
  return desk;
}

const textIn = ({ root }: Desk, path: string) => readFileSync(join(root, path), "utf8");

describe("history from elsewhere", () => {
  it("is marked by log and show", async () => {
    const { run } = await takenOverDesk();
    const lines = linesOf(await run(["log"]));
    expect(lines.map((line) => line.endsWith(" (from elsewhere)"))).toEqual([false, false, true, true]);
    const entries = linesOf(await run(["log", "--json"])).map((line) => JSON.parse(line).elsewhere);
    expect(entries).toEqual([undefined, undefined, true, true]);
    expect((await run(["show", "1"])).out).toMatch(/^from +elsewhere: history that was taken over/m);
    expect((await run(["show", "3"])).out).not.toContain("elsewhere");
    expect((await run(["show", "1", "--json"])).json().elsewhere).toBe(true);
  });

  it.each([
    ["--session", "session-of-anna"],
    ["--agent", "anna"],
    ["--since", "1h"],
  ])("is left out by undo %s, which says so", async (...condition) => {
    const desk = await takenOverDesk();
    expect((await desk.run(["undo", ...condition, "--dry-run", "--json"])).json()).toMatchObject({
      undone: [4, 3],
      leftElsewhere: 2,
    });
    expect(await desk.run(["undo", ...condition, "--yes"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Took back 2 entries: 4, 3, as entry 5:/),
      err: "Left out: 2 entries from elsewhere.\n",
    });
    expect([textIn(desk, "a.txt"), textIn(desk, "c.txt")]).toEqual(["a 2\n", "c 1\n"]);
  });

  it("alone fits no condition", async () => {
    const desk = await takenOverDesk(4);
    const ran = await desk.run(["undo", "--agent", "anna", "--yes", "--json"]);
    expect(ran.code).toBe(1);
    expect(ran.json().error).toMatchObject({
      kind: "not_found",
      message: "No change that was made here fits; 4 from elsewhere were left out.",
      suggestedAction: "stet undo ENTRY takes one of these back; stet log shows them.",
    });
    expect([textIn(desk, "a.txt"), textIn(desk, "c.txt")]).toEqual(["a 2\n", "c 2\n"]);
  });

  it("is taken back entry by entry, and said to be from elsewhere", async () => {
    const desk = await takenOverDesk();
    expect((await desk.run(["undo", "1", "--dry-run", "--json"])).json()).toMatchObject({ elsewhere: [1] });
    expect((await desk.run(["undo", "1", "--dry-run"])).out).toMatch(/^Would take back entry 1 \(from elsewhere\):/);
    expect((await desk.run(["undo", "1"])).out).toMatch(/^Took back entry 1 \(from elsewhere\), as entry 5:/);
    expect((await desk.run(["undo", "3"])).out).toMatch(/^Took back entry 3, as entry 6:/);
    expect(textIn(desk, "a.txt")).toBe("a 1\n");
  });

  it("is not named as what changed a file since it was read", async () => {
    const desk = await takenOverDesk();
    const named = (path: string) =>
      desk.as("ben", async (session) => {
        const expectedSha256 = version(`${path[0]} 1\n`).sha;
        const { failure } = await refuses("stale_file", () => writeFile(session, path, "mine\n", { expectedSha256 }));
        return failure.details?.changedBy;
      });
    expect([await named("a.txt"), await named("c.txt")]).toMatchObject([undefined, { agent: "anna", seq: 3 }]);
  });

  it("has no checkpoints of files to go back to", async () => {
    const desk = deskWith({ "a.txt": "a 1\n", "b.txt": "b 1\n" });
    await desk.as("anna", async (session) => {
      for (const path of ["a.txt", "b.txt"]) await fileCheckpoints(session).save(path);
      await rewrite(session, "a.txt", "a 2\n");
    });
    takeOver(desk.root, 1);
    await desk.as("anna", async (session) => {
      const checkpoints = fileCheckpoints(session);
      expect(await checkpoints.listDirty()).toEqual(["b.txt"]);
      await refuses("not_found", () => checkpoints.rollback("a.txt"));
    });
    expect(textIn(desk, "a.txt")).toBe("a 2\n");
  });

  it("is marked in the trash", async () => {
    const { run } = await takenOverDesk();
    expect(linesOf(await run(["trash", "list"])).slice(1)).toEqual([
      expect.stringMatching(/ d\.txt$/),
      expect.stringMatching(/ b\.txt \(from elsewhere\)$/),
    ]);
    const listed = linesOf(await run(["trash", "list", "--json"])).map((line) => JSON.parse(line).elsewhere);
    expect(listed).toEqual([undefined, true]);
    expect((await run(["trash", "purge", "--all"])).out).toMatch(/b\.txt \(4 B, from elsewhere\)/);
    expect((await run(["trash", "restore", "2"])).out).toMatch(/^Brought back b\.txt .*; it is from elsewhere\.\n/);
  });

  it("is marked for agents", async () => {
    const { run } = await takenOverDesk();
    const marks = async (tool: string) =>
      (await run(["call", tool, "{}"])).json().data.entries.map(({ elsewhere }: { elsewhere?: true }) => elsewhere);
    expect(await marks("audit_log")).toEqual([undefined, undefined, true, true]);
    expect(await marks("list_trash")).toEqual([undefined, true]);
    expect((await run(["call", "audit_log", "{}", "--text"])).out.match(/from elsewhere\)$/gm)).toHaveLength(2);
    expect((await run(["call", "list_trash", "{}", "--text"])).out.match(/\(from elsewhere\)$/gm)).toHaveLength(1);
  });
});
