import { describe, expect, it } from "vitest";
import { replay } from "../../src/kernel/history/journal/writers.ts";
import { listTrash, restore } from "../../src/kernel/history/trash/trash.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import type { Session } from "../../src/kernel/session.ts";
import { createFile, deleteFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, path, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("the trash on %s", (_name, make) => {
  const open = (): Session => new Workspace(make({})).session({ id: "s" });
  const trashed = async ({ workspace }: Session): Promise<string[]> =>
    (await all(listTrash(workspace))).map((item) => `${item.path} ${item.size}`);

  it("no longer has a deletion that was undone together with what came after it", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    const { entry } = await deleteFile(session, "a");
    await createFile(session, "a", "222\n");
    await undo(session, { sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has nothing after a move was undone, and after that was undone", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    const { entry: moved } = await moveFile(session, "a", "b");
    const { entry: back } = await undo(session, { entry: moved!.seq });
    expect(back!.changes.find((change) => change.path === "a")).toMatchObject({ movedFrom: "b" });
    expect(await trashed(session)).toEqual([]);
    expect([...(await replay(session.workspace, { session: "s" })).keys()]).toEqual(["a"]);
    await undo(session, { entry: back!.seq });
    expect(await textAt(session.workspace.backend, "b")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has nothing after a chain of moves was undone", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    const { entry } = await moveFile(session, "a", "b");
    await moveFile(session, "b", "c");
    await undo(session, { sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has the text that was written after a move when both are undone", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    const { entry } = await moveFile(session, "a", "b");
    await writeFile(session, "b", "222\n");
    await undo(session, { sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual(["b 4"]);
  });

  it("still has a deletion whose path another file of the same entry was restored to", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    await createFile(session, "b", "222\n");
    const targets = ["a", "b"].map((each) => ({ path: each, proof: { by: "waived" }, action: "delete" }) as const);
    await session.change(targets, () => [null, null]);
    await restore(session, "a", { to: "b" });
    expect(await trashed(session)).toEqual(["b 4"]);
  });

  it("does not have what an aborted entry would have deleted", async () => {
    const session = open();
    await createFile(session, "a", "1\n");
    const { entry } = await deleteFile(session, "a");
    const { backend } = session.workspace;
    await backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [entry!.seq] });
    expect(await trashed(session)).toEqual([]);
    expect((await replay(session.workspace, { session: "s" })).get(path("a"))).not.toHaveProperty("deleted");
  });
});
