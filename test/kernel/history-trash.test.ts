import { listTrash, restore, type Session } from "stet";
import { describe, expect, it } from "vitest";
import { all, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("the trash", () => {
  const open = (): Session => memoryWorkspace({}).session({ id: "s" });
  const trashed = async ({ workspace }: Session): Promise<string[]> =>
    (await all(listTrash(workspace))).map((item) => `${item.path} ${item.size}`);

  it("no longer has a deletion that was undone together with what came after it", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry } = await session.delete("a");
    await session.create("a", "222\n");
    await session.undo({ sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has nothing after a move was undone, and after that was undone", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry: moved } = await session.move("a", "b");
    const { entry: back } = await session.undo({ entry: moved!.seq });
    expect(back!.changes.find((change) => change.path === "a")).toMatchObject({ movedFrom: "b" });
    expect(await trashed(session)).toEqual([]);
    await session.undo({ entry: back!.seq });
    expect(await textAt(session.workspace.backend, "b")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has nothing after a chain of moves was undone", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry } = await session.move("a", "b");
    await session.move("b", "c");
    await session.undo({ sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual([]);
  });

  it("has the text that was written after a move when both are undone", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry } = await session.move("a", "b");
    await session.write("b", "222\n");
    await session.undo({ sinceSeq: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(await trashed(session)).toEqual(["b 4"]);
  });

  it("still has a deletion whose path another file of the same entry was restored to", async () => {
    const session = open();
    await session.create("a", "1\n");
    await session.create("b", "222\n");
    const targets = ["a", "b"].map((each) => ({ path: each, proof: { by: "waived" }, action: "delete" }) as const);
    await session.change(targets, () => [null, null]);
    await restore(session, "a", { to: "b" });
    expect(await trashed(session)).toEqual(["b 4"]);
  });

  it("does not have what an aborted entry would have deleted", async () => {
    const session = open();
    await session.create("a", "1\n");
    const { entry } = await session.delete("a");
    const { backend } = session.workspace;
    await backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [entry!.seq] });
    expect(await trashed(session)).toEqual([]);
  });
});
