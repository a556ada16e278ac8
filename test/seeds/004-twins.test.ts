// Seed 004: "line identity is determined by content hash". Of lines with one content, the one that was shown or none.
import { describe, expect, it } from "vitest";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import type { Workspace } from "../../src/kernel/workspace.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, text } from "./004-desk.ts";

const X = hash("x");
const off = { safety_check: "off" };

describe.each(BACKENDS)("a twin of the line that an anchor was shown for is left alone, on %s", (_name, make) => {
  async function reading(lines: string[], options = {}, input = {}) {
    const made = desk(make, { a: text(...lines) }, options);
    const { data } = await made.done("read_file", { path: "a", hashes: true, ...input });
    const edit = (op: object, more = {}) => made.done("edit", { path: "a", operations: [op], ...off, ...more });
    const kind = async (op: object, more = {}) =>
      (await made.refused("edit", { path: "a", operations: [op], ...off, ...more })).kind;
    return { ...made, edit, kind, version: data.file_version };
  }

  it("an occurrence that an edit has used up, moving no line", async () => {
    const { edit, kind } = await reading(["x", "a", "x"]);
    const call = { op: "replace_line", hash: X, occurrence: 1, content: "y" };
    await edit(call);
    expect(await kind(call)).toBe("anchor_stale");
  });

  it("an occurrence, where a read of some lines did not show those above", async () => {
    const { done, edit, kind } = await reading(["x", "a", "x"]);
    const call = { op: "insert_before", hash: X, occurrence: 2, content: "x\nnew" };
    await edit(call);
    await done("read_file", { path: "a", hashes: true, offset: 2 });
    expect(await kind(call)).toBe("anchor_stale");
    await edit({ ...call, hash: `3#${X}`, content: "more" });
  });

  it("a hash whose line is gone, when the session has written such a line since", async () => {
    const { edit, kind } = await reading(["a", "x", "b", "c", "d", "e", "f", "g", "h", "x"], {}, { limit: 3 });
    const call = { op: "delete_line", hash: X };
    await edit(call);
    await edit({ op: "insert_after", hash: hash("b"), content: "x" });
    expect(await kind(call)).toBe("anchor_stale");
  });

  it("own edits, then an undo or others: what was read counts, not what was left in between", async () => {
    const undone = await reading(["a", "x", "b", "x", "c"]);
    await undone.edit({ op: "delete_line", hash: `2#${X}` });
    await undo(undone.session, { entry: await newest(undone.workspace) });
    expect(await undone.kind({ op: "delete_line", hash: X })).toBe("anchor_ambiguous");

    const { edit, kind, other, content } = await reading(["x", "a", "x", "b"], { onStale: "rebase" });
    const call = { op: "delete_line", hash: `3#${X}` };
    await edit(call);
    await edit({ op: "insert_before", hash: `1#${X}`, content: "n1\nn2" });
    await other("a", `${await content("a")}end\n`);
    expect(await kind(call)).toBe("anchor_stale");
  });

  it("nor does a version that is named make it the one: the current one, or one older than was read last", async () => {
    const { other, kind, done } = await reading(["x", "a", "x", "b"]);
    await other("a", text("x", "a", "q", "b"));
    const plain = await desk(make, { b: text("x", "a", "q", "b") }).done("read_file", { path: "b" });
    const named = { expected_file_version: plain.data.file_version };
    expect(await kind({ op: "delete_line", hash: X }, named)).toBe("anchor_stale");
    await done("read_file", { path: "a", hashes: true });

    const old = await reading(["x", "a", "x", "b"], { onStale: "rebase" });
    await old.edit({ op: "replace_line", hash: hash("a"), content: "A" });
    await old.done("read_file", { path: "a", hashes: true });
    await old.edit({ op: "delete_line", hash: `3#${X}` });
    const older = { expected_file_version: old.version };
    expect(await old.kind({ op: "delete_line", hash: X }, older)).toBe("anchor_stale");
  });

  it("nor does a move of the file", async () => {
    const { edit, session, refused } = await reading(["a", "x", "b", "x"], {}, { limit: 3 });
    await edit({ op: "delete_range", start_hash: `2#${X}`, end_hash: hash("b") });
    await session.move("a", "c");
    const call = { path: "c", operations: [{ op: "delete_line", hash: `2#${X}` }] };
    expect((await refused("edit", call)).kind).toBe("anchor_stale");
  });

  it("a refusal about lines of another version, or about none, is a refusal", async () => {
    const emptied = await reading(["x", "a"]);
    await emptied.other("a", "");
    const range = { op: "delete_range", start_hash: `1#${X}`, end_hash: `1#${X}` };
    expect(await emptied.kind(range)).toBe("anchor_stale");

    const shorter = await reading(["a", "x"]);
    await shorter.edit({ op: "insert_after", hash: `1#${hash("a")}`, content: "b\nc\nd" });
    await undo(shorter.session, { entry: await newest(shorter.workspace) });
    expect(await shorter.kind({ op: "delete_line", hash: `3#${X}` })).toBe("anchor_stale");
  });
});

async function newest(workspace: Workspace): Promise<number> {
  for await (const { seq } of workspace.backend.log({ newestFirst: true, limit: 1 })) return seq;
  throw new Error("no entry");
}
