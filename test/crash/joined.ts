// Two recordings as one: the second began, in another place, with what the first left.
import type { Inode, Named, Op, Recording } from "./recorded.ts";
import type { CrashState } from "./states.ts";

export function joined(first: Recording, left: CrashState, second: Recording): Recording {
  const inodes: Inode[] = [...first.inodes];
  const known = new Map<number, number>();
  meet(0, 0);

  /** What lies at the same path is the same. */
  function meet(mine: number, theirs: number): void {
    if (known.has(theirs)) return;
    known.set(theirs, mine);
    for (const [name, id] of second.start.get(theirs) ?? []) meet(left.names.get(mine)!.get(name)!, id);
  }

  function idOf(theirs: number): number {
    const id = known.get(theirs) ?? inodes.push(second.inodes[theirs]!) - 1;
    known.set(theirs, id);
    return id;
  }

  const named = ({ dir, name, id }: Named): Named => ({ dir: idOf(dir), name, id: id === null ? null : idOf(id) });

  /** A record of the register names a directory by its number on the disk, which was another one there. */
  function retold(bytes: Buffer): Buffer {
    const [, ino] = /"ino":"(\d+)"/.exec(bytes.toString("latin1")) ?? [];
    const theirs = ino === undefined ? -1 : second.inodes.findIndex((inode) => inode.ino === ino);
    if (theirs === -1) return bytes;
    return Buffer.from(bytes.toString().replace(`"ino":"${ino}"`, `"ino":"${inodes[idOf(theirs)]!.ino}"`));
  }

  function moved(op: Op): Op {
    if (op.kind === "names") return { ...op, set: op.set.map(named) };
    if (op.kind === "write") return { ...op, id: idOf(op.id), bytes: retold(op.bytes) };
    return op.kind === "done" ? op : { ...op, id: idOf(op.id) };
  }

  const ops = [...first.ops, ...second.ops.map(moved)];
  return { inodes, start: first.start, ops };
}
