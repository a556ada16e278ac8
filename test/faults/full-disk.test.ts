// A disk that is full: the old file stays as it was, nothing is left behind, and after making room everything works.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it } from "vitest";
import { refuses } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";

const mounts: string[] = [];
afterEach(() => {
  for (const mount of mounts.splice(0)) execFileSync("umount", ["-l", mount]);
});

function smallDisk(): string | null {
  const mount = tempDir();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], { stdio: "ignore" });
  } catch {
    return null;
  }
  mounts.push(mount);
  const root = join(mount, "ws");
  mkdirSync(root);
  return root;
}

describe("a full disk", () => {
  it("leaves the old file and no temporary files", async (context) => {
    const root = smallDisk();
    if (root === null) return context.skip("a small tmpfs cannot be mounted here (needs root)");
    const old = "old content\n".repeat(1000);
    writeFileSync(join(root, "a"), old);
    const workspace = new Workspace(disk({ root }));
    const session = workspace.session();
    const { sha } = await session.read("a");
    await session.create("small", "x");
    const free = statfsSync(root).bavail;

    for (const size of [1_030_000, 2_000_000]) {
      const refusal = await refuses("disk_full", () => session.write("a", "n".repeat(size), { expectedSha256: sha }));
      expect(refusal.failure.suggestedAction).toBe("Free some space, then retry.");
      expect(readFileSync(join(root, "a"), "utf8")).toBe(old);
      await refuses("disk_full", () => session.create("new/dir/b", "n".repeat(size), { createParents: true }));
      expect(readdirSync(root).sort()).toEqual([".stet", "a", "small"]);
    }
    // All but the versions that were stored completely (the old one) and the refusals in the journal is free again.
    expect(free - statfsSync(root).bavail).toBeLessThan(10);
    await session.write("a", "fits\n", { expectedSha256: sha });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("fits\n");
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });

  it("of a history is freed by gc, and what is kept can be brought back", async (context) => {
    const mount = smallDisk();
    if (mount === null) return context.skip("a small tmpfs cannot be mounted here (needs root)");
    const root = tempDir();
    const workspace = new Workspace(disk({ root, stateDir: mount, segmentBytes: 100_000 }));
    const session = workspace.session();
    const text = (n: number): string => `${n} `.repeat(2000);
    await session.create("a", text(0));
    let n = 0;
    const fill = async (): Promise<void> => {
      for (;;) await session.write("a", text(++n));
    };
    await refuses("disk_full", fill);
    writeFileSync(join(mount, "rest"), "");
    // To the last byte.
    expect(() => {
      for (;;) appendFileSync(join(mount, "rest"), "x".repeat(512));
    }).toThrow("ENOSPC");
    const free = statfsSync(mount).bavail;
    const { dropped } = await collectGarbage(workspace, { maxVersionsPerPath: 2 });
    expect(dropped).toBeGreaterThan(10);
    expect(statfsSync(mount).bavail).toBeGreaterThan(free + 50);
    const { entry } = await session.write("a", "fits\n");
    await session.undo({ entry: entry!.seq });
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });
});
