// How large a history is said to be, against every file of it looked at.
import { hash } from "node:crypto";
import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { collectGarbage } from "../../src/kernel/history/retention.ts";
import { createFile, deleteFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { temporaryDirectory } from "../backends/journal-fixture.ts";

const roomIn = (dir: string): number =>
  readdirSync(dir).reduce((sum, name) => sum + lstatSync(join(dir, name)).blocks * 512, 0);

async function made(): Promise<{ readonly root: string; readonly workspace: Workspace }> {
  const root = temporaryDirectory();
  const workspace = new Workspace(disk({ root, durability: "fast" }));
  const session = workspace.session();
  await createFile(session, "a", "1\n");
  for (const text of ["2\n", "3\n", "4\n".repeat(5000)]) await writeFile(session, "a", text);
  await createFile(session, "b", "b\n");
  await createFile(session, "same", "b\n");
  await createFile(session, "gone", "gone\n");
  await deleteFile(session, "gone");
  return { root, workspace };
}

describe("the weight of a history", () => {
  it("is that of its files, and what gc frees is what no file has any more", async () => {
    const { root, workspace } = await made();
    const before = await workspace.backend.weigh!();
    const [journal, objects] = ["journal", "objects"].map((name) => roomIn(join(root, ".stet", name)));
    expect(before).toMatchObject({ entries: 8, versions: 6, bytes: journal! + objects!, exact: true, all: true });
    await collectGarbage(workspace, { maxBytes: 0 });
    const after = await workspace.backend.weigh!();
    expect(after).toMatchObject({ versions: 2, spareBytes: 0 });
    expect(before!.spareBytes).toBe(objects! - roomIn(join(root, ".stet", "objects")));
    await workspace.close();
  });

  it("is estimated from some of many versions", async () => {
    const { root, workspace } = await made();
    const objects = join(root, ".stet", "objects");
    for (let n = 0; n < 2500; n++) {
      const sha = hash("sha256", String(n));
      writeFileSync(join(objects, sha), Buffer.alloc(1 + (sha.charCodeAt(0) % 4) * 4096));
    }
    const weight = await workspace.backend.weigh!();
    expect(weight).toMatchObject({ versions: 2506, exact: false, all: true });
    expect(weight!.bytes / (roomIn(objects) + roomIn(join(root, ".stet", "journal")))).toBeCloseTo(1, 0.5);
    expect(weight!.spareBytes).toBeGreaterThan(weight!.bytes * 0.8);
    await workspace.close();
  });

  it("is nothing where there is no history", async () => {
    const workspace = new Workspace(disk({ root: temporaryDirectory() }));
    expect(await workspace.backend.weigh!()).toBeNull();
    await workspace.close();
  });
});
