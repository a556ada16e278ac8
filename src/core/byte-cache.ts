// A cache bounded by the bytes it keeps in memory: the entry added longest ago goes first.

export type ByteCache<V> = ReturnType<typeof createByteCache<V>>;

/** The cost of an entry besides its bytes: a name, a few objects, a place in a map. */
const OVERHEAD = 512;

export function createByteCache<V>(maxBytes: number) {
  const entries = new Map<string, { readonly value: V; readonly cost: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.cost ?? 0;
    entries.delete(key);
  };
  return {
    get: (key: string): V | undefined => entries.get(key)?.value,
    drop,
    add(key: string, value: V, bytes: number): void {
      drop(key);
      entries.set(key, { value, cost: bytes + OVERHEAD });
      total += bytes + OVERHEAD;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
