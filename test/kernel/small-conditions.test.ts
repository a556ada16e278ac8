// Single conditions, each of which one test here notices when it is changed.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, netChanges, openCheckpoint, Refusal, restore, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { resolvePath, untilClosed } from "stet/backends/parts";
import { findFiles } from "stet/search";
import { describe, expect, it } from "vitest";
import { all, path, refuses, textAt } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

describe("what a session has seen", () => {
  it("is nothing after lines that the file does not have, and all of an empty file", async () => {
    const session = memoryWorkspace({ a: "1\n2\n", empty: "" }).session();
    await session.read("a", { from: 9, to: 9 });
    await refuses("unread_file", () => session.write("a", "3\n"));
    await session.read("empty");
    await session.write("empty", "now\n");
  });

  it("is not what it restored", async () => {
    const workspace = memoryWorkspace({ a: "1\n" });
    const [one, other] = [workspace.session(), workspace.session()];
    await one.read("a");
    await one.delete("a");
    await restore(other, "a");
    await refuses("unread_file", () => other.write("a", "2\n"));
  });

  it("is not carried over to a version that others wrote, when an edit of it was let through", async () => {
    const workspace = memoryWorkspace({ a: "1\n2\n3\n" });
    const [one, other] = [workspace.session(), workspace.session()];
    await one.read("a");
    await other.read("a");
    await other.write("a", "1\ntheirs\n3\n");
    const proof = { by: "session", changed: "warn" } as const;
    await one.edit("a", () => [{ start: 0, end: 1, text: "one" }], { proof });
    await refuses("stale_file", () => one.write("a", "all mine\n"));
    expect(await textAt(workspace.backend, "a")).toBe("one\ntheirs\n3\n");
  });

  it("is needed in strict mode also where each line is a proof, once the whole file is overwritten", async () => {
    const session = memoryWorkspace({ a: "1\n" }, { strict: true }).session();
    const target = { path: "a", proof: { by: "anchors" }, action: "write" } as const;
    await refuses("unseen_content", () => session.change([target], () => [{ body: "2\n" }]));
  });
});

describe("what a refusal tells and leaves behind", () => {
  it("of a sha256 of another file: nothing of that file, though both changed in one entry", async () => {
    const workspace = memoryWorkspace({ a: "mine\n", secret: "hidden one\n" });
    const [owner, agent] = [workspace.session(), workspace.session()];
    const { sha } = await owner.read("secret");
    await owner.read("a");
    const targets = ["a", "secret"].map((each) => ({ path: each, proof: { by: "session" }, action: "write" }) as const);
    await owner.change(targets, () => [{ body: "mine too\n" }, { body: "hidden two\n" }]);
    const refusal = await refuses("stale_file", () => agent.write("a", "x\n", { expectedSha256: sha }));
    expect(refusal.failure.details?.diff).toBeUndefined();
  });

  it("of a link to what may not be read: the link only", async () => {
    const root = directoryWith({ ".env": "KEY=1\n" });
    symlinkSync(".env", join(root, "link"));
    const workspace = workspaceIn(root, { policy: { protect: { remove: [] } } });
    const session = workspace.session();
    const refusal = await refuses("permission_denied", () => session.read("link"));
    expect(refusal.message).not.toContain("KEY");
    const bare = await refuses("unread_file", () => session.delete("link"));
    expect(bare.failure.details).toMatchObject({ bareLink: true });
    await workspace.close();
  });

  it("of the owner: an entry where it was forbidden, none where it was a slip", async () => {
    const workspace = memoryWorkspace({ a: "1\n", ".env": "KEY=1\n" });
    const owner = workspace.session({ owner: true });
    await refuses("unread_file", () => owner.write("a", "2\n"));
    await refuses("permission_denied", () => owner.read(".env"));
    const entries = await all(workspace.log());
    expect(entries.map(({ error }) => error)).toEqual(["permission_denied"]);
  });

  it("of what may have been done after all: no entry", async () => {
    const backend = memory({ files: { a: "1\n" } });
    const commit = () => Promise.reject(new Refusal("outcome_unknown", "The connection was lost."));
    const workspace = new Workspace({ ...backend, commit });
    const session = workspace.session();
    await session.read("a");
    await refuses("outcome_unknown", () => session.write("a", "2\n"));
    expect(await all(workspace.log())).toEqual([]);
  });
});

