import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all, path, refuses, textAt } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

describe("a stale proof", () => {
  async function twoSessions(options = {}) {
    const workspace = memoryWorkspace({ a: TEXT }, options);
    const [mine, theirs] = [workspace.session({ id: "mine" }), workspace.session({ id: "theirs", agent: "bob" })];
    const { sha } = await mine.read("a");
    await theirs.read("a");
    await theirs.write("a", TEXT.replace("two", "TWO"), { tool: "write_file" });
    return { mine, sha, workspace };
  }

  it("is refused with the repair: current sha256, what changed, who changed it", async () => {
    const { mine, sha } = await twoSessions();
    const refusal = await refuses("stale_file", () => mine.write("a", "x\n", { expectedSha256: sha }));
    const { currentSha256, diff, changedBy, expectedSha256 } = refusal.failure.details as Record<string, unknown>;
    expect(expectedSha256).toBe(sha);
    expect(currentSha256).toBe((await mine.read("a")).sha);
    expect(diff).toContain("-two\n+TWO\n");
    expect(changedBy).toMatchObject({ session: "theirs", agent: "bob", tool: "write_file" });
    expect(refusal.failure.suggestedAction).toMatch(/read/i);
    expect(refusal.failure.message).toContain("bob");
  });

  it("is refused for edits and deletes by session too", async () => {
    const { mine } = await twoSessions();
    await refuses("stale_file", () => mine.edit("a", () => [{ start: 0, end: 3, text: "x" }]));
    await refuses("stale_file", () => mine.delete("a"));
  });

  it("rebase replays an edit on the newer version and tells what the other side did", async () => {
    const { mine, sha, workspace } = await twoSessions({ onStale: "rebase" });
    const edit = ({ body }: { body: string }) => [
      { start: body.indexOf("six"), end: body.indexOf("six") + 3, text: "SIX" },
    ];
    const { files, warnings } = await mine.edit("a", edit, { expectedSha256: sha });
    expect(await textAt(workspace.backend, "a")).toBe(TEXT.replace("two", "TWO").replace("six", "SIX"));
    expect(files[0]?.rebased?.base).toBe(sha);
    expect(files[0]?.rebased?.theirDiff).toContain("+TWO");
    expect(warnings).toHaveLength(1);
  });

  it("rebase merges a whole-file write, or refuses a conflict", async () => {
    const { mine, sha, workspace } = await twoSessions();
    await mine.write("a", TEXT.replace("six", "SIX"), { expectedSha256: sha, onStale: "rebase" });
    expect(await textAt(workspace.backend, "a")).toBe(TEXT.replace("two", "TWO").replace("six", "SIX"));
    const refusal = await refuses("merge_conflict", () =>
      mine.write("a", TEXT.replace("two", "deux"), { expectedSha256: sha, onStale: "rebase" }),
    );
    expect(refusal.failure.details?.conflicts).toEqual([
      { startLine: 2, endLine: 2, inBase: "two\n", inFile: "TWO\n", wanted: "deux\n" },
    ]);
  });

  it("rebase begins with a version of this file: a sha256 that names none is refused as stale", async () => {
    const { sha, workspace } = await twoSessions({ onStale: "rebase" });
    const stranger = workspace.session();
    const edit = ({ body }: { body: string }) => [{ start: 0, end: body.indexOf("\n"), text: "x" }];
    for (const expectedSha256 of ["f".repeat(64), (await stranger.create("b", "another file\n")).files[0]!.after!]) {
      const refusal = await refuses("stale_file", () => stranger.edit("a", edit, { expectedSha256 }));
      expect(refusal.failure.details).not.toHaveProperty("diff");
    }
    expect(await textAt(workspace.backend, "a")).toBe(TEXT.replace("two", "TWO"));
    // One that another session was shown is known from the journal.
    expect((await stranger.edit("a", edit, { expectedSha256: sha })).files[0]?.rebased?.base).toBe(sha);
  });

  it("rebase never deletes a version that nobody saw", async () => {
    const { mine, sha } = await twoSessions({ onStale: "rebase" });
    await refuses("stale_file", () => mine.delete("a", { expectedSha256: sha }));
  });

  it("says who deleted a file that is gone", async () => {
    const workspace = memoryWorkspace({ a: TEXT });
    const [mine, theirs] = [workspace.session(), workspace.session({ id: "theirs" })];
    const { sha } = await mine.read("a");
    await theirs.read("a");
    await theirs.delete("a");
    const refusal = await refuses("stale_file", () => mine.write("a", "x", { expectedSha256: sha }));
    expect(refusal.failure.message).toMatch(/^a is gone since you read it\. It was deleted by session theirs /);
    expect(refusal.failure.details).toMatchObject({ cause: "not_found", deletedBy: { session: "theirs" } });
  });

  it("says where a file was moved to, unless the policy hides the place", async () => {
    for (const [to, where] of [
      ["b", "moved to b"],
      ["hidden", "deleted"],
    ] as const) {
      const backend = memory({ files: { a: TEXT } });
      const mine = new Workspace(backend, { policy: { deniedPaths: ["hidden"] } }).session();
      const theirs = new Workspace(backend).session({ id: "theirs" });
      const { sha } = await mine.read("a");
      await theirs.move("a", to, { expectedSha256: sha });
      const refusal = await refuses("stale_file", () => mine.write("a", "x", { expectedSha256: sha }));
      const words = `a is gone since you read it. It was ${where} by session theirs with `;
      expect(refusal.failure.message).toContain(words);
      expect(refusal.failure.suggestedAction).toContain(to === "b" ? "Read b" : "Create it again");
    }
  });
});

