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

interface File {
  /** Its path as it was first written. */
  readonly key: string;
  readonly bytes: number;
}

/** About what a file takes besides its bytes and its path. */
const FILE_BYTES = 512;

/** In the order in which they were made. */
const filesOf = new WeakMap<Backend, Map<Path, File>>();

export function createRoom(most: number): Room {
  return { most, used: 0, stores: 0 };
}

export function storeIn(room: Room): Backend {
  const backend = memory({ pruneDirectories: true, history: false });
  const files = new Map<Path, File>();
  room.stores++;
  const store: Backend = {
    ...backend,
    async commit(changes, author, note, ...rest) {
      const key = typeof note?.details?.key === "string" ? note.details.key : undefined;
      const made = changes.map(({ path, to }) => {
        const before = files.get(path);
        const bytes = to === null ? 0 : to.size + path.length + FILE_BYTES;
        return { path, bytes, more: bytes - (before?.bytes ?? 0), key: before?.key ?? key ?? path };
      });
      const more = made.reduce((sum, file) => sum + file.more, 0);
      if (more > 0 && room.used + more > room.most) throw storeFull(room.used + more, room.most);
      // Taken before and given back: others may commit meanwhile.
      room.used += more;
      try {
        const committed = await backend.commit(changes, author, note, ...rest);
        for (const { path, bytes, key } of made) bytes === 0 ? files.delete(path) : files.set(path, { key, bytes });
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

/** The paths of its files, as they were first written. */
export function keysIn(store: Backend): string[] {
  return [...(filesOf.get(store)?.values() ?? [])].map(({ key }) => key);
}
