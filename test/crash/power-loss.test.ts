// The power fails: what the device holds at that moment is copied, mounted anew and read. Needs the right to mount a loop device.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openWorkspace } from "stet";
import { expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const NAMES = ["a.txt", "b.txt", "c.txt"];

it.each(["fast", "full"] as const)("%s leaves no file empty that was whole", async (durability) => {
  const dir = tempDir();
  const image = join(dir, "disk.img");
  execFileSync("truncate", ["-s", "64M", image]);
  const found = await mounted(image, async (root) => {
    for (const name of NAMES) writeFileSync(join(root, name), "old\n");
    spawnSync("sync", ["-f", root]);
    const workspace = await openWorkspace({ root, durability });
    const session = workspace.session({ id: "ada" });
    for (const name of NAMES) {
      await session.read(name);
      await session.write(name, `${"new ".repeat(500)}\n`);
    }
    // What was begun has ended; nothing was waited for, and the workspace is still open.
    await setTimeout(500);
    // Another program's flush makes the names safe, and with them what the names lead to.
    const fd = openSync(join(root, "other.txt"), "w");
    fsyncSync(fd);
    closeSync(fd);
    copyFileSync(image, `${image}.copy`);
    await workspace.close();
    return true;
  });
  if (found === undefined) return console.log("skipped: no loop device can be mounted here");
  await mounted(`${image}.copy`, async (root) => {
    for (const name of NAMES) expect(readFileSync(join(root, name), "utf8")).toBe(`${"new ".repeat(500)}\n`);
  });
});

/** Undefined where it cannot be mounted. A new image gets a file system. */
async function mounted<T>(image: string, work: (root: string) => Promise<T>): Promise<T | undefined> {
  const root = `${image}.mnt`;
  mkdirSync(root);
  if (!image.endsWith(".copy") && spawnSync("mkfs.ext4", ["-q", "-F", image]).status !== 0) return undefined;
  if (spawnSync("mount", ["-o", "loop", image, root]).status !== 0) return undefined;
  try {
    return await work(root);
  } finally {
    execFileSync("umount", [root]);
  }
}
