// Seed 004, checkpoints and writers of files as views over the journal, and the continuity that edits report.
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { anchors, fileCheckpoints, writeTracker } from "../../src/surfaces/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { refuses } from "../../src/testing/assertions.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { desk, hash, text } from "./004-desk.ts";

const change = (from: string, to: string) => ({
  path: "a.txt",
  operations: [{ op: "replace_line", hash: hash(from), content: to }],
});

describe.each(BACKENDS)("baseline_continuity on %s", (_name, make) => {
  it("WHEN edit is called on a file previously written by write_file THEN mixed, and the edit still proceeds", async () => {
    const { done, content } = desk(make, {});
    await done("write_file", { path: "a.txt", content: text("one", "two") });
    const { data, text: said } = await done("edit", change("one", "ONE"));
    expect(data.baseline_continuity).toBe("mixed");
    expect(said).toContain("\n[writer_type: edit, baseline_continuity: mixed]\n");
    expect(await content("a.txt")).toBe(text("ONE", "two"));
  });

  it("WHEN edit is called on a file previously only modified by edit THEN clean", async () => {
    const { done } = desk(make, { "a.txt": text("one", "two") });
    expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("clean");
    expect((await done("edit", change("1", "ONE"))).data).toMatchObject({
      baseline_continuity: "clean",
      writer_type: "edit",
    });
  });

  it("write_file over an edited file is mixed, and then clean again", async () => {
    const { done } = desk(make, { "a.txt": text("one") });
    await done("edit", change("one", "1"));
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("mixed");
    expect((await done("write_file", { path: "a.txt", content: "y\n" })).data.baseline_continuity).toBe("clean");
  });

  it("nothing is recorded for rejected edits and dry runs", async () => {
    const { done, refused, session } = desk(make, {});
    await done("write_file", { path: "a.txt", content: text("one") });
    await refused("edit", change("unknown", "x"));
    await done("edit", { ...change("one", "x"), dry_run: true });
    expect(await writeTracker(session).lastWriter("a.txt")).toBe("write_file");
  });

  it("a file that is created, also where one was deleted, is clean", async () => {
    const { done, session } = desk(make, { "a.txt": text("one") });
    await session.change([{ path: "a.txt", proof: { by: "waived" }, action: "delete" }], () => [null]);
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("clean");
  });

  it("another tool of the same workspace makes it mixed", async () => {
    const { done, other } = desk(make, { "a.txt": text("one", "two") });
    await other("a.txt", text("one", "2"));
    expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("mixed");
  });
});

describe("baseline_continuity and other programs, on disk", () => {
  const [, make] = BACKENDS[1]!;

  it.each([[true], [false]])(
    "a write from outside after an edit makes it mixed (read in between: %s)",
    async (reads) => {
      const { done, outside } = desk(make, { "a.txt": text("one", "two") }, { onStale: "rebase" });
      await done("edit", change("one", "1"));
      outside("a.txt", text("1", "two", "theirs"));
      if (reads) expect((await done("read_file", { path: "a.txt" })).data.last_writer).toBe("external");
      expect((await done("edit", change("1", "ONE"))).data.baseline_continuity).toBe("mixed");
      expect((await done("edit", change("ONE", "one"))).data.baseline_continuity).toBe("clean");
    },
  );

  it("so does one between the read and the first edit of a file that the journal does not know", async () => {
    const { done, outside } = desk(make, { "a.txt": text("one", "two") }, { onStale: "rebase" });
    await done("read_file", { path: "a.txt", hashes: true });
    outside("a.txt", text("one", "two", "theirs"));
    expect((await done("edit", change("one", "1"))).data).toMatchObject({
      baseline_continuity: "mixed",
      cross_version: true,
    });
  });
});

describe.each(BACKENDS)("the write tracker on %s", (_name, make) => {
  it("tells the last writer and whether another one goes on from it", async () => {
    const { done, session } = desk(make, { "a.txt": text("one") });
    const tracker = writeTracker(session);
    expect([await tracker.lastWriter("a.txt"), await tracker.getContinuity("a.txt", "edit")]).toEqual([null, "clean"]);
    await done("edit", change("one", "1"));
    expect([await tracker.lastWriter("a.txt"), await tracker.getContinuity("a.txt", "edit")]).toEqual([
      "edit",
      "clean",
    ]);
    expect(await tracker.getContinuity("a.txt", "write_file")).toBe("mixed");
  });

  it.each([[true], [false]])(
    "markExternalWrite makes the next edit mixed (known to the journal: %s)",
    async (known) => {
      const { done, session, workspace } = desk(make, { "a.txt": text("one", "two") });
      if (known) await done("edit", change("two", "2"));
      await writeTracker(session).markExternalWrite("a.txt");
      expect(await writeTracker(session).lastWriter("a.txt")).toBe("external");
      expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("mixed");
      expect((await workspace.verify()).ok).toBe(true);
    },
  );
});

