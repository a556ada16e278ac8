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

export function gather(pieces: readonly Uint8Array[]): Uint8Array[] {
  const gathered: Uint8Array[] = [];
  let bunch: Uint8Array[] = [];
  let size = 0;
  const flush = (): void => {
    if (size > 0) gathered.push(bunch.length === 1 ? bunch[0]! : Buffer.concat(bunch, size));
    bunch = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (piece.length > SMALL || size + piece.length > BUNCH) flush();
    if (piece.length > SMALL) gathered.push(piece);
    else bunch.push(piece);
    size += piece.length > SMALL ? 0 : piece.length;
  }
  flush();
  return gathered;
}
