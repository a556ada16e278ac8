// Slips of a program without types: a misspelt option, a proof that is none. Refused in words, and nothing is changed.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import { createJournal } from "../../src/backends/parts/index.ts";
import { editByAnchors, ladder, parsePatch, replaceEdits, unifiedDiff } from "../../src/edit/index.ts";
import { openCheckpoint, rollBackTo } from "../../src/kernel/history/checkpoints.ts";
import { replay } from "../../src/kernel/history/journal/writers.ts";
import { collectGarbage } from "../../src/kernel/history/retention.ts";
import { findTrashed, listTrash, purge, purgeAll, restore } from "../../src/kernel/history/trash/trash.ts";
import type { Session } from "../../src/kernel/session.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { createServerFactory, serveOnStdio, serveOverHttp } from "../../src/serve/index.ts";
import {
  anchorsSurface,
  call,
  compactSurface,
  files,
  workspace as surface,
  surfaceNamed,
} from "../../src/surfaces/index.ts";
import { all, refuses, textAt } from "../../src/testing/assertions.ts";
import { testBackend } from "../../src/testing/index.ts";
import { openWorkspace } from "../../src/workspaces/open.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a program without types can do
type Untyped = any;

const SLIPS: Readonly<Record<string, readonly [act: (session: Untyped, sha: string) => unknown, words: string]>> = {
  "create: dryrun": [(s) => s.create("new", "1\n", { dryrun: true }), '"dryrun" here. Did you mean dryRun?'],
  "write: dryrun": [(s) => s.write("a", "1\n", { dryrun: true }), 'There is no option "dryrun" here.'],
  "write: expectedSha": [(s, sha) => s.write("a", "1\n", { expectedSha: sha }), "Did you mean expectedSha256?"],
  "write: far off": [(s) => s.write("a", "1\n", { force: true }), '"force" here. The options are tool, call,'],
  "write: null": [(s) => s.write("a", "1\n", null), "Options are given as an object."],
  "edit: dry_run": [(s) => s.edit("a", () => [], { dry_run: true }), "Did you mean dryRun?"],
  "edit: no function": [
    (s) => s.edit("a", [{ start: 0, end: 1, text: "" }]),
    "An edit is a function from the text of the file to a list of { start, end, text }.",
  ],
  "delete: dryrun": [(s) => s.delete("a", { dryrun: true }), "Did you mean dryRun?"],
  "move: overwite": [(s) => s.move("a", "b", { overwite: true }), "Did you mean overwrite?"],
  "read: colum": [(s) => s.read("a", undefined, { colum: 2 }), "Did you mean column?"],
  "read: line 0": [(s) => s.read("a", { from: 0, to: 1 }), "Lines and columns are numbered from 1."],
  "change: createParents": [
    (s) => s.change([], () => [], { createParents: true }),
    'There is no option "createParents" here. The options are tool,',
  ],
  "change: a target": [
    (s) => s.change([{ path: "a", proof: { by: "waived" }, action: "write", creatParents: true }], () => [null]),
    "Did you mean createParents?",
  ],
  "change: a proof": [
    (s) => s.change([{ path: "a", proof: { by: "session", freebelow: 9 }, action: "write" }], () => [null]),
    "Did you mean freeBelow?",
  ],
  "readBytes: signl": [(s) => s.readBytes("a", { signl: null }), "Did you mean signal?"],
  "showed: dedline": [(s, sha) => s.showed("a", { sha }, undefined, { dedline: null }), "Did you mean deadline?"],
  "resolve: dedline": [(s) => s.resolve("a", "read", { dedline: null }), "Did you mean deadline?"],
  "log: sesion": [({ workspace: w }) => all(w.log({ sesion: "x" })), 'no filter "sesion" here. Did you mean session?'],
  "log: null": [({ workspace: w }) => all(w.log(null)), "Options are given as an object."],
  "verify: expectedhead": [({ workspace: w }) => w.verify({ expectedhead: "1:x" }), "Did you mean expectedHead?"],
  "collectGarbage: maxAge": [(s) => collectGarbage(s.workspace, { maxAgeMS: 0 } as object), "Did you mean maxAgeMs?"],
  "collectGarbage: dry": [
    (s) => collectGarbage(s.workspace, { maxAgeMs: 0 }, Date.now() + 1, { dryrun: true } as object),
    "Did you mean dryRun?",
  ],
  "listTrash: paths": [(s) => all(listTrash(s.workspace, { paths: "a" } as object)), "Did you mean path?"],
  "findTrashed: path": [(s) => findTrashed(s.workspace, "1", { path: "a" } as object), "The options are tool,"],
  "restore: TO": [(s) => restore(s, "1", { TO: "a" } as object), "Did you mean to?"],
  "purge: dryRun": [(s) => purge(s, "1", { dryRun: true } as object), 'There is no option "dryRun" here.'],
  "purgeAll: dryRun": [(s) => purgeAll(s, [], { dryRun: true } as object), 'There is no option "dryRun" here.'],
  "openCheckpoint: path": [(s) => openCheckpoint(s, "c", { path: "a" } as object), "Did you mean paths?"],
  "rollBackTo: dryrun": [(s) => rollBackTo(s, "c", { dryrun: true } as object), "Did you mean dryRun?"],
  "replay: sesion": [(s) => replay(s.workspace, { sesion: "x" } as object), "Did you mean session?"],
  "undo: dryrun": [(s) => s.undo({ entry: 1 }, { dryrun: true }), "Did you mean dryRun?"],
  "undo: nothing": [(s) => s.undo({}), "An undo needs to be told what: an entry, or at least one condition."],
  "undo: no object": [(s) => s.undo(), "An undo needs to be told what"],
  "undo: undefined": [(s) => s.undo({ session: undefined }), "The conditions are entry, session, agent,"],
  "undo: sesion": [(s) => s.undo({ sesion: "x" }), 'There is no condition "sesion" here. Did you mean session?'],
  "undo: one right": [(s) => s.undo({ since: "2020-01-01", sesion: "x" }), "Did you mean session?"],
  "undo: no number": [(s) => s.undo({ sinceSeq: Number.NaN }), "An entry is named by its number."],
  "undo: an entry and a session": [
    (s) => s.undo({ entry: 1, session: s.id }),
    "entry and session cannot both be given. Leave out session to take back entry 1, or leave out entry.",
  ],
  "undo: outside": [(s) => s.undo({ path: "../b" }), "outside"],
  "a short sha256": [
    (s) => s.write("a", "1\n", { expectedSha256: "abc" }),
    'The sha256 of a file has 64 hex digits, 0-9 and a-f; "abc" is none.',
  ],
  "a sha256 in large letters": [(s) => s.delete("a", { expectedSha256: "A".repeat(64) }), "0-9 and a-f"],
  "a number for a sha256": [(s) => s.move("a", "b", { expectedSha256: 7 }), "64 hex digits"],
};

