// Two recordings as one: the second began, in another place, with what the first left.
import { HISTORY } from "./laid-out.ts";
import type { Inode, Named, Op, Recording } from "./recorded.ts";
import type { CrashState } from "./states.ts";

export function joined(first: Recording, left: CrashState, second: Recording): Recording {
  const inodes: Inode[] = [...first.inodes];
  const known = new Map<number, number>();
  meet(0, 0);

  /** What lies at the same path is the same. The history bears another name there: that of its root. */
  function meet(mine: number, theirs: number): void {
    if (known.has(theirs)) return;
    known.set(theirs, mine);
    const names = left.names.get(mine) ?? new Map<string, number>();
    for (const [name, id] of second.start.get(theirs) ?? []) {
      const own = HISTORY.test(name) ? [...names.keys()].find((each) => HISTORY.test(each)) : name;
      meet(names.get(own!)!, id);
    }
  }

  function idOf(theirs: number): number {
    const id = known.get(theirs) ?? inodes.push(second.inodes[theirs]!) - 1;
    known.set(theirs, id);
    return id;
  }

  const named = ({ dir, name, id }: Named): Named => ({ dir: idOf(dir), name, id: id === null ? null : idOf(id) });

  function moved(op: Op): Op {
    if (op.kind === "names") return { ...op, set: op.set.map(named) };
    return op.kind === "done" ? op : { ...op, id: idOf(op.id) };
  }

  const ops = [...first.ops, ...second.ops.map(moved)];
  return { inodes, start: first.start, ops };
}
