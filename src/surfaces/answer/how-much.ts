// How much one answer of a search shows, and how many there are of what is cut.

/** Hits of a search, unless the caller asks for more. */
export const USUAL_HITS = 250;
const USUAL_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

/** Bytes of a search with this limit: only a caller that asks for more than the usual gets more. */
export function searchBytes(limit: number, usual: number = USUAL_HITS): number {
  return limit > usual ? MAX_BYTES : USUAL_BYTES;
}

interface Amount {
  readonly total?: number | undefined;
  /** Where the search ended before everything was read. */
  readonly atLeast?: number | undefined;
}

/** "12", or "at least 12"; undefined where nothing is known. */
export function howMany({ total, atLeast }: Amount): string | undefined {
  if (total !== undefined) return `${total}`;
  return atLeast === undefined ? undefined : `at least ${atLeast}`;
}

/** " of 12", to stand behind how many are shown. */
export function ofHowMany(amount: Amount): string {
  const many = howMany(amount);
  return many === undefined ? "" : ` of ${many}`;
}
