// What a reviewer needs of the history: parts of an entry taken back, the net of many steps and marks.
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { bytesOf, markReviewed, type NetFile, netChanges, reviewedEntries, undoHunk, versionOf, Workspace } from "stet";
import { expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");
const waived = { proof: { by: "waived" } } as const;

async function contentOf({ backend }: Workspace, path: string): Promise<string | null> {
  const version = await backend.read((await backend.resolve(path)).path);
  return version === null ? null : Buffer.from(bytesOf(version)).toString();
}

async function netText({ backend }: Workspace, { after }: NetFile): Promise<string | null> {
  const version = typeof after === "string" ? await backend.recall(after) : after;
  return version === null ? null : Buffer.from(bytesOf(version)).toString();
}

it("one file of an entry is taken back; the entry still stands for its other files", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  const targets = ["a.txt", "b.txt"].map((path) => ({ path, action: "edit", ...waived }) as const);
  const { entry } = await agent.change(targets, () => [{ body: "A\n" }, { body: "B\n" }]);
  const person = workspace.session({ agent: "ada", owner: true });
  await expect(person.undo({ entry: entry!.seq, path: "c.txt" })).rejects.toMatchObject({ kind: "not_found" });
  const undone = await person.undo({ entry: entry!.seq, path: "a.txt" });
  expect(undone.files.map(({ path }) => path)).toEqual(["a.txt"]);
  expect([await contentOf(workspace, "a.txt"), await contentOf(workspace, "b.txt")]).toEqual(["a\n", "B\n"]);
  const rest = await person.undo({ agent: "codex" }, { onLaterChanges: "merge" });
  expect(rest.undone).toEqual([entry!.seq]);
  expect(await contentOf(workspace, "b.txt")).toBe("b\n");
});

it.each(["a.txt", "b.txt"])(
  "parts that make up a whole entry take it back, a move under both names: %s",
  async (path) => {
    const workspace = memoryWorkspace({ "a.txt": "a\n" });
    const { entry } = await workspace.session({ agent: "codex" }).move("a.txt", "b.txt", waived);
    const person = workspace.session({ agent: "ada", owner: true });
    await person.undo({ entry: entry!.seq, path });
    expect([await contentOf(workspace, "a.txt"), await contentOf(workspace, "b.txt")]).toEqual(["a\n", null]);
    await expect(person.undo({ agent: "codex" })).rejects.toThrow(/already been taken back/);
  },
);

it("a single hunk is taken back, on top of later changes", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  const { entry } = await agent.write("a.txt", text({ 2: "two\n", 15: "", 29: "x\ny\n" }), waived);
  await agent.write("a.txt", text({ 2: "two\n", 8: "eight\n", 15: "", 29: "x\ny\n" }), waived);
  const person = workspace.session({ agent: "ada", owner: true });
  const what = { entry: entry!.seq, path: "a.txt" };
  const dry = await undoHunk(person, { ...what, hunk: 2 }, { dryRun: true });
  expect(dry.files[0]!.diff.text).toContain("+line 15");
  await undoHunk(person, { ...what, hunk: 2 });
  expect(await contentOf(workspace, "a.txt")).toBe(text({ 2: "two\n", 8: "eight\n", 29: "x\ny\n" }));
  await undoHunk(person, { ...what, hunk: 3 });
  expect(await contentOf(workspace, "a.txt")).toBe(text({ 2: "two\n", 8: "eight\n" }));
  await expect(undoHunk(person, { ...what, hunk: 3 })).rejects.toMatchObject({ kind: "no_change" });
  await expect(undoHunk(person, { ...what, hunk: 4 })).rejects.toMatchObject({ kind: "not_found" });
  await agent.write("a.txt", text({ 2: "zwei\n", 8: "eight\n" }), waived);
  await expect(undoHunk(person, { ...what, hunk: 1 })).rejects.toMatchObject({
    kind: "merge_conflict",
    failure: { details: { conflicts: [{ inFile: "zwei\n", wanted: "line 2\n" }] } },
  });
});

