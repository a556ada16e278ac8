import { closeCheckpoint, listTrash, openCheckpoint, purge, restore, rollBackTo, type Session, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("purge", () => {
  const open = (): Session => memoryWorkspace({}).session();

  it("keeps bytes that the undo of another path's change needs", async () => {
    const session = open();
    await session.create("other", "1\n");
    const { entry } = await session.write("other", "2\n");
    await session.create("a", "1\n");
    await session.delete("a");
    expect((await purge(session, "a")).bytes).toBe(0);
    await session.undo({ entry: entry!.seq });
    expect(await textAt(session.workspace.backend, "other")).toBe("1\n");
  });

  it("keeps bytes that an older change of the same path replaced", async () => {
    const session = open();
    await session.create("a", "1\n");
    await session.write("a", "2\n");
    await session.write("a", "1\n");
    await session.delete("a");
    expect((await purge(session, "a")).bytes).toBe(0);
  });

  it("keeps bytes that an open checkpoint needs, and only those", async () => {
    const session = open();
    await session.create("a", "1\n");
    await openCheckpoint(session, "before");
    await session.delete("a");
    expect((await purge(session, "a")).bytes).toBe(0);
    await rollBackTo(session, "before");
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    await closeCheckpoint(session, "before");
    await session.read("a");
    await session.delete("a");
    await openCheckpoint(session, "after");
    expect((await purge(session, "a")).bytes).toBe(2);
  });

  it("keeps bytes of a deletion that the policy hides from this session", async () => {
    const backend = memory();
    const owner = new Workspace(backend).session();
    for (const path of ["hidden/a", "a"]) {
      await owner.create(path, "1\n", { createParents: true });
      await owner.delete(path);
    }
    const agent = new Workspace(backend, { policy: { deniedPaths: ["hidden"] } }).session();
    expect((await purge(agent, "a")).bytes).toBe(0);
    await restore(owner, "hidden/a");
    expect(await textAt(backend, "hidden/a")).toBe("1\n");
  });

  it("keeps bytes of another deletion of the same path until that is purged too", async () => {
    const session = open();
    for (let n = 0; n < 2; n++) {
      await session.create("a", "1\n");
      await session.delete("a");
    }
    const [newer, older] = await all(listTrash(session.workspace));
    expect((await purge(session, newer!.id)).bytes).toBe(0);
    expect((await purge(session, older!.id)).bytes).toBe(2);
  });

  it("drops bytes that two paths had when both are purged", async () => {
    const session = open();
    for (const path of ["a", "b"]) {
      await session.create(path, "1\n");
      await session.delete(path);
    }
    expect((await purge(session, "a")).bytes).toBe(0);
    expect((await purge(session, "b")).bytes).toBe(2);
  });

  it("drops bytes of a file that had another name, and of one that a move replaced", async () => {
    const session = open();
    await session.create("a", "1\n");
    await session.move("a", "b");
    await session.delete("b");
    expect((await purge(session, "b")).bytes).toBe(2);
    await session.create("c", "333\n");
    await session.create("d", "4\n");
    await session.move("d", "c", { overwrite: true });
    expect((await purge(session, "c")).bytes).toBe(4);
    expect(await textAt(session.workspace.backend, "c")).toBe("4\n");
  });

  it("drops bytes of a file that a move put over one with equal bytes, when both are purged", async () => {
    const session = open();
    await session.create("a", "1\n");
    await session.create("b", "1\n");
    await session.move("b", "a", { overwrite: true });
    await session.delete("a");
    const [moved, replaced] = await all(listTrash(session.workspace));
    expect((await purge(session, replaced!.id)).bytes).toBe(0);
    expect((await purge(session, moved!.id)).bytes).toBe(2);
  });

  it("follows a file back through a deletion that was undone", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry } = await session.delete("a");
    await session.undo({ entry: entry!.seq });
    await session.delete("a", { proof: { by: "waived" } });
    expect((await purge(session, "a")).bytes).toBe(2);
  });
});
