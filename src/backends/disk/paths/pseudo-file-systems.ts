// File systems that show the kernel instead of files: reading there leaks secrets of processes, writing there changes the machine.
import { statfsSync } from "node:fs";
import { outside } from "../../path-refusals.ts";

/** `path` may be a path under a pinned descriptor. False where the platform cannot tell. */
export function isPseudo(path: string): boolean {
  if (process.platform !== "linux") return false;
  return PSEUDO.has(statfsSync(path).type >>> 0);
}

const PSEUDO: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xcafe4a11, // bpf
  0x62656570, // configfs
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x1cd1, // devpts
  0xf97cff8c, // selinuxfs
  0x43415d53, // smackfs
  0x5a3c69f0, // apparmorfs
  0x42494e4d, // binfmt_misc
  0x6e736673, // nsfs
  0x19800202, // mqueue
  0x65735543, // fusectl
  0x07655821, // resctrl
]);

/** For what is on another device than the root: other disks are fine, views of the kernel are not part of the workspace. */
export function refusePseudo(path: string, raw: string): void {
  if (isPseudo(path)) throw outside(raw, "is on a file system of the kernel, not in the workspace");
}
