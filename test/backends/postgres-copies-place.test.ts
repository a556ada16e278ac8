// Copies of tenants' files lie only where no other user of the machine can write, or put something else in their place.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Path, Workspace } from "stet";
import { postgres } from "stet/backends/postgres";
import { grep } from "stet/search";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { put, testDatabase } from "../support/database.ts";
import { tempDir } from "../support/temp.ts";

const OTHER = 65_534;
const isRoot = process.getuid?.() === 0;

describe.skipIf(missingPostgres() !== undefined || process.getuid === undefined)("the base of copies", async () => {
  if (missingPostgres() !== undefined) return;
  const { pool, open } = await testDatabase();
  const top = tempDir();
  let count = 0;

  /** A directory of a name of its own, of this mode and owner. */
  function directory(within: string, { mode = 0o700, owner }: { mode?: number; owner?: number } = {}): string {
    const made = join(within, `d${count++}`);
    mkdirSync(made);
    chmodSync(made, mode);
    if (owner !== undefined) chownSync(made, owner, owner);
    return made;
  }

  async function searched(mirror: string) {
    const backend = await open(`w${count++}`, { mirror });
    await put(backend, "a.txt", null, "needle\n");
    const search = () => grep(new Workspace(backend).session(), { pattern: "needle", root: "" as Path, limit: 10 });
    return { backend, search, found: await search() };
  }

  const opening = (mirror: string) => postgres({ database: pool, workspace: "refused", mirror });

  it.each([
    ["that others may write", () => directory(top, { mode: 0o777 }), /can be written by other users/],
    ["that its group may write", () => directory(top, { mode: 0o770 }), /can be written by other users/],
    ["in one that others may write", () => directory(directory(top, { mode: 0o777 })), /can be written by other/],
    ["that is to be made in one that others may write", () => join(directory(top, { mode: 0o777 }), "new"), /written/],
    [
      "behind a link to one that others may write",
      () => {
        const link = join(top, "link");
        symlinkSync(directory(top, { mode: 0o777 }), link);
        return link;
      },
      /can be written by other users/,
    ],
  ])("is refused: one %s", async (_, base, why) => {
    const mirror = base();
    await expect(opening(mirror)).rejects.toMatchObject({
      kind: "permission_denied",
      message: expect.stringMatching(why),
    });
  });

  it.skipIf(!isRoot).each([
    ["itself", () => directory(top, { owner: OTHER })],
    ["of which a parent", () => join(directory(directory(top, { owner: OTHER })), "copies")],
    [
      "in a sticky directory, of which the parent",
      () => directory(directory(directory(top, { mode: 0o1777 }), { owner: OTHER })),
    ],
  ])("is refused: one %s belongs to another user", async (_, base) => {
    const mirror = base();
    await expect(opening(mirror)).rejects.toMatchObject({
      message: expect.stringContaining("belongs to another user"),
    });
  });

  it.each([
    ["to be made", () => join(directory(top), "new", "copies")],
    ["that is sticky, as /tmp is", () => directory(top, { mode: 0o1777 })],
    ["in a sticky directory", () => directory(directory(top, { mode: 0o1777 }))],
    [
      "behind a link to one of our own",
      () => {
        const link = join(top, "own");
        symlinkSync(directory(top), link);
        return link;
      },
    ],
  ])("is used: one %s", async (_, base) => {
    const mirror = base();
    const { found } = await searched(mirror);
    expect([found.engine, found.hits.length]).toEqual(["ripgrep", 1]);
    expect(readdirSync(mirror)).toHaveLength(1);
  });

  it("is looked at again when copies are made: it may have been opened to others meanwhile", async () => {
    const mirror = directory(top);
    const backend = await open("opened", { mirror });
    await put(backend, "a.txt", null, "needle\n");
    chmodSync(mirror, 0o777);
    const search = grep(new Workspace(backend).session(), { pattern: "needle", root: "" as Path, limit: 10 });
    await expect(search).rejects.toMatchObject({ kind: "permission_denied" });
    expect(readdirSync(mirror)).toEqual([]);
  });

  it("never has a file written through a link that was put in its place", async () => {
    const mirror = directory(top);
    const { backend, search } = await searched(mirror);
    const victim = join(top, "victim");
    writeFileSync(victim, "precious");
    const own = join(mirror, readdirSync(mirror)[0]!);
    for (const place of readdirSync(own, { withFileTypes: true }))
      if (place.isDirectory()) symlinkSync(victim, join(own, place.name, "being-written"));
    await put(backend, "b.txt", null, "needle\n");
    expect((await search()).hits).toHaveLength(2);
    expect(readFileSync(victim, "utf8")).toBe("precious");
  });
});
