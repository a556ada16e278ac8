// Directories that were made and are not on the disk yet: only files are kept, so they appear there with the first file in them.
export interface MadeDirectories {
  add(path: string): void;
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
    add: (path) => void made.add(path),
    has: (path) => made.has(path),
    hasBelow: (path) => below(path).length > 0,
    delete(path) {
      for (const each of [path, ...below(path)]) made.delete(each);
    },
  };
}