it("a hunk of a file with CRLF and no last line end comes back byte for byte; a new file has no hunks", async () => {
  const workspace = memoryWorkspace({ "a.txt": "one\r\ntwo" });
  const agent = workspace.session({ agent: "codex" });
  const { entry } = await agent.write("a.txt", "one\r\n2", waived);
  const person = workspace.session({ agent: "ada", owner: true });
  await undoHunk(person, { entry: entry!.seq, path: "a.txt", hunk: 1 });
  expect(await contentOf(workspace, "a.txt")).toBe("one\r\ntwo");
  const made = await agent.create("new.txt", "x\n");
  await expect(undoHunk(person, { entry: made.entry!.seq, path: "new.txt", hunk: 1 })).rejects.toThrow(/whole file/);
  const gone = await agent.delete("new.txt", waived);
  await expect(undoHunk(person, { entry: gone.entry!.seq, path: "new.txt", hunk: 1 })).rejects.toThrow(/whole file/);
  await agent.delete("a.txt", waived);
  await expect(undoHunk(person, { entry: entry!.seq, path: "a.txt", hunk: 1 })).rejects.toThrow(/not there any more/);
});

it("a hunk that is taken back leaves the mode of the file as it is now", async () => {
  const root = directoryWith({ "run.sh": text() });
  const workspace = workspaceIn(root);
  const { entry } = await workspace.session({ agent: "codex" }).write("run.sh", text({ 2: "two\n" }), waived);
  chmodSync(join(root, "run.sh"), 0o755);
  await undoHunk(workspace.session({ agent: "ada", owner: true }), { entry: entry!.seq, path: "run.sh", hunk: 1 });
  expect(readFileSync(join(root, "run.sh"), "utf8")).toBe(text());
  expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
  await workspace.close();
});

it("the net change of a file that was changed and then moved begins before the first step", async () => {
  const workspace = memoryWorkspace({ "old.txt": "o\n" });
  const session = workspace.session({ agent: "codex" });
  const [before] = (await session.write("old.txt", "n\n", waived)).files;
  await session.move("old.txt", "new.txt", waived);
  const { files } = await netChanges(workspace, { agent: "codex" });
  expect(files).toMatchObject([{ path: "new.txt", movedFrom: "old.txt", before: before!.before, entries: [1, 2] }]);
});

it("the net change adds up all steps, without what others did in between or was taken back", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "same.txt": "s\n", "old.txt": "o\n" });
  const [one, other] = [workspace.session({ agent: "codex" }), workspace.session({ agent: "claude" })];
  await one.write("a.txt", text({ 2: "two\n" }), waived);
  await other.write("a.txt", text({ 2: "two\n", 15: "theirs\n" }), waived);
  await one.write("a.txt", text({ 2: "2\n", 15: "theirs\n", 28: "end\n" }), waived);
  await one.write("same.txt", "t\n", waived);
  await one.write("same.txt", "s\n", waived);
  await one.move("old.txt", "new.txt", waived);
  await one.write("new.txt", "n\n", waived);
  const { entry } = await one.create("gone.txt", "g\n");
  await workspace.session({ agent: "ada", owner: true }).undo({ entry: entry!.seq });

  const net = await netChanges(workspace, { session: one.id });
  expect(net.files.map(({ path, movedFrom, others }) => [path, movedFrom, others])).toEqual([
    ["a.txt", undefined, "merged"],
    ["new.txt", "old.txt", undefined],
  ]);
  expect(await netText(workspace, net.files[0]!)).toBe(text({ 2: "2\n", 28: "end\n" }));
  expect([net.entries, net.takenBack]).toEqual([6, 1]);
  const theirs = await netChanges(workspace, { agent: "claude" });
  expect(theirs.files.map(({ path, entries }) => [path, entries])).toEqual([["a.txt", [2]]]);
});

