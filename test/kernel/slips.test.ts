// Slips of a program without types: a misspelt option, a proof that is none. Refused in words, and nothing is changed.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, openWorkspace, restore, rollBackTo, type Session } from "stet";
import { memory } from "stet/backends/memory";
import { unifiedDiff } from "stet/edit";
import { serveOverHttp } from "stet/serve";
import { call, compactSurface, workspace as surface } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { all, refuses, textAt } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a program without types can do
type Untyped = any;

const SLIPS: Readonly<Record<string, readonly [act: (session: Untyped, sha: string) => unknown, words: string]>> = {
  "write: dryrun": [(s) => s.write("a", "1\n", { dryrun: true }), 'There is no option "dryrun" here.'],
  "write: far off": [(s) => s.write("a", "1\n", { force: true }), '"force" here. The options are tool, call,'],
  "write: null": [(s) => s.write("a", "1\n", null), "Options are given as an object."],
  "edit: no function": [
    (s) => s.edit("a", [{ start: 0, end: 1, text: "" }]),
    "An edit is a function from the text of the file to a list of { start, end, text }.",
  ],
  "read: line 0": [(s) => s.read("a", { from: 0, to: 1 }), "from must be a whole number from 1 on, not 0."],
  "change: a target": [
    (s) => s.change([{ path: "a", proof: { by: "waived" }, action: "write", creatParents: true }], () => [null]),
    "Did you mean createParents?",
  ],
  "log: sesion": [({ workspace: w }) => all(w.log({ sesion: "x" })), 'no filter "sesion" here. Did you mean session?'],
  "collectGarbage: dry": [
    (s) => collectGarbage(s.workspace, { maxAgeMs: 0 }, Date.now() + 1, { dryrun: true } as object),
    "Did you mean dryRun?",
  ],
  "undo: nothing": [(s) => s.undo({}), "Name what to undo: an entry, or at least one condition."],
  "undo: an entry and a session": [
    (s) => s.undo({ entry: 1, session: s.id }),
    "entry and session cannot both be given. Leave out session to take back entry 1, or leave out entry.",
  ],
  "undo: outside": [(s) => s.undo({ path: "../b" }), "outside"],
  "a short sha256": [
    (s) => s.write("a", "1\n", { expectedSha256: "abc" }),
    'sha256 must be 64 hex digits, 0-9 and a-f, as a read gave them, not "abc".',
  ],
};

const ELSEWHERE: Readonly<Record<string, readonly [act: () => unknown, words: string]>> = {
  "openWorkspace: polcy": [() => openWorkspace({ root: ".", polcy: {} } as Untyped), "Did you mean policy?"],
  "memory: file": [() => memory({ file: {} } as object), "Did you mean files?"],
  "compactSurface: lint": [() => compactSurface({ lint: () => [] } as object), "Did you mean linter?"],
  "serveOverHttp: token": [
    () => serveOverHttp({ surface, served: [], version: "1" } as Untyped, { token: [] } as object),
    "Did you mean tokens?",
  ],
  "unifiedDiff: maxbytes": [() => unifiedDiff("", "a", { maxbytes: 1 } as object), "Did you mean maxBytes?"],
};

describe("a slip is refused, and changes nothing", () => {
  it.each(Object.entries(SLIPS))("%s", async (_name, [act, words]) => {
    const workspace = memoryWorkspace({ a: "one\n" });
    const session = workspace.session();
    await session.create("first", "1\n");
    const { sha } = await session.read("a");
    const kind = words === "outside" ? "outside_workspace" : "invalid_input";
    const refusal = await refuses(kind, async () => act(session, sha));
    expect(refusal.message).toContain(words);
    const texts = await Promise.all(["a", "first", "b", "new"].map((each) => textAt(workspace.backend, each)));
    expect(texts).toEqual(["one\n", "1\n", null, null]);
  });

  it.each(Object.entries(ELSEWHERE))("%s", async (_name, [act, words]) => {
    const refusal = await refuses("invalid_input", async () => act());
    expect(refusal.message).toContain(words);
  });

  it("in who acts", () => {
    const workspace = memoryWorkspace({});
    expect(() => workspace.session({ name: "x" } as object)).toThrow("The options are id, agent, owner.");
  });

  it("in what is asked of the log", async () => {
    const workspace = memoryWorkspace({ a: "one\n" });
    for (const limit of [-1, 1.5, Number.NaN, "1" as unknown as number])
      await refuses("invalid_input", () => all(workspace.log({ limit })));
    await refuses("outside_workspace", () => all(workspace.log({ path: "../a" })));
  });
});

it("options of a call, and those that are left undefined, are known everywhere", async () => {
  const session: Untyped = memoryWorkspace({ a: "one\n" }).session({ id: "s", agent: undefined } as object);
  const call = { tool: "t", call: "1", signal: undefined, deadlineMs: 5000, progress: () => undefined };
  await session.read("a", undefined, { ...call, encoding: undefined, mark: true });
  await session.write("a", "two\n", { ...call, of: [1], details: { why: "test" }, expectedSha256: undefined });
  await session.create("b", "b\n", { ...call, createParents: true, mode: 0o600 });
  await session.move("b", "c", { ...call, overwrite: true, proof: { by: "waived" } });
  await session.undo({ session: "s" }, { ...call, onLaterChanges: "merge", dryRun: true });
});

it("what a program hands to a call of a tool beside its options is not taken for options of the session", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session();
  const { ok, text } = await call(session, surface, "read_file", { path: "a" }, { requestId: 7 } as object);
  expect(text).toContain("one");
  expect(ok).toBe(true);
});

