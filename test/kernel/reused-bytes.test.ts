import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

describe("bytes that are used again", () => {
  it.each(["created", "written"] as const)("a file that was %s from them", async (how) => {
    const workspace = memoryWorkspace(how === "created" ? {} : { a: "old\n" });
    const session = workspace.session();
    const bytes = Buffer.from("one\nmid\ntwo\n");
    await session.read("a").catch(() => undefined);
    const making = how === "created" ? session.create("a", bytes) : session.write("a", bytes);
    bytes.fill("x");
    const { files } = await making;
    expect(await session.read("a")).toMatchObject({ body: "one\nmid\ntwo\n", sha: files[0]!.after });
    // What is remembered of it is the base of a merge.
    const base = files[0]!.after!;
    await session.edit("a", () => [{ start: 0, end: 3, text: "ONE" }]);
    await session.write("a", "one\nmid\nTWO\n", { expectedSha256: base, onStale: "rebase" });
    expect((await session.read("a")).body).toBe("ONE\nmid\nTWO\n");
    await workspace.close();
  });
});
