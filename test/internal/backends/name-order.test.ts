// Which disks keep names in order. That ext4 without a journal is none of them is what costs bytes if it is wrong.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, it } from "vitest";
import { nameOrderOf, numbersOf } from "../../../src/backends/disk/commit/name-order.ts";
import type { Dir } from "../../../src/backends/disk/paths/pin.ts";

const { statfsSync, readlinkSync, readFileSync } = fs;
const target = fs as unknown as Record<string, unknown>;

/** A machine on which device 254:1 is `vda1`. */
function on(type: number, journal?: string): Dir {
  target.statfsSync = () => ({ type });
  target.readlinkSync = (path: string) => {
    if (path !== "/sys/dev/block/254:1") throw new Error(`ENOENT ${path}`);
    return "../../devices/virtio1/block/vda/vda1";
  };
  target.readFileSync = (path: string) => {
    if (path !== "/sys/fs/ext4/vda1/journal_task" || journal === undefined) throw new Error(`ENOENT ${path}`);
    return journal;
  };
  syncBuiltinESMExports();
  return { self: "/", dev: 0xfe01 } as Dir;
}

afterEach(() => {
  Object.assign(target, { statfsSync, readlinkSync, readFileSync });
  syncBuiltinESMExports();
});

it.runIf(process.platform === "linux").each([
  ["ext4 with a journal", 0xef53, "354\n", "all"],
  ["ext4 without a journal", 0xef53, "<none>\n", "none"],
  ["ext2, or a system that does not tell", 0xef53, undefined, "none"],
  ["XFS", 0x58465342, undefined, "all"],
  ["Btrfs", 0x9123683e, undefined, "none"],
  ["NFS", 0x6969, undefined, "none"],
] as const)("%s", (_name, type, journal, order) => {
  expect(nameOrderOf(on(type, journal))).toBe(order);
});

it("takes the numbers of a device apart as the kernel puts them together", () => {
  expect(numbersOf(0xfe00n)).toBe("254:0");
  expect(numbersOf(0x700n)).toBe("7:0");
  expect(numbersOf(0x1_0000_1034_5678n)).toBe("66646:66424");
});
