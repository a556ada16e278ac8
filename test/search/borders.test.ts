// What a search says at its borders: exactly at the cap, one past it, and behind the end; and how it tells of its progress.
import { describe, expect, it } from "vitest";
import type { Progress } from "../../src/kernel/session.ts";
import { counted, telling } from "../../src/search/progress.ts";
import { PLACES } from "./places.ts";

const FILES = { "a.txt": "x\nx\n", "b.txt": "x\n", "c/d.txt": "x\nx\n", "e.md": "-\n" };

describe.each(PLACES)("borders, %s", (_, open) => {
  const place = open(FILES);

  it.each([
    { limit: 5, offset: 0, shown: 5, truncated: false, total: 5 },
    { limit: 6, offset: 0, shown: 5, truncated: false, total: 5 },
    { limit: 4, offset: 0, shown: 4, truncated: true, total: undefined },
    { limit: 4, offset: 1, shown: 4, truncated: false, total: 5 },
    { limit: 3, offset: 1, shown: 3, truncated: true, total: undefined },
    { limit: 1, offset: 4, shown: 1, truncated: false, total: 5 },
    { limit: 1, offset: 5, shown: 0, truncated: false, total: 5 },
    { limit: 4, offset: 9, shown: 0, truncated: false, total: 5 },
    { limit: 0, offset: 4, shown: 0, truncated: true, total: undefined },
    { limit: 0, offset: 5, shown: 0, truncated: false, total: 5 },
  ])("5 lines, $limit from $offset: $shown, more: $truncated", async ({ limit, offset, shown, truncated, total }) => {
    for (const pattern of ["x", "x(?!y)"]) {
      const result = await place.grep({ pattern, limit, offset, countFiles: true });
      expect([result.hits.length, result.truncated, result.total]).toEqual([shown, truncated, total]);
      expect(result.files.reduce((sum, { count }) => sum + count, 0)).toBe(shown);
      expect(result.filesScanned).toBe(truncated ? undefined : 4);
    }
  });

  it.each([
    { limit: 3, offset: 0, shown: 3, truncated: false, total: 3 },
    { limit: 2, offset: 0, shown: 2, truncated: true, total: undefined },
    { limit: 2, offset: 1, shown: 2, truncated: false, total: 3 },
    { limit: 2, offset: 3, shown: 0, truncated: false, total: 3 },
  ])("3 files, $limit from $offset: $shown, more: $truncated", async ({ limit, offset, shown, truncated, total }) => {
    for (const mode of ["files", "count"] as const) {
      for (const pattern of ["x", "x(?!y)"]) {
        const result = await place.grep({ pattern, mode, limit, offset });
        expect([result.hits, result.files.length]).toEqual([[], shown]);
        expect([result.truncated, result.total]).toEqual([truncated, total]);
      }
    }
  });

  it.each([
    { limit: 4, shown: 4, truncated: false },
    { limit: 5, shown: 4, truncated: false },
    { limit: 3, shown: 3, truncated: true },
    { limit: 0, shown: 0, truncated: true },
  ])("4 paths, at most $limit: $shown, more: $truncated", async ({ limit, shown, truncated }) => {
    for (const order of ["path", "newest"] as const) {
      const result = await place.find({ limit, order });
      expect([result.files.length, result.truncated, result.total]).toEqual([shown, truncated, 4]);
    }
  });

  it("a search that is over at once tells of no progress", async () => {
    const updates: Progress[] = [];
    await place.grep({ pattern: "x" }, { progress: (update) => updates.push(update) });
    await place.find({}, { progress: (update) => updates.push(update) });
    expect(updates).toEqual([]);
  });
});

describe("progress", () => {
  /** Resolves when it has been told so often. */
  function listener(times: number): {
    updates: Progress[];
    progress: (update: Progress) => void;
    enough: Promise<void>;
  } {
    const updates: Progress[] = [];
    let done = () => {};
    const enough = new Promise<void>((resolve) => {
      done = resolve;
    });
    const progress = (update: Progress) => {
      if (updates.push(update) >= times) done();
    };
    return { updates, progress, enough };
  }

  it("is told while the work lasts, and grows", async () => {
    const { updates, progress, enough } = listener(2);
    const tally = { files: undefined, matches: 17 };
    await telling(
      progress,
      tally,
      ({ matches }) => `${matches} so far`,
      () => enough,
    );
    const [first, second] = updates as [Progress, Progress];
    expect(second.done).toBeGreaterThan(first.done);
    expect(first.message).toBe("17 so far");
  });

  it("is told of files where they are counted, never twice of the same number", async () => {
    const { updates, progress, enough } = listener(1);
    const later = listener(1);
    const tally = { files: 1234, matches: 0 };
    const words = ({ files = 0 }: { files?: number | undefined }) => counted(files, "file", "files");
    await telling(progress, tally, words, async () => {
      await enough;
      await telling(later.progress, { files: undefined, matches: 0 }, words, () => later.enough);
    });
    expect(updates).toEqual([{ done: 1234, message: "1,234 files" }]);
  });

  it("does not fail with a listener that fails", async () => {
    const failing = listener(1);
    const progress = (update: Progress) => {
      failing.progress(update);
      throw new Error("gone");
    };
    expect(
      await telling(
        progress,
        { files: undefined, matches: 0 },
        () => "",
        () => failing.enough.then(() => "found"),
      ),
    ).toBe("found");
  });
});