it("a part that was taken back is no longer in the sum, until that is undone", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  const targets = ["a.txt", "b.txt"].map((path) => ({ path, action: "edit", ...waived }) as const);
  await agent.change(targets, () => [{ body: text({ 2: "two\n", 20: "twenty\n" }) }, { body: "B\n" }]);
  await agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n", 29: "last\n" }), waived);
  const person = workspace.session({ agent: "ada", owner: true });
  await undoHunk(person, { entry: 1, path: "a.txt", hunk: 2 });
  const { entry } = await person.undo({ entry: 1, path: "b.txt" });
  const { files, entries, takenBack } = await netChanges(workspace, { agent: "codex" });
  expect([files.map(({ path }) => path), entries, takenBack]).toEqual([["a.txt"], 2, 0]);
  expect(files[0]).toMatchObject({ entries: [1, 2] });
  expect(files[0]).not.toHaveProperty("others");
  expect(await netText(workspace, files[0]!)).toBe(text({ 2: "two\n", 29: "last\n" }));
  await person.undo({ entry: entry!.seq });
  const again = await netChanges(workspace, { agent: "codex" });
  expect(again.files.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
});

it("says so where the lines of others cannot be left out", async () => {
  const workspace = memoryWorkspace({ "a.txt": "1\n" });
  const [one, other] = [workspace.session({ agent: "codex" }), workspace.session({ agent: "claude" })];
  await one.write("a.txt", "2\n", waived);
  await other.write("a.txt", "3\n", waived);
  await one.write("a.txt", "4\n", waived);
  const { files } = await netChanges(workspace, { agent: "codex" });
  expect(files).toMatchObject([{ path: "a.txt", others: "included", entries: [1, 3] }]);
  expect(await netText(workspace, files[0]!)).toBe("4\n");
  await one.write("a.txt", text({ 2: "two\n" }), waived);
  await other.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived);
  await one.write("a.txt", text({ 2: "two\n", 10: "ten\n", 20: "twenty\n" }), waived);
  const later = await netChanges(workspace, { agent: "codex" });
  expect(later.files).toMatchObject([{ others: "included", entries: [1, 3, 4, 6] }]);
});

it("of a part that the policy hides not even a conflict is told", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  for (const two of ["two\n", "zwei\n"]) await agent.write("a.txt", text({ 2: two }), waived);
  const hiding = new Workspace(workspace.backend, { policy: { deniedPaths: ["a.txt"] } });
  const asked = { entry: 1, path: "a.txt", hunk: 1 };
  await expect(undoHunk(agent, asked)).rejects.toMatchObject({ kind: "merge_conflict" });
  await expect(undoHunk(hiding.session(), asked)).rejects.toMatchObject({ kind: "permission_denied" });
});

it("reviewed marks are notes: set, taken off again, looked up from where the last look ended", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  for (const path of ["a", "b", "c"]) await agent.create(path, "x");
  const person = workspace.session({ agent: "ada", owner: true });
  const note = await markReviewed(person, [1, 2, 2]);
  expect(note).toMatchObject({ outcome: "note", agent: "ada", of: [1, 2], details: { reviewed: true } });
  const first = await reviewedEntries(workspace.backend);
  expect([...first.seqs]).toEqual([1, 2]);
  await markReviewed(person, [1], { reviewed: false });
  expect([...(await reviewedEntries(workspace.backend, first)).seqs]).toEqual([2]);
  await expect(markReviewed(person, [99])).rejects.toMatchObject({ kind: "invalid_input" });
  await expect(markReviewed(person, [])).rejects.toMatchObject({ kind: "invalid_input" });
  await person.undo({ agent: "codex" });
  expect(await contentOf(workspace, "a")).toBeNull();
});

it("where something else stands at once at the place that a file was moved from, the sum has both", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  const [a, b] = ["a\n", "b\n"].map((content) => versionOf([Buffer.from(content)]).sha);
  const changes = [
    { path: "a.txt" as never, from: a!, to: b! },
    { path: "b.txt" as never, from: null, to: a!, movedFrom: "a.txt" as never },
  ];
  await workspace.backend.record({ session: "s", tool: "t", outcome: "applied", changes });
  const { files } = await netChanges(workspace, { session: "s" });
  expect(files).toMatchObject([
    { path: "a.txt", before: a, after: b },
    { path: "b.txt", before: null, after: a },
  ]);
});
