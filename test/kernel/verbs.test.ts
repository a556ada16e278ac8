// The verbs for programs: what they take, and the diff they tell.
import { expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

it("a content that is neither text nor bytes is refused, and changes nothing", async () => {
  const session = memoryWorkspace({ "a.txt": "one\n" }).session();
  await session.read("a.txt");
  for (const content of [undefined, null, 7, ["one"], { body: "one" }] as unknown as string[]) {
    const refused = { failure: { kind: "invalid_input", message: "The content of a file must be a string or bytes." } };
    await expect(session.create("b.txt", content)).rejects.toMatchObject(refused);
    await expect(session.write("a.txt", content)).rejects.toMatchObject(refused);
  }
  expect((await session.read("a.txt")).body).toBe("one\n");
  await expect(session.read("b.txt")).rejects.toMatchObject({ failure: { kind: "not_found" } });
});

it("the diff of what was deleted, or replaced by bytes, has the old lines", async () => {
  const session = memoryWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "three\n" }).session();
  for (const path of ["a.txt", "b.txt"]) await session.read(path);
  const written = await session.write("a.txt", Buffer.from("one\nnew\n"));
  expect(written.files[0]!.diff).toMatchObject({
    insertions: 1,
    deletions: 1,
    text: expect.stringContaining("\n-two\n+new\n"),
  });
  const deleted = await session.delete("b.txt");
  expect(deleted.files[0]!.diff).toMatchObject({
    insertions: 0,
    deletions: 1,
    text: expect.stringContaining("\n-three\n"),
  });
});

it("directories are made for a new file only when that is asked for", async () => {
  const session = memoryWorkspace({ "a.txt": "one\n" }).session();
  await expect(session.create("new/b.txt", "two\n")).rejects.toMatchObject({ failure: { kind: "not_found" } });
  await session.create("new/b.txt", "two\n", { createParents: true });
  expect((await session.read("new/b.txt")).body).toBe("two\n");
});
