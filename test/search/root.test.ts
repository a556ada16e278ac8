// A search never answers from another directory than reads do: not when the root has gone, nor when it goes meanwhile.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as aMoment } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/kernel/failure.ts";
import { tempDir } from "../support/temp.ts";
import { diskSession, type Place, placeOf } from "./places.ts";

const ENGINES = [["ripgrep"], ["javascript"]] as const;

function rootIn(base: string, content: string): string {
  const root = join(base, "root");
  mkdirSync(join(root, "dir"), { recursive: true });
  for (const name of ["a.txt", "dir/b.txt"]) writeFileSync(join(root, name), content);
  return root;
}

const SEARCHES: readonly (readonly [string, (place: Place) => Promise<unknown>])[] = [
  ["lines", (place) => place.grep({ pattern: "content" })],
  ["counts", (place) => place.grep({ pattern: "content", mode: "count", countFiles: true })],
  ["line ends", (place) => place.grep({ pattern: "content$" })],
  ["names", (place) => place.find({ pattern: "**" })],
  ["directories", (place) => place.find({ pattern: "**", kind: "any" })],
  ["newest", (place) => place.find({ order: "newest" })],
];

describe.each(ENGINES)("%s", (engine) => {
  it.each(SEARCHES)("refuses to look for %s when the root was moved, replaced or deleted", async (_, search) => {
    const base = tempDir();
    const root = rootIn(base, "old content\n");
    const place = placeOf(diskSession(root), engine);
    await search(place);
    renameSync(root, join(base, "away"));
    await expect(search(place)).rejects.toThrow(/root '.*' was moved.* Start stet again/);
    rootIn(base, "new content\n");
    await expect(search(place)).rejects.toThrow(/root '.*' was moved/);
    rmSync(join(base, "away"), { recursive: true });
    await expect(search(place)).rejects.toThrow(/root '.*' was moved/);
  });

  it("says so when the root goes while it searches", async () => {
    const base = tempDir();
    const root = rootIn(base, "old content\n");
    const place = placeOf(diskSession(root), engine);
    for (const replace of [true, false]) {
      const searching = place.grep({ pattern: "content" }).catch((error: unknown) => error);
      await aMoment();
      renameSync(root, join(base, "away"));
      if (replace) rootIn(base, "new content\n");
      const outcome = await searching;
      expect(outcome).toBeInstanceOf(Refusal);
      expect((outcome as Refusal).message).toMatch(/root '.*' was moved/);
      rmSync(root, { recursive: true, force: true });
      renameSync(join(base, "away"), root);
    }
    expect((await place.grep({ pattern: "content" })).total).toBe(2);
  });
});
