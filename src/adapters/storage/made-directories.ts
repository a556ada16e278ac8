// Directories that were made and are not on the disk yet: only files are kept, so they appear there with the first file in them.
import { parentOf } from "../../core/paths.ts";

export interface MadeDirectories {
  /** With the directories above it, where these are not on the disk either. */
  add(path: string, isAbsent: (above: string) => Promise<boolean>): Promise<void>;
  has(path: string): boolean;
  /** Others were made below it. */
  hasBelow(path: string): boolean;
  /** Forgets it and all below. */
  delete(path: string): void;
}

export function madeDirectories(): MadeDirectories {
  const made = new Set<string>();
  const below = (path: string): string[] => [...made].filter((each) => each.startsWith(`${path}/`));
  return {
    async add(path, isAbsent) {
      made.add(path);
      for (let above = parentOf(path); above !== "" && (await isAbsent(above)); above = parentOf(above))
        made.add(above);
    },
    has: (path) => made.has(path),
    hasBelow: (path) => below(path).length > 0,
    delete(path) {
      for (const each of [path, ...below(path)]) made.delete(each);
    },
  };
}
