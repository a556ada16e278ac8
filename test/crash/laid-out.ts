// Puts a state that a crash left into a directory of its own, where the next process finds it.
import fs from "node:fs";
import { join } from "node:path";
import type { Recording } from "./recorded.ts";
import type { CrashState } from "./states.ts";

export function layOut({ inodes }: Recording, { names, bytes }: CrashState, base: string): void {
  const placed = new Map<number, string>();
  const modes: [string, number][] = [];
  fs.mkdirSync(base);
  fill(0, base);
  for (const [path, mode] of modes.toReversed()) fs.chmodSync(path, mode);
  const numbers = new Map([...placed].map(([id, path]) => [inodes[id]!.ino, path]));
  tellRegister(join(base, "register"), numbers);

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

/** A record names the directory of a state by its number on the disk, which is another one here. */
function tellRegister(register: string, numbers: ReadonlyMap<string, string>): void {
  for (const name of fs.existsSync(register) ? fs.readdirSync(register) : []) {
    const path = join(register, name);
    const record = parsed(fs.readFileSync(path, "utf8"));
    const state = record === null ? undefined : numbers.get(String(record.ino));
    if (record === null || state === undefined) continue;
    const { dev, ino, birthtimeNs } = fs.statSync(state, { bigint: true });
    const born = record.born === "0" ? "0" : `${birthtimeNs}`;
    fs.writeFileSync(path, `${JSON.stringify({ ...record, dev: `${dev}`, ino: `${ino}`, born, path: state })}\n`);
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