describe("changes made outside stet", () => {
  it("rebase begins with the version that the session was shown, which must be kept", async () => {
    const root = directoryWith({ a: TEXT });
    const first = new Workspace(disk({ root }));
    const { ledger } = first.session({ id: "mine" });
    const { sha } = await first.session({ id: "mine" }).read("a");
    await first.close();
    writeFileSync(join(root, "a"), TEXT.replace("two", "TWO"));
    const backend = disk({ root });
    const later = new Workspace({ ...backend, ledger: () => ledger } as Backend, { onStale: "rebase" }).session();
    const edit = ({ body }: { body: string }) => [
      { start: body.indexOf("six"), end: body.indexOf("six") + 3, text: "SIX" },
    ];
    await refuses("stale_file", () => later.edit("a", edit, { expectedSha256: sha }));
    expect(readFileSync(join(root, "a"), "utf8")).toBe(TEXT.replace("two", "TWO"));
    await later.workspace.close();
  });

  async function touched() {
    const root = directoryWith({ a: TEXT });
    const session = new Workspace(disk({ root })).session({ id: "mine" });
    await session.read("a");
    await session.write("a", "by stet\n", { tool: "write_file" });
    return { root, session, workspace: session.workspace, file: join(root, "a") };
  }
  const outcomes = async (workspace: Workspace) => (await all(workspace.log())).map(({ outcome }) => outcome);

  it("are noticed by the next read, with both versions", async () => {
    const { session, workspace, file } = await touched();
    writeFileSync(file, "by a shell\n");
    const { sha } = await session.read("a");
    const [, external] = await all(workspace.log());
    expect(external).toMatchObject({ outcome: "external", tool: "external", changes: [{ path: "a", to: sha }] });
    expect(await workspace.backend.recall(sha)).not.toBeNull();
    await session.read("a");
    expect(await outcomes(workspace)).toEqual(["applied", "external"]);
  });

  it("are noticed by the next change, which is refused and explains itself", async () => {
    const { session, workspace, file } = await touched();
    writeFileSync(file, "by a shell\n");
    const refusal = await refuses("stale_file", () => session.write("a", "x\n"));
    expect(refusal.failure.message).toContain("something outside stet");
    const { seq, at } = (await all(workspace.log({ path: "a", outcomes: ["external"] }))).at(-1)!;
    expect(refusal.failure.details?.changedBy).toEqual({ seq, at, external: true, noticedBy: "mine" });
    expect(refusal.failure.details?.diff).toContain("-by stet\n+by a shell\n");
    expect(readFileSync(file, "utf8")).toBe("by a shell\n");
    expect(await outcomes(workspace)).toEqual(["applied", "external", "refused"]);
  });

  it("a file deleted outside is noticed, and what stet wrote there can still be recalled", async () => {
    const { session, workspace, file } = await touched();
    const written = (await workspace.backend.head(path("a")))!.sha!;
    rmSync(file);
    await refuses("stale_file", () => session.write("a", "x\n", { expectedSha256: written }));
    expect(await outcomes(workspace)).toEqual(["applied", "external", "refused"]);
    expect(await workspace.backend.recall(written)).not.toBeNull();
  });

  it("a file that the journal never spoke of is nobody's change", async () => {
    const { session, workspace, root } = await touched();
    writeFileSync(join(root, "new"), "x\n");
    await session.read("new");
    expect(await outcomes(workspace)).toEqual(["applied"]);
  });
});

it("several stale files show as many whole diffs as fit, and the sha256 of a file only with its diff", async () => {
  const lines = (word: string) => `${word} `.repeat(9).concat("\n").repeat(40);
  const workspace = memoryWorkspace({ a: lines("one"), b: lines("one") }, { limits: { staleDiffBytes: 650 } });
  const [mine, theirs] = [workspace.session(), workspace.session()];
  for (const session of [mine, theirs]) for (const path of ["a", "b"]) await session.read(path);
  for (const path of ["a", "b"])
    await theirs.edit(path, () => [{ start: 0, end: path === "a" ? 3 : 300, text: "two" }]);
  const targets = ["a", "b"].map((path) => ({ path, proof: { by: "session" }, action: "delete" }) as const);
  const { details } = (await refuses("stale_file", () => mine.change(targets, () => [null, null]))).failure;
  expect(details?.diff).toContain("+++ b/a");
  expect(details?.diff).not.toContain("+++ b/b");
  expect(details?.stale).toMatchObject([{ path: "a", currentSha256: expect.any(String) }, { path: "b" }]);
  expect((details!.stale as object[])[1]).not.toHaveProperty("currentSha256");
});
