// Who wrote a file last, where an entry of the journal claims to be a rollback to a place that it cannot be one to.
import { describe, expect, it } from "vitest";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { writeTracker } from "../../src/surfaces/anchors/index.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("a rollback that names no earlier entry, on %s", (_name, make) => {
  it.each([
    ["a later one", 1_000_000],
    ["itself", 2],
    ["none", undefined],
    ["no number", "x"],
  ])("%s: the search for the writer goes back and ends", async (_, checkpoint) => {
    const workspace = new Workspace(make({ "a.txt": "one\n" }));
    const session = workspace.session({});
    for (const [content, tool, details] of [
      ["two\n", "edit", {}],
      ["three\n", "rollback", { checkpoint }],
    ] as const) {
      const { sha } = await session.read("a.txt");
      await writeFile(session, "a.txt", content, { expectedSha256: sha, tool, details });
    }
    expect(await writeTracker(session).lastWriter("a.txt")).toBe("edit");
    await workspace.close();
  });
});
