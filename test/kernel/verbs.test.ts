// The verbs for programs: what they take, the diff they tell, and the methods of a session that are the same.
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../src/core/failure.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import type { Session } from "../../src/kernel/session.ts";
import { createFile, deleteFile, editFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { memoryWorkspace } from "../support/workspace.ts";

/** Of each: the method, and the function that it stands for. */
const ALIKE: Readonly<Record<string, readonly [Act, Act]>> = {
  create: [(s) => s.create("new.txt", "1\n", { mode: 0o600 }), (s) => createFile(s, "new.txt", "1\n", { mode: 0o600 })],
  "create, taken": [(s) => s.create("a.txt", "1\n"), (s) => createFile(s, "a.txt", "1\n")],
  write: [(s) => s.write("a.txt", "1\n"), (s) => writeFile(s, "a.txt", "1\n")],
  "write, unread": [(s) => s.write("unread.txt", "1\n"), (s) => writeFile(s, "unread.txt", "1\n")],
  "write, stale": [
    (s) => s.write("a.txt", "1\n", { expectedSha256: "0".repeat(64) }),
    (s) => writeFile(s, "a.txt", "1\n", { expectedSha256: "0".repeat(64) }),
  ],
  edit: [(s) => s.edit("a.txt", uppercase, { call: "7" }), (s) => editFile(s, "a.txt", uppercase, { call: "7" })],
  "edit, unread": [(s) => s.edit("unread.txt", uppercase), (s) => editFile(s, "unread.txt", uppercase)],
  delete: [(s) => s.delete("a.txt"), (s) => deleteFile(s, "a.txt")],
  "delete, unread": [(s) => s.delete("unread.txt"), (s) => deleteFile(s, "unread.txt")],
  move: [(s) => s.move("a.txt", "b.txt"), (s) => moveFile(s, "a.txt", "b.txt")],
  "move, taken": [(s) => s.move("a.txt", "unread.txt"), (s) => moveFile(s, "a.txt", "unread.txt")],
  "move over": [
    (s) => s.move("a.txt", "unread.txt", { overwrite: true }),
    (s) => moveFile(s, "a.txt", "unread.txt", { overwrite: true }),
  ],
  undo: [(s) => s.undo({ entry: 1 }), (s) => undo(s, { entry: 1 })],
  "undo, nothing": [(s) => s.undo({ entry: 99 }), (s) => undo(s, { entry: 99 })],
};
type Act = (session: Session) => Promise<object>;
const uppercase = ({ body }: { readonly body: string }) => [{ start: 0, end: 3, text: body.slice(0, 3).toUpperCase() }];

describe("a method of the session does what the function does", () => {
  it.each(Object.entries(ALIKE))("%s: the same answer, and the same entries", async (name, [method, same]) => {
    const told = await Promise.all([method, same].map(toldOf));
    expect(told[0]).toEqual(told[1]);
    expect(told[0]!.refused !== undefined, name).toBe(/, /.test(name));
    // The first entry is that of the desk; every refusal of a change leaves one too.
    expect(told[0]!.entries).toHaveLength(2);
  });
});

async function toldOf(act: Act): Promise<{ readonly refused?: unknown; readonly entries: readonly object[] }> {
  const workspace = memoryWorkspace({ "a.txt": "one\n", "unread.txt": "two\n" });
  const session = workspace.session({ id: "s", agent: "agent" });
  await session.create("first.txt", "first\n");
  await session.read("a.txt");
  const refused = await act(session).then(
    () => undefined,
    // What to do next is said in the names of the methods, where there are options for it.
    ({ failure: { suggestedAction: _next, ...rest } }: Refusal) => rest,
  );
  const entries: object[] = [];
  for await (const { at: _at, prev: _prev, hash: _hash, ...entry } of workspace.log()) entries.push(entry);
  return { entries, ...(refused !== undefined && { refused }) };
}

it("a content that is neither text nor bytes is refused, and changes nothing", async () => {
  const session = memoryWorkspace({ "a.txt": "one\n" }).session();
  await session.read("a.txt");
  for (const content of [undefined, null, 7, ["one"], { body: "one" }] as unknown as string[]) {
    const refused = { failure: { kind: "invalid_input", message: "The content of a file must be a string or bytes." } };
    await expect(createFile(session, "b.txt", content)).rejects.toMatchObject(refused);
    await expect(writeFile(session, "a.txt", content)).rejects.toMatchObject(refused);
  }
  expect((await session.read("a.txt")).body).toBe("one\n");
  await expect(session.read("b.txt")).rejects.toMatchObject({ failure: { kind: "not_found" } });
});

it("the diff of what was deleted, or replaced by bytes, has the old lines", async () => {
  const session = memoryWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "three\n" }).session();
  for (const path of ["a.txt", "b.txt"]) await session.read(path);
  const written = await writeFile(session, "a.txt", Buffer.from("one\nnew\n"));
  expect(written.files[0]!.diff).toMatchObject({
    insertions: 1,
    deletions: 1,
    text: expect.stringContaining("\n-two\n+new\n"),
  });
  const deleted = await deleteFile(session, "b.txt");
  expect(deleted.files[0]!.diff).toMatchObject({
    insertions: 0,
    deletions: 1,
    text: expect.stringContaining("\n-three\n"),
  });
});

it("directories are made for a new file only when that is asked for", async () => {
  const session = memoryWorkspace({ "a.txt": "one\n" }).session();
  await expect(createFile(session, "new/b.txt", "two\n")).rejects.toMatchObject({ failure: { kind: "not_found" } });
  await createFile(session, "new/b.txt", "two\n", { createParents: true });
  expect((await session.read("new/b.txt")).body).toBe("two\n");
});