describe.each(BACKENDS)("file checkpoints on %s", (_name, make) => {
  it("save, changes, rollback: the bytes of the checkpoint are back, the writer before it counts again", async () => {
    const { done, session, content } = desk(make, { "a.txt": text("one", "two"), "b.txt": text("one") });
    const checkpoints = fileCheckpoints(session);
    await done("edit", change("two", "2"));
    await checkpoints.save("a.txt");
    await done("write_file", { path: "a.txt", content: "gone\n" });
    await done("write_file", { path: "b.txt", content: "stays\n" });
    expect([
      await checkpoints.isDirty("a.txt"),
      await checkpoints.isDirty("b.txt"),
      await checkpoints.listDirty(),
    ]).toEqual([true, false, ["a.txt"]]);
    await checkpoints.rollback("a.txt");
    expect([await content("a.txt"), await content("b.txt")]).toEqual([text("one", "2"), "stays\n"]);
    expect(await checkpoints.isDirty("a.txt")).toBe(false);
    expect(await writeTracker(session).lastWriter("a.txt")).toBe("edit");
    await refuses("not_found", () => checkpoints.rollback("a.txt"));
  });

  it("after two rollbacks in a row the writer before both counts", async () => {
    const { done, session } = desk(make, { "a.txt": text("one") });
    const checkpoints = fileCheckpoints(session);
    await done("edit", change("one", "1"));
    for (const content of ["x\n", "y\n"]) {
      await checkpoints.save("a.txt");
      await done("write_file", { path: "a.txt", content });
      await checkpoints.rollback("a.txt");
    }
    expect((await done("edit", change("1", "one"))).data.baseline_continuity).toBe("clean");
  });

  it("a file that did not exist at the checkpoint is deleted, one that was deleted since comes back", async () => {
    const { done, session, content } = desk(make, { "dir/old.txt": "kept\n" });
    const checkpoints = fileCheckpoints(session);
    await checkpoints.save("new.txt");
    await checkpoints.save("dir/old.txt");
    await done("write_file", { path: "new.txt", content: "x\n" });
    await session.change([{ path: "dir/old.txt", proof: { by: "waived" }, action: "delete" }], () => [null]);
    await checkpoints.rollback("new.txt");
    await checkpoints.rollback("dir/old.txt");
    expect([await content("new.txt"), await content("dir/old.txt")]).toEqual([null, "kept\n"]);
    expect(await checkpoints.listDirty()).toEqual([]);
  });

  it("commit drops the checkpoint and keeps the changes; a second save takes the place of the first", async () => {
    const { done, session, content } = desk(make, { "a.txt": text("one") });
    const checkpoints = fileCheckpoints(session);
    await checkpoints.save("a.txt");
    await done("edit", change("one", "1"));
    await checkpoints.save("a.txt");
    await done("edit", change("1", "ONE"));
    await checkpoints.rollback("a.txt");
    expect(await content("a.txt")).toBe(text("1"));
    await checkpoints.save("a.txt");
    await done("edit", change("1", "uno"));
    await checkpoints.commit("a.txt");
    expect([await content("a.txt"), await checkpoints.isDirty("a.txt")]).toEqual([text("uno"), false]);
  });

  it("cleanup drops all of them; names that begin alike are different files", async () => {
    const { session } = desk(make, { a: "1\n", "a-1": "2\n", "a@b": "3\n" });
    const checkpoints = fileCheckpoints(session);
    await checkpoints.save("a-1");
    await checkpoints.save("a@b");
    expect([
      await checkpoints.isDirty("a"),
      await checkpoints.isDirty("a-1"),
      await checkpoints.isDirty("a@b"),
    ]).toEqual([false, true, true]);
    await checkpoints.cleanup();
    expect(await checkpoints.listDirty()).toEqual([]);
  });
});

it("a read sees the writer and the checkpoint of another process at once, however often it asked before", async () => {
  const root = directoryWith({ "a.txt": "one\n", "b.txt": "b\n" });
  const [here, there] = [1, 2].map(() => new Workspace(disk({ root, durability: "fast" })).session());
  const asked = async () => {
    const read = await call(here!, anchors, "read_file", { path: "a.txt" });
    const { last_writer, is_dirty } = read.data as Record<string, unknown>;
    return [last_writer, is_dirty];
  };
  const write = (path: string, tool: string) => writeFile(there!, path, `${tool}\n`, { tool, proof: { by: "waived" } });
  expect(await asked()).toEqual([null, false]);
  for (const tool of ["first", "second"]) {
    await write("a.txt", tool);
    await write("b.txt", "other");
    expect([await asked(), await asked()]).toEqual([
      [tool, false],
      [tool, false],
    ]);
  }
  await fileCheckpoints(there!).save("a.txt");
  expect(await asked()).toEqual(["second", true]);
});
