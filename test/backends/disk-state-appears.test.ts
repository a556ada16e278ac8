// A workspace that has no history yet is asked for one at every read: it is seen as soon as somebody else begins one.
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { all } from "../../src/testing/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

describe("a history that another process begins", () => {
  it.each([
    ["a moment ago", 0],
    ["long ago", 3_600_000],
  ])("is noticed by a reader of a directory that was changed %s", async (_when, agoMs) => {
    const root = directoryWith({ "a.txt": "1\n", "b.txt": "1\n" });
    const changed = new Date(Date.now() - agoMs);
    utimesSync(root, changed, changed);
    const reader = openWorkspace({ root, durability: "fast" });
    const session = reader.session();
    for (let n = 0; n < 3; n++) await session.read("a.txt");
    expect(await all(reader.log())).toEqual([]);

    const writer = openWorkspace({ root, durability: "fast" });
    const other = writer.session();
    await other.read("a.txt");
    await writeFile(other, "a.txt", "2\n");
    expect(await all(reader.log())).toHaveLength(1);
    writeFileSync(join(root, "a.txt"), "3\n");
    await session.read("a.txt");
    expect((await all(reader.log())).map(({ outcome }) => outcome)).toEqual(["applied", "external"]);
    await Promise.all([reader.close(), writer.close()]);
  });
});
