// How large a history is said to be.
import { collectGarbage } from "stet";
import { expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

it("the weight of a history counts its entries and versions, and what gc frees is what no file has any more", async () => {
  const workspace = workspaceIn(directoryWith({}));
  expect(await workspace.backend.weigh!()).toBeNull();
  const session = workspace.session();
  await session.create("a", "1\n");
  for (const text of ["2\n", "3\n".repeat(5000), "4\n"]) await session.write("a", text);
  await session.create("b", "b\n");
  await session.create("same", "b\n");
  await session.create("gone", "gone\n");
  await session.delete("gone");
  const before = (await workspace.backend.weigh!())!;
  expect(before).toMatchObject({ entries: 8, versions: 6, exact: true, all: true });
  expect(before.spareBytes).toBeGreaterThan(0);
  await collectGarbage(workspace, { maxBytes: 0 });
  const after = (await workspace.backend.weigh!())!;
  expect(after).toMatchObject({ versions: 2, spareBytes: 0 });
  expect(after.bytes).toBeLessThan(before.bytes);
  await workspace.close();
});
