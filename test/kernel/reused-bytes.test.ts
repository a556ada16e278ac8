// Bytes that a caller hands over and uses again: the file, the version and what is remembered of it are what was handed over.
import { describe, expect, it } from "vitest";
import { createFile, editFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("bytes that are used again, on %s", (_name, make) => {
  it.each(["created", "written"] as const)("a file that was %s from them", async (how) => {
    const workspace = new Workspace(make(how === "created" ? {} : { a: "old\n" }));
    const session = workspace.session();
    const bytes = Buffer.from("one\nmid\ntwo\n");
    await session.read("a").catch(() => undefined);
    const making = how === "created" ? createFile(session, "a", bytes) : writeFile(session, "a", bytes);
    bytes.fill("x");
    const { files } = await making;
    expect(await session.read("a")).toMatchObject({ body: "one\nmid\ntwo\n", sha: files[0]!.after });
    // What is remembered of it is the base of a merge.
    const base = files[0]!.after!;
    await editFile(session, "a", () => [{ start: 0, end: 3, text: "ONE" }]);
    await writeFile(session, "a", "one\nmid\nTWO\n", { expectedSha256: base, onStale: "rebase" });
    expect((await session.read("a")).body).toBe("ONE\nmid\nTWO\n");
    await workspace.close();
  });
});