describe("history", () => {
  it("brings back what is over the limit, and says what is in the way of it whatever its size", async () => {
    const backend = memory({ files: { a: "0123456789\n" } });
    const before = new Workspace(backend).session();
    await before.read("a");
    const { entry } = await before.delete("a");
    const session = new Workspace(backend, { limits: { maxFileBytes: 5 } }).session();
    await session.undo({ entry: entry!.seq });
    expect(await textAt(backend, "a")).toBe("0123456789\n");
    const again = await before.delete("a", { expectedSha256: (await before.read("a")).sha });
    await before.create("a", "9876543210\n");
    await refuses("already_exists", () => restore(session, String(again.entry!.seq)));
  });

  it("knows a move onto the same bytes from a file that stays", async () => {
    const session = memoryWorkspace({ a: "same\n", b: "same\n" }).session();
    for (const each of ["a", "b"]) await session.read(each);
    await session.write("b", "other\n");
    await session.move("a", "b", { overwrite: true });
    const { entry } = await session.undo({ session: session.id });
    expect(entry!.changes.map(({ path: at, movedFrom }) => [at, movedFrom])).toEqual([["a", undefined]]);
  });

  it("counts a file that only got another name among the net changes", async () => {
    const session = memoryWorkspace({ a: "1\n" }).session();
    await session.read("a");
    await session.move("a", "b");
    const { files } = await netChanges(session.workspace, {});
    expect(files).toMatchObject([{ path: "b", movedFrom: "a" }]);
  });

  it("has an entry for permission bits alone", async () => {
    const session = memoryWorkspace({ a: "1\n" }).session();
    await session.read("a");
    const target = { path: "a", proof: { by: "session" }, action: "write" } as const;
    const { entry } = await session.change([target], () => [{ body: "1\n", mode: 0o755 }]);
    expect(entry?.changes).toMatchObject([{ toMode: 0o755 }]);
  });

  it("does not take what never happened for a use of a version", async () => {
    const workspace = memoryWorkspace({ a: "1\n" });
    const session = workspace.session();
    await session.read("a");
    await session.write("a", "2\n");
    await session.write("a", "3\n");
    const author = session.author({ tool: "recovery" });
    await workspace.backend.record({ ...author, outcome: "aborted", changes: [], of: [1] });
    const { versions } = await collectGarbage(workspace, { maxBytes: 0 }, Date.now() + 1000, { dryRun: true });
    expect(versions.map(({ path: at, shas }) => [at, shas.length])).toEqual([
      ["a", 1],
      [undefined, 1],
    ]);
  });

  it("says nothing at a checkpoint about files that the policy closes", async () => {
    const root = directoryWith({});
    const before = workspaceIn(root);
    await before.session().create("closed", "1\n");
    writeFileSync(join(root, "closed"), "outside\n");
    const workspace = new Workspace(before.backend, { policy: { deniedPaths: ["closed"] } });
    await openCheckpoint(workspace.session(), "c");
    const entries = await all(before.log());
    expect(entries.map(({ outcome }) => outcome)).toEqual(["applied", "note"]);
    expect(readFileSync(join(root, "closed"), "utf8")).toBe("outside\n");
    await before.close();
  });

  it("names the newer version once when a whole text was merged into it", async () => {
    const workspace = memoryWorkspace({ a: "1\n2\n3\n4\n5\n" });
    const [one, other] = [workspace.session(), workspace.session()];
    await one.read("a");
    await other.read("a");
    await other.write("a", "1\n2\n3\n4\nfive\n");
    const { warnings } = await one.write("a", "one\n2\n3\n4\n5\n", { onStale: "rebase" });
    expect(warnings).toHaveLength(1);
    expect(await textAt(workspace.backend, "a")).toBe("one\n2\n3\n4\nfive\n");
  });

  it("tells of the file that could not be merged, among several", async () => {
    const workspace = memoryWorkspace({ a: "1\n2\n3\n", b: "1\n2\n3\n" });
    const [one, other] = [workspace.session(), workspace.session()];
    for (const session of [one, other]) for (const each of ["a", "b"]) await session.read(each);
    await other.write("a", "1\n2\ntheirs in a\n");
    await other.write("b", "theirs in b\n2\n3\n");
    const targets = ["a", "b"].map((each) => ({ path: each, proof: { by: "session" }, action: "write" }) as const);
    const refusal = await refuses("merge_conflict", () =>
      one.change(targets, () => [{ body: "mine\n2\n3\n" }, { body: "mine\n2\n3\n" }], { onStale: "rebase" }),
    );
    expect(refusal.failure.path).toBe("b");
    expect(refusal.failure.details?.diff).toContain("theirs in b");
  });

  it("finds files below directories that a policy without listing opens in part", async () => {
    const policy = { allowedActions: ["search", "read"], allowedPaths: ["src/deep/*.ts"] } as const;
    const session = memoryWorkspace({ "src/deep/a.ts": "1\n", "src/b.ts": "2\n" }, { policy }).session();
    const { files } = await findFiles(session, { root: path(""), limit: 9 });
    expect(files.map((each) => each.path)).toEqual(["src/deep/a.ts"]);
  });
});

describe("small parts", () => {
  it("two changes that name the same files in another order do not wait for each other", async () => {
    const workspace = memoryWorkspace({ a: "", b: "" });
    const waived = { proof: { by: "waived" }, action: "write" } as const;
    const both = (names: readonly string[], added: string) =>
      workspace.session().change(
        names.map((each) => ({ path: each, ...waived })),
        (files) => files.map(({ text }) => ({ body: text.body + added })),
      );
    await Promise.all([both(["a", "b"], "1"), both(["b", "a"], "2"), both(["a", "b"], "3")]);
    const texts = await Promise.all(["a", "b"].map((each) => textAt(workspace.backend, each)));
    expect(texts.map((text) => [...text!].toSorted().join(""))).toEqual(["123", "123"]);
    expect(texts[0]).toBe(texts[1]);
  });

  it("a name that no new file may have is found where it existed", () => {
    const absent = () => ({ kind: "absent", size: 0, mtimeMs: 0 }) as const;
    expect(() => resolvePath("bell\u0007", {}, absent)).toThrow("contains a control character");
    expect(resolvePath("bell\u0007", { existed: true }, absent).path).toBe("bell\u0007");
  });

  it("a backend that is reached over a network is closed when its looks are answered", async () => {
    let answer = (): void => undefined;
    const order: string[] = [];
    const backend = untilClosed(
      {
        ...memory(),
        read: () => new Promise((resolve) => (answer = () => resolve(null))),
        close: async () => void order.push("closed"),
      },
      { waitsForLooks: true },
    );
    const look = backend.read(path("a")).then(() => void order.push("read"));
    const closing = backend.close();
    await new Promise(setImmediate);
    answer();
    await Promise.all([look, closing]);
    expect(order).toEqual(["read", "closed"]);
  });
});
