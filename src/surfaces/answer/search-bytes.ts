// How much one answer of a search shows.

/** Hits of a search, unless the caller asks for more. */
export const USUAL_HITS = 250;
const USUAL_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

/** Bytes of a search with this limit: only a caller that asks for more than the usual gets more. */
export function searchBytes(limit: number, usual: number = USUAL_HITS): number {
  return limit > usual ? MAX_BYTES : USUAL_BYTES;
}
