import { collectGarbage, listTrash, type Progress, type Workspace } from "stet";
import { describe, expect, it } from "vitest";
import { all, path, refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const NAMES = ["a", "b", "c", "d"];

async function workspaceOf(maxFilesPerChange: number): Promise<Workspace> {
  const workspace = memoryWorkspace({}, { limits: { maxFilesPerChange } });
  for (const name of NAMES) {
    const { entry } = await workspace.session({ id: "s" }).create(name, `${name}\n`);
    while (new Date().toISOString() === entry!.at) await new Promise(setImmediate);
  }
  return workspace;
}

const MiB = 2 ** 20;

/** Entries that tell of sizes only: nothing of it was ever in memory. */
function pastOf(workspace: Workspace) {
  const author = workspace.session({ id: "s" }).author({ tool: "write_file" });
  return (sizes: Readonly<Record<string, { readonly fromSize: number; readonly toSize: number }>>) =>
    workspace.backend.record({
      ...author,
      outcome: "applied",
      changes: Object.entries(sizes).map(([name, size]) => ({ path: path(name), from: null, to: null, ...size })),
    });
}

describe("an undo of many files", () => {
  it("is refused beyond the limit before anything is read, with the time of the part that fits", async () => {
    const workspace = await workspaceOf(3);
    const [, second] = await all(workspace.log());
    const { failure } = await refuses("too_many_files", () => workspace.session().undo({ session: "s" }));
    expect(failure).toMatchObject({
      suggestedAction: "Take back the newest entries first, then the others.",
      details: { files: 4, limit: 3, since: second!.at, newest: 4 },
    });
    expect((await workspace.session().undo({ session: "s", since: second!.at })).undone).toEqual([4, 3, 2]);
    expect((await workspace.session().undo({ session: "s" })).undone).toEqual([1]);
  });

  it("goes through where the caller sets another limit", async () => {
    const workspace = await workspaceOf(3);
    await workspace.session().undo({ session: "s" }, { maxFiles: 4 });
    expect(await Promise.all(NAMES.map((name) => textAt(workspace.backend, name)))).toEqual(NAMES.map(() => null));
  });

  it("is bounded by the bytes that would be in memory at once, each file as it is and as it ever was", async () => {
    const workspace = memoryWorkspace({});
    const past = pastOf(workspace);
    await past({ a: { fromSize: 10 * MiB, toSize: 90 * MiB }, b: { fromSize: 80 * MiB, toSize: 40 * MiB } });
    await past({ a: { fromSize: 90 * MiB, toSize: 40 * MiB } });
    await workspace.session().undo({ session: "s" }, { dryRun: true });
    await past({ c: { fromSize: 0, toSize: 6 * MiB + 1 } });
    const { failure } = await refuses("too_many_files", () => workspace.session().undo({ session: "s" }));
    expect(failure).toMatchObject({
      message: "This would take back 257 MiB of content at once, in 3 files; the limit is 256 MiB.",
      details: { files: 3, bytes: 256 * MiB + 1, limitBytes: 256 * MiB, newest: 3 },
    });
    expect((await workspace.session().undo({ entry: 3 })).undone).toEqual([3]);
  });

  it("of one entry, or of one file, is not: there is no smaller part", async () => {
    const workspace = memoryWorkspace({});
    const past = pastOf(workspace);
    const large = { fromSize: 200 * MiB, toSize: 200 * MiB };
    for (let n = 0; n < 3; n++) await past({ a: large });
    await workspace.session().undo({ session: "s" }, { dryRun: true });
    await past({ a: large, b: large });
    const { failure } = await refuses("too_many_files", () => workspace.session().undo({ session: "s" }));
    expect(failure.details).toMatchObject({ newest: 4 });
    expect((await workspace.session().undo({ entry: 4 }, { dryRun: true })).undone).toEqual([4]);
  });

  it("brings back many deletions, none of which stays in the trash", async () => {
    const workspace = await workspaceOf(10);
    const session = workspace.session({ id: "t" });
    for (const name of NAMES) await session.delete(name, { proof: { by: "waived" } });
    expect(await all(listTrash(workspace))).toHaveLength(4);
    await session.undo({ session: "t" });
    expect(await all(listTrash(workspace))).toEqual([]);
  });

  it("tells how far it is with numbers that grow, and can be stopped before anything changes", async () => {
    const workspace = await workspaceOf(10);
    const told: Progress[] = [];
    await workspace.session().undo({ session: "s" }, { dryRun: true, progress: (update) => told.push(update) });
    expect(told[0]).toEqual({ done: 1, message: "looking up entry 1 of 4, 0 files" });
    const signal = AbortSignal.abort();
    await refuses("cancelled", () => workspace.session().undo({ session: "s" }, { signal }));
    expect(await textAt(workspace.backend, "a")).toBe("a\n");
  });

  it("of a version that is no longer kept says which entry it is, and what is left to do", async () => {
    const workspace = memoryWorkspace({});
    const session = workspace.session({ id: "s" });
    await session.create("a", "1\n");
    for (const text of ["2\n", "3\n"]) await session.write("a", text);
    await collectGarbage(workspace, { maxVersionsPerPath: 1 });
    const { failure } = await refuses("not_kept", () => session.undo({ session: "s" }));
    expect(failure).toMatchObject({
      suggestedAction: "It cannot be taken back any more; change the file itself instead.",
      details: { entry: 3 },
    });
  });
});
