// stet undo, stet trash, stet gc: people take back what agents did, and the journal says that a person did it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Desk, deskWith, linesOf, rewrite } from "./history-support.ts";

const textIn = ({ root }: Desk, path: string) => readFileSync(join(root, path), "utf8");
const lastEntry = async ({ run }: Desk) => JSON.parse((await run(["log", "-n", "1", "--json"])).out);

describe("stet undo", () => {
  it("takes back one entry, after showing in a dry run what would happen", async () => {
    const desk = deskWith({ "a.txt": "one\n" });
    await desk.as("anna", (session) => rewrite(session, "a.txt", "two\n"));
    const dry = await desk.run(["undo", "1", "--dry-run"]);
    expect(dry).toMatchObject({ code: 0, out: "Would take back entry 1:\n  changed back  a.txt +1 -1\n" });
    expect(textIn(desk, "a.txt")).toBe("two\n");
    expect(await desk.run(["undo", "1"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Took back entry 1, as entry 2:\n/),
    });
    expect(textIn(desk, "a.txt")).toBe("one\n");
    expect(await lastEntry(desk)).toMatchObject({ agent: "ada", tool: "stet undo", of: [1] });
    expect((await desk.run(["log"])).out).toMatch(/stet undo +M a\.txt \+1 -1 \(takes back 1\)/);
  });

  it("takes back a whole session as one change, and since a time also what came from outside", async () => {
    const desk = deskWith({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    await desk.as("anna", async (session) => {
      await rewrite(session, "a.txt", "A\n");
      await session.create("new.txt", "new\n");
    });
    await desk.as("ben", (session) => rewrite(session, "b.txt", "B\n"));
    const undone = (await desk.run(["undo", "--session", "session-of-a", "--yes", "--json"])).json();
    expect(undone).toMatchObject({ undone: [2, 1], dryRun: false, entry: 4 });
    expect(undone.files.map(({ path }: { path: string }) => path).sort()).toEqual(["a.txt", "new.txt"]);
    expect([textIn(desk, "a.txt"), existsSync(join(desk.root, "new.txt")), textIn(desk, "b.txt")]).toEqual([
      "a\n",
      false,
      "B\n",
    ]);

    writeFileSync(join(desk.root, "b.txt"), "from outside\n");
    expect((await desk.run(["undo", "--since", "1h", "--yes"])).code).toBe(0);
    expect(textIn(desk, "b.txt")).toBe("b\n");
  });

  it("refuses where somebody changed the file later, changes nothing, and can merge", async () => {
    const desk = deskWith({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n", "b.txt": "b\n" });
    await desk.as("anna", async (session) => {
      await rewrite(session, "b.txt", "B\n");
      await rewrite(session, "a.txt", "one\n2\n3\n4\n5\n6\n7\n");
    });
    await desk.as("ben", (session) => rewrite(session, "a.txt", "one\n2\n3\n4\n5\n6\nseven\n"));
    const refused = await desk.run(["undo", "--session", "session-of-anna", "--yes"]);
    expect(refused).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/a\.txt was changed after entry 2 by entry 3\.\nUndo these first, or add --merge/),
    });
    expect([textIn(desk, "a.txt"), textIn(desk, "b.txt")]).toEqual(["one\n2\n3\n4\n5\n6\nseven\n", "B\n"]);
    expect(await lastEntry(desk)).toMatchObject({ seq: 3, outcome: "applied" });
    expect((await desk.run(["undo", "--session", "session-of-anna", "--merge", "--yes"])).code).toBe(0);
    expect([textIn(desk, "a.txt"), textIn(desk, "b.txt")]).toEqual(["1\n2\n3\n4\n5\n6\nseven\n", "b\n"]);
  });

  it("names what a program outside changed since, so that it can be taken back first", async () => {
    const desk = deskWith({ "a.txt": "a\n" });
    await desk.as("anna", (session) => rewrite(session, "a.txt", "A\n"));
    writeFileSync(join(desk.root, "a.txt"), "from outside\n");
    const refused = await desk.run(["undo", "1"]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("after entry 1 by entry 2.\nUndo these first"),
    });
    const again = await desk.run(["undo", "--session", "session-of-anna", "--yes"]);
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining("after entry 1 by entry 2.\nUndo these first"),
    });
    for (const entry of ["2", "1"]) expect((await desk.run(["undo", entry])).code).toBe(0);
    expect(textIn(desk, "a.txt")).toBe("a\n");
  });

  it("says what it needs", async () => {
    const desk = deskWith({ "a.txt": "a\n" });
    for (const args of [[], ["1", "2"], ["1", "--since", "1h"], ["--path", "a.txt"], ["zero"], ["--since", "later"]]) {
      expect((await desk.run(["undo", ...args])).code, args.join(" ")).toBe(2);
    }
    expect(await desk.run(["undo", "7", "--json"])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/"kind":"not_found"/),
    });
  });
});

