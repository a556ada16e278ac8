// A workspace that has no history yet is asked for one at every read: it is seen soon after somebody else begins one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

describe("a history that another process begins", () => {
  it("is there for whoever asks, and soon noticed by those who only read", async () => {
    const root = directoryWith({ "a.txt": "1\n" });
    const reader = openWorkspace({ root, durability: "fast" });
    const session = reader.session();
    for (let n = 0; n < 3; n++) await session.read("a.txt");

    const writer = openWorkspace({ root, durability: "fast" });
    const other = writer.session();
    await other.read("a.txt");
    await other.write("a.txt", "2\n");
    writeFileSync(join(root, "a.txt"), "3\n");
    const outcomes = async () => (await all(writer.log())).map(({ outcome }) => outcome);
    for (const until = Date.now() + 10_000; Date.now() < until && (await outcomes()).length < 2; ) {
      await session.read("a.txt");
    }
    expect(await outcomes()).toEqual(["applied", "external"]);
    expect(await all(reader.log())).toHaveLength(2);
    await Promise.all([reader.close(), writer.close()]);
  });

  it("is found at once by a change that comes too late", async () => {
    const root = directoryWith({ "a.txt": "1\n" });
    const [mine, theirs] = [openWorkspace({ root, durability: "fast" }), openWorkspace({ root, durability: "fast" })];
    const [session, other] = [mine.session(), theirs.session({ agent: "the-other" })];
    await session.read("a.txt");
    await other.read("a.txt");
    await other.write("a.txt", "2\n");
    await expect(session.write("a.txt", "3\n")).rejects.toThrow(/the-other/);
    await Promise.all([mine.close(), theirs.close()]);
  });
});
