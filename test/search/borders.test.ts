// What a search says at its borders: exactly at the cap, one past it, and behind the end.
import { describe, expect, it } from "vitest";
import { PLACES } from "./places.ts";

const FILES = { "a.txt": "x\nx\n", "b.txt": "x\n", "c/d.txt": "x\nx\n", "e.md": "-\n" };

const LINES = [
  { limit: 5, offset: 0, shown: 5, truncated: false, total: 5 },
  { limit: 4, offset: 0, shown: 4, truncated: true, total: undefined },
  { limit: 4, offset: 1, shown: 4, truncated: false, total: 5 },
  { limit: 1, offset: 5, shown: 0, truncated: false, total: 5 },
  { limit: 0, offset: 4, shown: 0, truncated: true, total: undefined },
];
const OF_FILES = [
  { limit: 3, offset: 0, shown: 3, truncated: false, total: 3 },
  { limit: 2, offset: 0, shown: 2, truncated: true, total: undefined },
  { limit: 2, offset: 1, shown: 2, truncated: false, total: 3 },
];
const PATHS = [
  { limit: 4, shown: 4, truncated: false },
  { limit: 3, shown: 3, truncated: true },
  { limit: 0, shown: 0, truncated: true },
];

describe.each(PLACES)("borders, %s", (_, open) => {
  const place = open(FILES);

  it("5 lines", async () => {
    for (const [n, { limit, offset, shown, truncated, total }] of LINES.entries()) {
      const pattern = n % 2 === 0 ? "x" : "x(?!y)";
      const result = await place.grep({ pattern, limit, offset, countFiles: true });
      expect([n, result.hits.length, result.truncated, result.total]).toEqual([n, shown, truncated, total]);
      expect(result.files.reduce((sum, { count }) => sum + count, 0)).toBe(shown);
      expect(result.filesScanned).toBe(truncated ? undefined : 4);
    }
  });

  it("3 files", async () => {
    for (const mode of ["files", "count"] as const) {
      for (const { limit, offset, shown, truncated, total } of OF_FILES) {
        const result = await place.grep({ pattern: "x", mode, limit, offset });
        expect([result.hits, result.files.length]).toEqual([[], shown]);
        expect([result.truncated, result.total]).toEqual([truncated, total]);
      }
    }
  });

  it("4 paths", async () => {
    for (const order of ["path", "newest"] as const) {
      for (const { limit, shown, truncated } of PATHS) {
        const result = await place.find({ limit, order });
        expect([result.files.length, result.truncated, result.total]).toEqual([shown, truncated, 4]);
      }
    }
  });
});

it("searches at the same time are all answered, however many", async () => {
  for (const [, open] of PLACES.slice(1)) {
    const place = open(FILES);
    const all = await Promise.all(Array.from({ length: 12 }, () => place.grep({ pattern: "x" })));
    expect(all.map(({ total }) => total)).toEqual(Array(12).fill(5));
  }
});
