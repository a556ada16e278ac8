// Puts a state that a crash left into a directory of its own, where the next process finds it.
import { hash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { historiesIn, restarted } from "../support/history-place.ts";
import type { Recording } from "./recorded.ts";
import type { CrashState } from "./states.ts";

/** Below the directory that is recorded: the workspace, and the histories of its user. */
export const PLACES = { root: "ws", state: "home/state" } as const;

/** `isRebooted`: the machine was started anew since. */
export function layOut({ inodes }: Recording, { names, bytes }: CrashState, base: string, isRebooted: boolean): void {
  const placed = new Map<number, string>();
  const modes: [string, number][] = [];
  fs.mkdirSync(base);
  fill(0, base);
  for (const [path, mode] of modes.toReversed()) fs.chmodSync(path, mode);
  const home = join(base, PLACES.state);
  if (!fs.existsSync(home)) return;
  if (isRebooted) restarted(home);
  for (const history of historiesIn(home)) fs.renameSync(history, join(home, identityOf(join(base, PLACES.root))));

  function fill(dir: number, path: string): void {
    for (const [name, id] of names.get(dir) ?? []) {
      const { kind, mode, target } = inodes[id]!;
      const at = join(path, name);
      const other = placed.get(id);
      if (other !== undefined) {
        fs.linkSync(other, at);
        continue;
      }
      placed.set(id, at);
      if (kind === "link") fs.symlinkSync(target!, at);
      else if (kind === "directory") {
        fs.mkdirSync(at);
        fill(id, at);
      } else fs.writeFileSync(at, bytes.get(id) ?? inodes[id]!.bytes ?? "");
      if (kind !== "link") modes.push([at, mode]);
    }
  }
}

/** A history is named by the identity of its root, which is another directory here. */
export const HISTORY = /^[0-9a-f]+-p?[0-9a-f]+$/;

function identityOf(root: string): string {
  const { ino, birthtimeNs } = fs.statSync(root, { bigint: true });
  const witness = birthtimeNs > 0n ? birthtimeNs.toString(16) : `p${hash("sha256", root).slice(0, 16)}`;
  return `${ino.toString(16)}-${witness}`;
}
