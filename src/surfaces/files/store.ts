// The stores in memory of one workspace, without old versions: what their files hold together stays below a limit.
import { memory } from "../../backends/memory/index.ts";
import type { Backend, Path } from "../../core/backend.ts";
import { storeFull } from "./words.ts";

export interface Room {
  /** In bytes. */
  most: number;
  used: number;
  stores: number;
}

/** About what a file takes besides its bytes and its path. */
const FILE_BYTES = 512;

/** With what each takes, in the order in which they were made. */
const filesOf = new WeakMap<Backend, Map<Path, number>>();

export function createRoom(most: number): Room {
  return { most, used: 0, stores: 0 };
}

export function storeIn(room: Room): Backend {
  const backend = memory({ pruneDirectories: true, history: false });
  const files = new Map<Path, number>();
  room.stores++;
  const store: Backend = {
    ...backend,
    async commit(changes, ...rest) {
      const made = changes.map(({ path, to }) => ({
        path,
        bytes: to === null ? 0 : to.size + path.length + FILE_BYTES,
      }));
      const more = made.reduce((sum, { path, bytes }) => sum + bytes - (files.get(path) ?? 0), 0);
      if (more > 0 && room.used + more > room.most) throw storeFull(room.used + more, room.most);
      // Taken before and given back: others may commit meanwhile.
      room.used += more;
      try {
        const committed = await backend.commit(changes, ...rest);
        for (const { path, bytes } of made) bytes === 0 ? files.delete(path) : files.set(path, bytes);
        return committed;
      } catch (error) {
        room.used -= more;
        throw error;
      }
    },
  };
  filesOf.set(store, files);
  return store;
}

export function keysIn(store: Backend): Path[] {
  return [...(filesOf.get(store)?.keys() ?? [])];
}
