// Names of file systems, as Linux numbers them; elsewhere the number is shown.

const NAMES: Readonly<Record<number, string>> = {
  61267: "ext4",
  1481003842: "xfs",
  2435016766: "btrfs",
  801189825: "zfs",
  4076150800: "f2fs",
  16914836: "tmpfs",
  2035054128: "overlay",
  19780: "vfat",
  538032816: "exfat",
  1936094318: "ntfs",
  26985: "nfs",
  4283649346: "cifs",
  4266872130: "smb2",
  16914839: "9p",
  1702057286: "fuse",
  1785031267: "virtiofs",
  12805120: "ceph",
};

const REMOTE: ReadonlySet<string> = new Set(["nfs", "cifs", "smb2", "9p", "fuse", "virtiofs", "ceph"]);

export function fileSystemName(type: number): string {
  return NAMES[type >>> 0] ?? `type 0x${(type >>> 0).toString(16)}`;
}

export function isRemote(type: number): boolean {
  return process.platform === "linux" && REMOTE.has(fileSystemName(type));
}