describe("stet trash", () => {
  async function deskWithTrash(): Promise<Desk> {
    const desk = deskWith({ "a.txt": "a\n", "dir/b.txt": "bb\n", "c.txt": "c\n" });
    await desk.as("anna", async (session) => {
      for (const path of ["a.txt", "dir/b.txt", "c.txt"]) {
        const { sha } = await session.read(path);
        await session.delete(path, { expectedSha256: sha, tool: "delete_file" });
      }
    });
    return desk;
  }

  it("lists, restores to the old or another place, never over a file", async () => {
    const desk = await deskWithTrash();
    const listed = linesOf(await desk.run(["trash", "list"]));
    expect(listed[0]).toMatch(/^id +deleted +size +by +with +path$/);
    expect(listed[2]).toMatch(/^2 .* 3 B +anna +delete_file +dir\/b\.txt$/);
    expect(linesOf(await desk.run(["trash", "--json", "--path", "c.txt"])).map((line) => JSON.parse(line).id)).toEqual([
      "3",
    ]);

    expect(await desk.run(["trash", "restore", "2", "--to", "dir/back.txt"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/dir\/back\.txt/),
    });
    expect(textIn(desk, "dir/back.txt")).toBe("bb\n");
    expect(await lastEntry(desk)).toMatchObject({ agent: "ada", tool: "stet trash restore" });
    writeFileSync(join(desk.root, "a.txt"), "another\n");
    expect(await desk.run(["trash", "restore", "1"])).toMatchObject({ code: 1 });
    expect(textIn(desk, "a.txt")).toBe("another\n");
    expect(await desk.run(["trash", "restore", "77"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Nothing in the trash/),
    });
  });

  it("purges only after a yes", async () => {
    const desk = await deskWithTrash();
    const asked = await desk.run(["trash", "purge", "--all"]);
    expect(asked).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Nothing was changed\. Repeat it with --yes to drop 3 deleted files/),
    });
    expect(asked.out).toContain("dir/b.txt (3 B)");
    expect(await desk.run(["trash", "purge", "--older-than", "1d", "--yes"])).toMatchObject({
      out: expect.stringMatching(/^Purged 0 /),
    });
    expect((await desk.run(["trash", "purge", "3", "--yes", "--json"])).json()).toEqual({
      purged: 1,
      bytes: 2,
      stopped: false,
    });
    expect(await lastEntry(desk)).toMatchObject({ agent: "ada", tool: "stet trash purge", outcome: "note" });
    expect(await desk.run(["trash", "restore", "3"])).toMatchObject({ code: 1 });
    expect((await desk.run(["show", "3"])).out).toMatch(/D c\.txt .*\nThese versions are no longer kept/);
    expect((await desk.run(["show", "2"])).out).toContain("-bb");
    expect((await desk.run(["show", "3", "--json"])).out + (await desk.run(["log", "--json"])).out).not.toContain(
      "-c\\n",
    );
    expect(await desk.run(["trash", "purge", "--older-than", "999999999w", "--yes"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Purged 0 /),
    });
    expect(await desk.run(["trash", "purge", "--all", "-y"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Purged 2 deleted files, 5 B freed/),
    });
    expect(await desk.run(["trash"])).toMatchObject({ code: 0, out: "", err: "The trash is empty.\n" });
    expect(await desk.run(["trash", "purge"])).toMatchObject({ code: 2 });
    expect(await desk.run(["trash", "restor"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Did you mean stet trash restore/),
    });
  });
});
