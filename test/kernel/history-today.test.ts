// What history brings back: its size is not asked about, and nobody has seen it by bringing it back.
import { describe, expect, it } from "vitest";
import { restore } from "../../src/kernel/history/trash/trash.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import type { Session } from "../../src/kernel/session.ts";
import { deleteFile, editFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { refuses, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

const LARGE = Array.from({ length: 300 }, (_, n) => `line ${n}\n`).join("");

describe.each(BACKENDS)("%s: files that are larger than today's limit", (_name, make) => {
  const limited = (session: Session): Session =>
    new Workspace(session.workspace.backend, { limits: { maxFileBytes: 1000 } }).session({ id: "today" });

  it("are restored", async () => {
    const session = new Workspace(make({ a: LARGE })).session();
    await session.read("a");
    await deleteFile(session, "a");
    await restore(limited(session), "a");
    expect(await textAt(session.workspace.backend, "a")).toBe(LARGE);
  });

  it("come back by an undo, and go by one", async () => {
    const session = new Workspace(make({ a: LARGE })).session();
    await session.read("a");
    const { entry } = await writeFile(session, "a", "small\n");
    await undo(limited(session), { entry: entry!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe(LARGE);
    const { entry: back } = await writeFile(session, "a", "small\n", { proof: { by: "waived" } });
    const { entry: large } = await writeFile(session, "a", LARGE, { proof: { by: "waived" } });
    await undo(limited(session), { entry: large!.seq });
    expect(await textAt(session.workspace.backend, "a")).toBe("small\n");
    expect(back!.seq).toBeLessThan(large!.seq);
  });
});

describe.each(BACKENDS)("%s: what an undo brought back", (_name, make) => {
  it("has to be read before it is edited", async () => {
    const session = new Workspace(make({ a: "one\ntwo\n" })).session();
    const other = session.workspace.session({ id: "other" });
    await other.read("a");
    const { entry } = await writeFile(other, "a", "three\n");
    await undo(session, { entry: entry!.seq });
    const edit = (): Promise<unknown> => editFile(session, "a", () => [{ start: 0, end: 3, text: "ONE" }]);
    await refuses("unread_file", edit);
    await session.read("a");
    await edit();
    expect(await textAt(session.workspace.backend, "a")).toBe("ONE\ntwo\n");
  });
});
