// Bytes in parts: a file may come, and go, in several pieces so that an edit of a large one need not copy it.

export function joined(parts: readonly Uint8Array[]): Buffer {
  const [first] = parts;
  if (first === undefined) return Buffer.alloc(0);
  return parts.length > 1 ? Buffer.concat(parts) : Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

export function viewsOf(parts: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
  const views: Uint8Array[] = [];
  let start = 0;
  for (const part of parts) {
    if (start >= to) break;
    const view = part.subarray(Math.max(0, from - start), Math.max(0, to - start));
    if (view.length > 0) views.push(view);
    start += part.length;
  }
  return views;
}

// Each part costs a call to hash and to write: small ones travel together, large ones stay views.
const SMALL = 4096;
const BUNCH = 64 * 1024;

/** New parts out of old ones, from their start to their end: some bytes are kept, some skipped, others added between them. */
export interface Pieces {
  keep(to: number): void;
  skip(to: number): void;
  add(bytes: Uint8Array): void;
  all(): Uint8Array[];
}

export function piecesOf(parts: readonly Uint8Array[]): Pieces {
  const made: Uint8Array[] = [];
  let bunch = new Uint8Array(0);
  let used = 0;
  let at = 0;
  /** Of the part that holds `at`, and where that part begins. */
  let index = 0;
  let start = 0;

  const flush = (): void => {
    if (used > 0) made.push(bunch.subarray(0, used));
    bunch = new Uint8Array(0);
    used = 0;
  };
  const take = (from: Uint8Array, begin: number, end: number): void => {
    const size = end - begin;
    if (size > SMALL) {
      flush();
      made.push(from.subarray(begin, end));
      return;
    }
    if (used + size > BUNCH) flush();
    if (used + size > bunch.length) bunch = withRoom(bunch, used, used + size);
    if (size > FEW) bunch.set(from.subarray(begin, end), used);
    else for (let n = 0; n < size; n++) bunch[used + n] = from[begin + n]!;
    used += size;
  };
  const pass = (to: number, each: (part: Uint8Array, begin: number, end: number) => void): void => {
    while (at < to && index < parts.length) {
      const part = parts[index]!;
      const end = Math.min(to, start + part.length);
      each(part, at - start, end - start);
      at = end;
      if (end < start + part.length) return;
      start += part.length;
      index++;
    }
  };
  return {
    keep: (to) => pass(to, take),
    skip: (to) => pass(to, () => {}),
    add: (bytes) => take(bytes, 0, bytes.length),
    all() {
      flush();
      return made;
    },
  };
}

/** So few bytes are copied faster one by one. */
const FEW = 32;

function withRoom(bunch: Uint8Array, used: number, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(BUNCH, Math.max(256, 2 * bunch.length, size)));
  larger.set(bunch.subarray(0, used));
  return larger;
}
