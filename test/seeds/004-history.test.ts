// Seed 004, checkpoints and writers of files as views over the journal, and the continuity that edits report.
import { anchors, call, fileCheckpoints, writeTracker } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";
import { refuses } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { hash, text } from "./004-lines.ts";

const change = (from: string, to: string) => ({
  path: "a.txt",
  operations: [{ op: "replace_line", hash: hash(from), content: to }],
});

describe("baseline_continuity", () => {
  it("write_file over an edited file is mixed, and then clean again", async () => {
    const { done } = agentWith(anchors, { "a.txt": text("one") });
    await done("edit", change("one", "1"));
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("mixed");
    expect((await done("write_file", { path: "a.txt", content: "y\n" })).data.baseline_continuity).toBe("clean");
  });

  it("nothing is recorded for rejected edits and dry runs", async () => {
    const { done, refused, session } = agentWith(anchors, {});
    await done("write_file", { path: "a.txt", content: text("one") });
    await refused("edit", change("unknown", "x"));
    await done("edit", { ...change("one", "x"), dry_run: true });
    expect(await writeTracker(session).lastWriter("a.txt")).toBe("write_file");
  });

  it("a file that is created, also where one was deleted, is clean", async () => {
    const { done, session } = agentWith(anchors, { "a.txt": text("one") });
    await session.change([{ path: "a.txt", proof: { by: "waived" }, action: "delete" }], () => [null]);
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("clean");
  });

  it("another tool of the same workspace makes it mixed", async () => {
    const { done, theyWrite } = agentWith(anchors, { "a.txt": text("one", "two") });
    await theyWrite("a.txt", text("one", "2"));
    expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("mixed");
  });
});

describe("baseline_continuity and other programs, on disk", () => {
  it.each([[true], [false]])(
    "a write from outside after an edit makes it mixed (read in between: %s)",
    async (reads) => {
      const { done, refused, outside } = agentOnDisk(anchors, { "a.txt": text("one", "two") });
      await done("edit", change("one", "1"));
      outside("a.txt", text("1", "two", "theirs"));
      if (reads) expect((await done("read_file", { path: "a.txt" })).data.last_writer).toBe("external");
      else await refused("edit", change("1", "ONE"));
      expect((await done("edit", change("1", "ONE"))).data.baseline_continuity).toBe("mixed");
      expect((await done("edit", change("ONE", "one"))).data.baseline_continuity).toBe("clean");
    },
  );
});

describe("the write tracker", () => {
  it("tells the last writer and whether another one goes on from it", async () => {
    const { done, session } = agentWith(anchors, { "a.txt": text("one") });
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
      const { done, session, workspace } = agentWith(anchors, { "a.txt": text("one", "two") });
      if (known) await done("edit", change("two", "2"));
      await writeTracker(session).markExternalWrite("a.txt");
      expect(await writeTracker(session).lastWriter("a.txt")).toBe("external");
      expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("mixed");
      expect((await workspace.verify()).ok).toBe(true);
    },
  );
});

describe("file checkpoints", () => {
  it("save, changes, rollback: the bytes of the checkpoint are back, the writer before it counts again", async () => {
    const { done, session, content } = agentWith(anchors, { "a.txt": text("one", "two"), "b.txt": text("one") });
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
    const { done, session } = agentWith(anchors, { "a.txt": text("one") });
    const checkpoints = fileCheckpoints(session);
    await done("edit", change("one", "1"));
    for (const content of ["x\n", "y\n"]) {
      await checkpoints.save("a.txt");
      await done("write_file", { path: "a.txt", content });
      await checkpoints.rollback("a.txt");
    }
    await done("read_file", { path: "a.txt", hashes: true });
    expect((await done("edit", change("1", "one"))).data.baseline_continuity).toBe("clean");
  });

  it("a file that did not exist at the checkpoint is deleted, one that was deleted since comes back", async () => {
    const { done, session, content } = agentWith(anchors, { "dir/old.txt": "kept\n" });
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
    const { done, session, content } = agentWith(anchors, { "a.txt": text("one") });
    const checkpoints = fileCheckpoints(session);
    await checkpoints.save("a.txt");
    await done("edit", change("one", "1"));
    await checkpoints.save("a.txt");
    await done("edit", change("1", "ONE"));
    await checkpoints.rollback("a.txt");
    expect(await content("a.txt")).toBe(text("1"));
    await done("read_file", { path: "a.txt", hashes: true });
    await checkpoints.save("a.txt");
    await done("edit", change("1", "uno"));
    await checkpoints.commit("a.txt");
    expect([await content("a.txt"), await checkpoints.isDirty("a.txt")]).toEqual([text("uno"), false]);
  });

  it("cleanup drops all of them; names that begin alike are different files", async () => {
    const { session } = agentWith(anchors, { a: "1\n", "a-1": "2\n", "a@b": "3\n" });
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
  const [here, there] = [1, 2].map(() => workspaceIn(root).session());
  const asked = async () => {
    const read = await call(here!, anchors, "read_file", { path: "a.txt" });
    const { last_writer, is_dirty } = read.data as Record<string, unknown>;
    return [last_writer, is_dirty];
  };
  const write = (path: string, tool: string) => there!.write(path, `${tool}\n`, { tool, proof: { by: "waived" } });
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

it.each([
  ["a later one", 1_000_000],
  ["itself", 2],
  ["no number", "x"],
])(
  "a rollback that names no earlier entry, but %s: the search for the writer goes back and ends",
  async (_, checkpoint) => {
    const { session } = agentWith(anchors, { "a.txt": "one\n" });
    for (const [content, tool, details] of [
      ["two\n", "edit", {}],
      ["three\n", "rollback", { checkpoint }],
    ] as const) {
      const { sha } = await session.read("a.txt");
      await session.write("a.txt", content, { expectedSha256: sha, tool, details });
    }
    expect(await writeTracker(session).lastWriter("a.txt")).toBe("edit");
  },
);