it("a path of the history may be spelt in any way, and takes back what it names only", async () => {
  const workspace = memoryWorkspace({});
  const session: Session = workspace.session();
  await session.create("dir/a", "1\n", { createParents: true });
  await session.create("b", "1\n");
  const logged = await all(workspace.log({ path: "./dir//a" }));
  expect(logged.map(({ seq }) => seq)).toEqual([1]);
  const { undone } = await session.undo({ path: "./dir/a" });
  expect(undone).toEqual([1]);
  expect(await textAt(workspace.backend, "b")).toBe("1\n");
});

it("what lay below a directory that is a file by now has its history still", async () => {
  const root = directoryWith({});
  const workspace = workspaceIn(root);
  await workspace.session().create("dir/a", "1\n", { createParents: true });
  rmSync(join(root, "dir"), { recursive: true });
  writeFileSync(join(root, "dir"), "1\n");
  expect(await all(workspace.log({ path: "dir/a" }))).toHaveLength(1);
  await refuses("invalid_path", () => all(workspace.log({ path: "dir/../dir/a" })));
  await workspace.close();
});

it("a list of splices that does not fit says how", async () => {
  const session = memoryWorkspace({ a: "one two\n" }).session();
  await session.read("a");
  const edit = (...spans: readonly (readonly [number, number])[]) =>
    session.edit("a", () => spans.map(([start, end]) => ({ start, end, text: "" })));
  await expect(edit([5, 60])).rejects.toThrow("splice 5-60 leaves the text of 8 characters");
  await expect(edit([-1, 2])).rejects.toThrow("splice -1-2 leaves the text of 8 characters");
  await expect(edit([0, 4], [2, 6])).rejects.toThrow("splice 2-6 overlaps the one before it, which ends at 4");
  await expect(edit([4, 2])).rejects.toThrow("splice 4-2 ends before it begins");
});

it("a change that the session took back itself was made by you, and is to be read again", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session({ agent: "ann" });
  await session.read("a");
  const { entry, files } = await session.write("a", "two\n");
  expect(files[0]!.diff.truncated).toBe(false);
  await session.undo({ entry: entry!.seq });
  const refusal = await refuses("stale_file", () => session.write("a", "three\n"));
  expect(refusal.failure.message).toMatch(/^a is not the version you saw\. It was changed by you with undo at /);
});

it("what is in the way, or missing, names the option for it, where there is one", async () => {
  const session = memoryWorkspace({ a: "1\n", b: "2\n", "dir/c": "3\n" }).session();
  const next = async (kind: "already_exists" | "not_found", act: () => Promise<unknown>) =>
    (await refuses(kind, act)).failure.suggestedAction;
  await session.read("a");
  const over = await next("already_exists", () => session.create("a", "x"));
  expect(over).toBe("Read it and edit or overwrite it, or choose another path.");
  expect(await next("already_exists", () => session.move("a", "b"))).toMatch(/^Overwrite it, which puts that file/);
  expect(await next("already_exists", () => session.create("dir", "x"))).not.toContain("write");
  const parent = "Correct the path, or have the missing parent directories made.";
  expect(await next("not_found", () => session.create("new/a", "x"))).toBe(parent);
  expect(await next("not_found", () => session.move("a", "new/a"))).toBe(parent);
  await session.create("d", "4\n");
  await session.delete("d");
  await session.create("d", "5\n");
  expect(await next("already_exists", () => restore(session, "d"))).toContain("as `to`");
  expect(await next("not_found", () => rollBackTo(session, "c"))).toContain("openCheckpoints");
  const { text } = await call(session, compactSurface(), "Write", {
    file_path: "n/a",
    content: "",
    create_dirs: false,
  });
  expect(text).toContain("leave out create_dirs");
  const created = await call(session, surface, "create_file", { path: "a", content: "" });
  expect(created.text).toContain("Use read_file, then edit_file or write_file.");
});

it("where a file was changed later, the next action names the option for it, unless it was given", async () => {
  const workspace = memoryWorkspace({});
  const [mine, theirs] = [workspace.session({ id: "mine" }), workspace.session()];
  await mine.create("a", "1\n2\n3\n4\n");
  await mine.write("a", "one\n2\n3\n4\n");
  await theirs.read("a");
  await theirs.write("a", "one\n2\n3\nfour\n");
  const refusal = await refuses("stale_file", () => mine.undo({ session: "mine" }));
  expect(refusal.failure.suggestedAction).toContain('onLaterChanges: "merge"');
  const again = await refuses("stale_file", () => mine.undo({ session: "mine" }, { onLaterChanges: "merge" }));
  expect(again.failure.suggestedAction).not.toContain("merge");
  await mine.undo({ entry: 2 }, { onLaterChanges: "merge" });
  expect(await textAt(workspace.backend, "a")).toBe("1\n2\n3\nfour\n");
  await theirs.read("a");
  const { entry } = await theirs.write("a", "eins\n2\n3\nfour\n");
  await mine.read("a");
  await mine.write("a", "uno\n2\n3\nfour\n");
  const both = await refuses("merge_conflict", () => mine.undo({ entry: entry!.seq }, { onLaterChanges: "merge" }));
  const texts = { inBase: "eins\n", inFile: "uno\n", wanted: "1\n" };
  expect(both.failure.details).toEqual({ entry: entry!.seq, conflicts: [{ startLine: 1, endLine: 1, ...texts }] });
});
