// What one process wrote while another one replaces, deletes or purges it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { purge } from "stet";
import { expect, it } from "vitest";
import { all, version } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";

const { sha } = version("first\n");

/** Two workspaces on one directory, as two processes have them. */
function two() {
  const root = tempDir();
  const open = () => workspaceIn(root).session();
  const [one, other] = [open(), open()];
  return { root, one, other, keptByOne: async () => (await all(one.workspace.backend.kept())).map((each) => each.sha) };
}

it("what another process purged meanwhile does not come back", async () => {
  const { one, other, keptByOne } = two();
  await one.create("a", "first\n");
  await other.read("a");
  await other.delete("a");
  expect(await purge(other, "a")).toMatchObject({ bytes: 6, stillKept: false });
  expect(await keptByOne()).not.toContain(sha);
  expect(await other.workspace.backend.recall(sha)).toBeNull();
});

it("what another program overwrote is kept, whatever another process changed after that", async () => {
  const { root, one, other, keptByOne } = two();
  await one.create("a", "first\n");
  writeFileSync(join(root, "a"), "theirs\n");
  await other.read("a");
  await other.write("a", "second\n");
  expect(await keptByOne()).toContain(sha);
});

it("what was deleted and brought back by another process is kept", async () => {
  const { one, other, keptByOne } = two();
  await one.create("a", "first\n");
  await other.read("a");
  const { entry } = await other.delete("a");
  await other.undo({ entry: entry!.seq });
  expect(await keptByOne()).toContain(sha);
});
