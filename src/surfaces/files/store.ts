// The stores in memory of one workspace: what they hold together stays below a limit, old versions and journals included.

import { createJournal } from "../../backends/journal/in-memory.ts";
import { memory } from "../../backends/memory/index.ts";
import type { Backend, Change, Path, Sha } from "../../core/backend.ts";
import { storeFull } from "./words.ts";

export interface Room {
  /** In bytes. */
  most: number;
  used: number;
  readonly stores: Set<Store>;
}

interface Store {
  readonly backend: Backend;
  /** Oldest first. */
  readonly versions: Map<Sha, number>;
  readonly files: Map<Path, Sha>;
}

/** About what one has; how much it is shows when it is written. */
const ENTRY_BYTES = 1024;

export function createRoom(most: number): Room {
  return { most, used: 0, stores: new Set() };
}

/** A file and its kept version are the same bytes. */
export function storeIn(room: Room): Backend {
  const backend = memory({ pruneDirectories: true });
  const store: Store = { backend, versions: new Map(), files: new Map() };
  room.stores.add(store);
  return {
    ...backend,
    async commit(changes, ...rest) {
      const added = new Map(
        changes.flatMap(({ to }) => (to === null || store.versions.has(to.sha) ? [] : [[to.sha, to.size]])),
      );
      const more = [...added.values()].reduce((sum, size) => sum + size, 0);
      // Taken before and given back: others may commit meanwhile.
      const need = more + ENTRY_BYTES;
      room.used += need;
      try {
        if (more > 0) await makeRoom(room);
        const committed = await backend.commit(changes, ...rest);
        for (const change of changes) note(store, change);
        room.used += sizeOf(committed.entry) - ENTRY_BYTES;
        return committed;
      } catch (error) {
        room.used -= need;
        throw error;
      }
    },
    // No tool shows the journal of a store: a refusal in it would only take up room.
    record: async (draft) => createJournal().append(draft),
  };
}

function note({ versions, files }: Store, { path, to }: Change): void {
  files.delete(path);
  if (to === null) return;
  files.set(path, to.sha);
  versions.set(to.sha, to.size);
}

/** Old versions go, the oldest first, if that is enough; files never. */
async function makeRoom(room: Room): Promise<void> {
  if (room.used <= room.most) return;
  const old = [...room.stores].flatMap((store) => {
    const current = new Set(store.files.values());
    return [...store.versions].filter(([sha]) => !current.has(sha)).map(([sha, size]) => ({ store, sha, size }));
  });
  const least = old.reduce((sum, { size }) => sum - size, room.used);
  if (least > room.most) throw storeFull(least, room.most);
  // Before anything is awaited: another call may make room too.
  const gone = old.map(({ store, sha, size }) => {
    if (room.used <= room.most) return undefined;
    store.versions.delete(sha);
    room.used -= size;
    return store.backend.forget([sha]);
  });
  await Promise.all(gone);
}

function sizeOf(entry: object): number {
  return JSON.stringify(entry).length;
}
