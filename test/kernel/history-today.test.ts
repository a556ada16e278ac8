// What history brings back: its size is not asked about, and nobody has seen it by bringing it back.
import { restore, type Session, Workspace } from "stet";
import { describe, expect, it } from "vitest";
import { refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const LARGE = Array.from({ length: 300 }, (_, n) => `line ${n}\n`).join("");

describe("files that are larger than today's limit", () => {
  const limited = (session: Session): Session =>
    new Workspace(session.workspace.backend, { limits: { maxFileBytes: 1000 } }).session({ id: "today" });

  it("are restored", async () => {
    const session = memoryWorkspace({ a: LARGE }).session();
    await session.read("a");
    await session.delete("a");
    await restore(limited(session), "a");
    expect(await textAt(session.workspace.backend, "a")).toBe(LARGE);
  });

  it("come back by an undo, and go by one", async () => {
    const session = memoryWorkspace({ a: LARGE }).session();
    await session.read("a");
    const { entry } = await session.write("a", "small\n");
    await limited(session).undo({ entry: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe(LARGE);
    const { entry: back } = await session.write("a", "small\n", { proof: { by: "waived" } });
    const { entry: large } = await session.write("a", LARGE, { proof: { by: "waived" } });
    await limited(session).undo({ entry: large!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("small\n");
    expect(back!.seq).toBeLessThan(large!.seq);
  });
});

describe("what an undo brought back", () => {
  it("has to be read before it is edited", async () => {
    const session = memoryWorkspace({ a: "one\ntwo\n" }).session();
    const other = session.workspace.session({ id: "other" });
    await other.read("a");
    const { entry } = await other.write("a", "three\n");
    await session.undo({ entry: entry!.seq });
    const edit = (): Promise<unknown> => session.edit("a", () => [{ start: 0, end: 3, text: "ONE" }]);
    await refuses("unread_file", edit);
    await session.read("a");
    await edit();
    expect(await textAt(session.workspace.backend, "a")).toBe("ONE\ntwo\n");
  });
});
