// A search never answers from another directory than reads do: not when the root has gone, nor when it goes meanwhile.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as aMoment } from "node:timers/promises";
import { type Backend, type Listed, type Path, Refusal, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
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
  ["names", (place) => place.find({ pattern: "**" })],
  ["directories", (place) => place.find({ pattern: "**", kind: "any" })],
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
      // Only a search in this process can be done by then.
      if (outcome instanceof Refusal) expect(outcome.message).toMatch(/root '.*' was moved/);
      else expect([engine, outcome]).toMatchObject(["javascript", { hits: Array(2).fill({ text: "old content" }) }]);
      rmSync(root, { recursive: true, force: true });
      renameSync(join(base, "away"), root);
    }
    expect((await place.grep({ pattern: "content" })).total).toBe(2);
  });
});

describe("a root whose name leads elsewhere except when the backend is asked", () => {
  it.skipIf(process.platform !== "linux")("is searched itself where it can be pinned", async () => {
    const base = tempDir();
    const root = rootIn(base, "old content\n");
    writeFileSync(join(root, ".gitignore"), "ignored.txt\n");
    writeFileSync(join(root, "ignored.txt"), "old content\n");
    rootIn(join(base, "outside"), "new content\n");
    for (const name of ["only-outside.txt", "dir/only-outside.txt"])
      writeFileSync(join(base, "outside/root", name), "new content\n");
    const backend = disk({ root, durability: "fast" });
    expect(backend.pinned).toBeDefined();
    const place = placeOf(new Workspace(swapping(base, backend)).session(), "ripgrep");
    for (const at of ["", "dir"] as Path[]) {
      const inside = at === "" ? ["a.txt", "dir/b.txt"] : ["dir/b.txt"];
      for (let n = 0; n < 2; n++) {
        const lines = await place.grep({ pattern: "content", root: at });
        expect(lines.hits.filter(({ text }) => text !== "old content")).toEqual([]);
        const counts = await place.grep({ pattern: "new", mode: "count", root: at });
        const names = await place.find({ pattern: "**/*.txt", root: at });
        const entries = await place.find({ kind: "any", order: "newest", root: at });
        const paths = [counts, names, entries].map(({ files }) => files.map(({ path }) => path));
        expect(paths.flat().filter((path) => path.includes("outside"))).toEqual([]);
        expect(lines.hits.map(({ path }) => path)).toEqual(inside);
        expect(paths.map((found) => found.length)).toEqual([0, inside.length, at === "" ? 3 : 1]);
      }
    }
  });

  /** The real root is in its place for as long as a verb of the backend runs, and a link at all other times. */
  function swapping(base: string, backend: Backend): Backend {
    const [root, away] = [join(base, "root"), join(base, "away")];
    let inPlace = 0;
    const swap = (): void => {
      renameSync(root, away);
      symlinkSync("outside/root", root);
    };
    const back = (): void => {
      rmSync(root);
      renameSync(away, root);
    };
    swap();
    async function meanwhile<T>(work: () => T | Promise<T>): Promise<T> {
      if (inPlace++ === 0) back();
      try {
        return await work();
      } finally {
        if (--inPlace === 0) swap();
      }
    }
    return {
      ...backend,
      resolve: (...args) => meanwhile(() => backend.resolve(...args)),
      stream: (...args) => meanwhile(() => backend.stream(...args)),
      async *list(dir) {
        yield* await meanwhile(async () => {
          const entries: Listed[] = [];
          for await (const entry of backend.list(dir)) entries.push(entry);
          return entries;
        });
      },
    };
  }
});
