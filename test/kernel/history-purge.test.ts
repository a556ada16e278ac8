import { describe, expect, it } from "vitest";
import { closeCheckpoint, openCheckpoint, rollBackTo } from "../../src/kernel/history/checkpoints.ts";
import { mayShowDiffsOf } from "../../src/kernel/history/trash/purged-diffs.ts";
import { listTrash, purge, restore } from "../../src/kernel/history/trash/trash.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import type { Session } from "../../src/kernel/session.ts";
import { createFile, deleteFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("purge on %s", (_name, make) => {
  const open = (): Session => new Workspace(make({})).session();

  it("keeps bytes that the undo of another path's change needs", async () => {
    const session = open();
    await createFile(session, "other", "1\n");
    const { entry } = await writeFile(session, "other", "2\n");
    await createFile(session, "a", "1\n");
    await deleteFile(session, "a");
    expect((await purge(session, "a")).bytes).toBe(0);
    await undo(session, { entry: entry!.seq });
    expect(await textAt(session.workspace.backend, "other")).toBe("1\n");
  });

  it("keeps bytes that an older change of the same path replaced", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    await writeFile(session, "a", "2\n");
    await writeFile(session, "a", "1\n");
    await deleteFile(session, "a");
    expect((await purge(session, "a")).bytes).toBe(0);
  });

  it("keeps bytes that an open checkpoint needs, and only those", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    await openCheckpoint(session, "before");
    await deleteFile(session, "a");
    expect((await purge(session, "a")).bytes).toBe(0);
    await rollBackTo(session, "before");
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    await closeCheckpoint(session, "before");
    await session.read("a");
    await deleteFile(session, "a");
    await openCheckpoint(session, "after");
    expect((await purge(session, "a")).bytes).toBe(2);
  });

  it("keeps bytes of a deletion that the policy hides from this session", async () => {
    const backend = make({});
    const owner = new Workspace(backend).session();
    for (const path of ["hidden/a", "a"]) {
      await createFile(owner, path, "1\n", { createParents: true });
      await deleteFile(owner, path);
    }
    const agent = new Workspace(backend, { policy: { deniedPaths: ["hidden"] } }).session();
    expect((await purge(agent, "a")).bytes).toBe(0);
    await restore(owner, "hidden/a");
    expect(await textAt(backend, "hidden/a")).toBe("1\n");
  });

  it("keeps bytes of another deletion of the same path until that is purged too", async () => {
    const session = open();
    for (let n = 0; n < 2; n++) {
      await createFile(session, "a", "1\n");
      await deleteFile(session, "a");
    }
    const [newer, older] = await all(listTrash(session.workspace));
    expect((await purge(session, newer!.id)).bytes).toBe(0);
    expect((await purge(session, older!.id)).bytes).toBe(2);
  });

  it("drops bytes that two paths had when both are purged", async () => {
    const session = open();
    for (const path of ["a", "b"]) {
      await createFile(session, path, "1\n");
      await deleteFile(session, path);
    }
    expect((await purge(session, "a")).bytes).toBe(0);
    expect((await purge(session, "b")).bytes).toBe(2);
  });

  it("drops bytes of a file that had another name, and of one that a move replaced", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    await moveFile(session, "a", "b");
    await deleteFile(session, "b");
    expect((await purge(session, "b")).bytes).toBe(2);
    await createFile(session, "c", "333\n");
    await createFile(session, "d", "4\n");
    await moveFile(session, "d", "c", { overwrite: true });
    expect((await purge(session, "c")).bytes).toBe(4);
    expect(await textAt(session.workspace.backend, "c")).toBe("4\n");
  });

  const shown = async ({ workspace }: Session): Promise<number[]> => {
    const entries = await all(workspace.log({ outcomes: ["applied"] }));
    const may = await Promise.all(entries.map((entry) => mayShowDiffsOf(workspace.backend, entry)));
    return entries.filter((_, n) => may[n]).map(({ seq }) => seq);
  };

  it("hides diffs back to where the file was made, under all its names, and not those of files with the same names", async () => {
    const session = open();
    await createFile(session, "old", "a password\n");
    await writeFile(session, "old", "a password!\n");
    await moveFile(session, "old", "new");
    await createFile(session, "old", "another file\n");
    await writeFile(session, "new", "no password\n");
    await deleteFile(session, "new");
    await createFile(session, "new", "a third file\n");
    expect(await shown(session)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await purge(session, "new");
    expect(await shown(session)).toEqual([4, 7]);
  });

  it("hides nothing of a file that had the name before", async () => {
    const session = open();
    for (const content of ["first\n", "second\n"]) {
      await createFile(session, "a", content);
      await deleteFile(session, "a");
    }
    await purge(session, "4");
    expect(await shown(session)).toEqual([1, 2]);
  });

  it("hides what was before a deletion that was taken back: it is the same file", async () => {
    const session = open();
    await createFile(session, "a", "a password\n");
    await deleteFile(session, "a");
    await undo(session, { entry: 2 });
    await session.read("a");
    await writeFile(session, "a", "no password\n");
    await deleteFile(session, "a");
    await purge(session, "5");
    expect(await shown(session)).toEqual([]);
  });
});
