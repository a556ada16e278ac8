import { closeCheckpoint, collectGarbage, openCheckpoint, openCheckpoints, purge, rollBackTo } from "stet";
import { describe, expect, it } from "vitest";
import { all, refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("history", () => {
  const open = () => memoryWorkspace({ a: "1\n" }).session({ id: "s", agent: "ann" });

  it("rolls back to a checkpoint whatever happened since, as one change", async () => {
    const session = open();
    await session.read("a");
    await openCheckpoint(session, "before");
    await session.write("a", "2\n", { tool: "write_file" });
    await session.move("a", "b");
    await session.create("c", "x\n");
    const undone = await rollBackTo(session, "before");
    expect(undone).toHaveLength(3);
    const { backend } = session.workspace;
    expect([await textAt(backend, "a"), await textAt(backend, "b"), await textAt(backend, "c")]).toEqual([
      "1\n",
      null,
      null,
    ]);
    await closeCheckpoint(session, "before");
    await refuses("not_found", () => rollBackTo(session, "before"));
  });

  it("a checkpoint that is not open is neither closed nor written down as closed", async () => {
    const session = open();
    await refuses("not_found", () => closeCheckpoint(session, "never"));
    await openCheckpoint(session, "once");
    await closeCheckpoint(session, "once");
    await refuses("not_found", () => closeCheckpoint(session, "once"));
    expect((await all(session.workspace.log())).map(({ details }) => details)).toEqual([
      { opened: "once" },
      { closed: "once" },
    ]);
  });

  it("two open checkpoints cannot have one name", async () => {
    const session = open();
    await openCheckpoint(session, "x");
    await refuses("already_exists", () => openCheckpoint(session, "x"));
    expect((await openCheckpoints(session.workspace)).map(({ name }) => name)).toEqual(["x"]);
  });

  it("retention keeps what an open checkpoint needs, and drops it when it is closed", async () => {
    const session = open();
    const first = (await session.read("a")).sha;
    await openCheckpoint(session, "before");
    for (const text of ["2\n", "3\n"]) await session.write("a", text);
    const later = Date.now() + 1000;
    await collectGarbage(session.workspace, { maxAgeMs: 0, maxBytes: 0, maxVersionsPerPath: 1 }, later);
    expect(await session.workspace.backend.recall(first)).not.toBeNull();
    await closeCheckpoint(session, "before");
    await collectGarbage(session.workspace, { maxVersionsPerPath: 1 });
    expect(await session.workspace.backend.recall(first)).toBeNull();
    expect(await textAt(session.workspace.backend, "a")).toBe("3\n");
  });

  it("retention by age spares what is young, by size drops the oldest first", async () => {
    const session = open();
    await session.read("a");
    for (const text of ["22\n", "333\n", "4444\n"]) await session.write("a", text);
    expect((await collectGarbage(session.workspace, { maxAgeMs: 60_000 })).dropped).toBe(0);
    expect(await collectGarbage(session.workspace, { maxBytes: 9 })).toMatchObject({ dropped: 2, bytes: 5 });
    expect((await collectGarbage(session.workspace, { maxAgeMs: 60_000 }, Date.now() + 120_000)).dropped).toBe(1);
  });

  it("a purge keeps bytes that a living file has", async () => {
    const session = open();
    await session.read("a");
    await session.create("same", "1\n");
    await session.delete("a");
    expect((await purge(session, "a")).bytes).toBe(0);
    expect(await session.workspace.backend.recall((await session.read("same")).sha)).not.toBeNull();
  });
});
