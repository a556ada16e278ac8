// A workspace in memory and on disk with the same files, so that a test can be run on both.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Backend, Workspace, type WorkspaceOptions } from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { tempDir } from "./temp.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

export const BACKENDS: readonly (readonly [name: string, make: (files: Files) => Backend])[] = [
  ["memory", (files) => memory({ files })],
  ["disk", (files) => disk({ root: directoryWith(files), durability: "fast" })],
];

export function directoryWith(files: Files): string {
  const root = tempDir();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

export function memoryWorkspace(files: Files, options?: WorkspaceOptions): Workspace {
  return new Workspace(memory({ files }), options);
}

/** On a directory; nothing waits for the device. */
export function workspaceIn(root: string, options?: WorkspaceOptions): Workspace {
  return new Workspace(disk({ root, durability: "fast" }), options);
}