const served = { name: "w", workspace: memoryWorkspace({}) };
const serving: Untyped = { surface, served: [served], version: "1" };
const stdio = (given: Untyped) => serveOnStdio(serving, { transport: {}, ...given });

const ELSEWHERE: Readonly<Record<string, readonly [act: () => unknown, words: string]>> = {
  "openWorkspace: polcy": [() => openWorkspace({ root: ".", polcy: {} } as Untyped), "Did you mean policy?"],
  "openWorkspace: further": [
    () => openWorkspace({ root: directoryWith({}), further: { close: [] } } as Untyped),
    "Did you mean closed?",
  ],
  "memory: file": [() => memory({ file: {} } as object), "Did you mean files?"],
  "createJournal: line": [() => createJournal({ line: [] } as object), "Did you mean lines?"],
  "testBackend: skipp": [() => testBackend(() => memory(), { skipp: [] } as object), "Did you mean skip?"],
  "compactSurface: lint": [() => compactSurface({ lint: () => [] } as object), "Did you mean linter?"],
  "anchorsSurface: lowentropy": [() => anchorsSurface({ lowentropy: "any" } as object), "Did you mean lowEntropy?"],
  "files: readonly": [() => files({ readonly: true } as object), "Did you mean readOnly?"],
  "surfaceNamed: file": [() => surfaceNamed("files", { file: {} } as object), "Did you mean files?"],
  "createServerFactory: result": [
    () => createServerFactory({ ...serving, result: "structured" }),
    "Did you mean results?",
  ],
  "createServerFactory: logs": [() => createServerFactory(serving, { logs: () => {} } as object), "Did you mean log?"],
  "createServerFactory: handles": [
    () => createServerFactory(serving, { handles: { mostHandle: 1 } as object }),
    'There is no limit "mostHandle" here. Did you mean mostHandles?',
  ],
  "serveOnStdio: maxMessageByte": [() => stdio({ maxMessageByte: 1 }), "Did you mean maxMessageBytes?"],
  "serveOverHttp: token": [() => serveOverHttp(serving, { token: [] } as object), "Did you mean tokens?"],
  "serveOverHttp: a token": [
    () => serveOverHttp(serving, { tokens: [{ nme: "ann", token: "0123456789abcdef" } as Untyped] }),
    'There is no field "nme" here. Did you mean name?',
  ],
  "ladder: replaceall": [() => ladder("a", "a", "b", { replaceall: true } as object), "Did you mean replaceAll?"],
  "replaceEdits: replaceall": [
    () => replaceEdits("a a", [{ oldText: "a", newText: "b", replaceall: true } as Untyped]),
    "Did you mean replaceAll?",
  ],
  "unifiedDiff: maxbytes": [() => unifiedDiff("", "a", { maxbytes: 1 } as object), "Did you mean maxBytes?"],
  "parsePatch: maxfiles": [() => parsePatch("", { maxfiles: 1 } as object), "Did you mean maxFiles?"],
  "editByAnchors: lowentropy": [
    () => editByAnchors("", [], { lowentropy: "any" } as object),
    "Did you mean lowEntropy?",
  ],
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
  const workspace = new Workspace(disk({ root, durability: "fast" }));
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
  expect(over).toBe("Read it, then use write or edit; or choose another path.");
  expect(await next("already_exists", () => session.move("a", "b"))).toMatch(/^Set overwrite: true to put that file/);
  expect(await next("already_exists", () => session.create("dir", "x"))).not.toContain("write");
  const parent = "Set createParents: true to have it made, or correct the path.";
  expect(await next("not_found", () => session.create("new/a", "x"))).toBe(parent);
  expect(await next("not_found", () => session.move("a", "new/a"))).toBe(parent);
  expect(await next("not_found", () => session.create("./new//a", "x"))).toBe(parent);
  expect(await next("not_found", () => session.create("new/", "x"))).not.toContain("createParents");
  expect(await next("not_found", () => session.move("gone/", "new/a"))).not.toContain("createParents");
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
