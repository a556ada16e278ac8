// Tells when a name in one of some directories changes, as far as the file system says so.
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Directories {
  /** `changed` is called soon after something happened to this file, until the returned function is called. */
  add(file: string, changed: () => void): () => void;
  close(): void;
}

interface Directory {
  /** undefined where the system does not watch, or not so many. */
  readonly watcher: FSWatcher | undefined;
  readonly files: Set<{ readonly name: string; readonly changed: () => void }>;
}

/** An editor writes in several steps; they are told as one. */
const SETTLE_MS = 20;

export function createDirectories(): Directories {
  const directories = new Map<string, Directory>();
  const dirty = new Set<() => void>();
  let settling: NodeJS.Timeout | undefined;

  const tell = (): void => {
    settling = undefined;
    const all = [...dirty];
    dirty.clear();
    for (const changed of all) changed();
  };
  const enter = (path: string): Directory => {
    const files: Directory["files"] = new Set();
    const watcher = watcherOf(path, (name) => {
      for (const file of files) if (name === null || name === file.name) dirty.add(file.changed);
      if (dirty.size > 0) settling ??= setTimeout(tell, SETTLE_MS).unref();
    });
    const directory = { watcher, files };
    directories.set(path, directory);
    return directory;
  };

  return {
    add(path, changed) {
      const directory = directories.get(dirname(path)) ?? enter(dirname(path));
      const file = { name: basename(path), changed };
      directory.files.add(file);
      return () => {
        dirty.delete(changed);
        directory.files.delete(file);
        if (directory.files.size > 0 || directories.get(dirname(path)) !== directory) return;
        directory.watcher?.close();
        directories.delete(dirname(path));
      };
    },
    close() {
      clearTimeout(settling);
      for (const { watcher } of directories.values()) watcher?.close();
      directories.clear();
    },
  };
}

function watcherOf(directory: string, changed: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => changed(name));
    return watcher.on("error", () => watcher.close());
  } catch {
    return undefined;
  }
}
