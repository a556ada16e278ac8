// Values of the wrong kind, from a program without types: refused in words, and nothing is changed or dropped.
import { describe, expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import { type Backend, LINK_MODE, type Sha, type Version } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { versionOf } from "../../src/core/version.ts";
import { openCheckpoint } from "../../src/kernel/history/checkpoints.ts";
import { collectGarbage } from "../../src/kernel/history/retention.ts";
import { markReviewed, reviewedEntries } from "../../src/kernel/history/review/marks.ts";
import { netChanges } from "../../src/kernel/history/review/net.ts";
import { purgeAll, restore } from "../../src/kernel/history/trash/trash.ts";
import { undoHunk } from "../../src/kernel/history/undo/hunk.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { findFiles, grep, listDirectory } from "../../src/search/index.ts";
import { all, refuses, textAt } from "../../src/testing/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a program without types can do
type Untyped = any;

const bytes = (text: string): Version => versionOf([Buffer.from(text)]);
const target = { path: "a", proof: { by: "session" }, action: "write" };
const changeTo = (next: unknown) => (s: Untyped) => s.change([target], () => [next]);
const LATER = Date.now() + 60_000;

const WRONG: Readonly<Record<string, readonly [act: (session: Untyped) => unknown, words: string]>> = {
  "write: dryRun 0": [(s) => s.write("a", "2\n", { dryRun: 0 }), "dryRun must be true or false, not 0."],
  "write: dryRun null": [(s) => s.write("a", "2\n", { dryRun: null }), "dryRun must be true or false, not null."],
  "write: options in a Map": [
    (s) => s.write("a", "2\n", new Map([["dryRun", true]])),
    "Options are given as an object.",
  ],
  "write: inherited options": [
    (s) => s.write("a", "2\n", Object.create({ dryRun: true })),
    "Options are given as an object.",
  ],
  "write: two proofs": [
    (s) => s.write("a", "2\n", { expectedSha256: bytes("0").sha, proof: { by: "waived" } }),
    "proof and expectedSha256 cannot both be given.",
  ],
  "write: a BigInt for a sha256": [(s) => s.write("a", "2\n", { expectedSha256: 5n }), "5 is none."],
  "write: onStale": [(s) => s.write("a", "2\n", { onStale: "Rebase" }), 'onStale must be "reject" or "rebase"'],
  "write: no time": [(s) => s.write("a", "2\n", { deadlineMs: Number.NaN }), "deadlineMs must be a number of"],
  "write: a controller": [
    (s) => s.write("a", "2\n", { signal: new AbortController() }),
    "signal must be an AbortSignal, not an object.",
  ],
  "write: no deadline": [(s) => s.write("a", "2\n", { deadline: {} }), "deadline must be the deadline of a call"],
  "write: maxFiles": [(s) => s.write("a", "2\n", { maxFiles: Number.NaN }), "maxFiles must be a whole number"],
  "write: inspect gives a text": [(s) => s.write("a", "2\n", { inspect: () => "no" }), "inspect must give a list"],
  "move: overwrite": [(s) => s.move("a", "b", { overwrite: "false" }), 'overwrite must be true or false, not "false".'],
  "create: a link": [(s) => s.create("new", "/etc", { mode: LINK_MODE }), "mode must be permission bits"],
  "create: a mode in words": [
    (s) => s.create("new", "", { mode: "644" }),
    "mode must be permission bits, such as 0o644",
  ],
  "read: null for lines": [(s) => s.read("a", null), "A range of lines is given by two whole numbers"],
  "session: owner": [({ workspace: w }) => w.session({ owner: "no" }), "owner must be true or false"],
  "change: no targets": [(s) => s.change(null, () => []), "A change is given a list of targets"],
  "change: no function": [(s) => s.change([target], [null]), "and a function that edits them."],
  "change: no list": [
    (s) => s.change([target], () => null),
    "An edit must give a list, one item for each target, not null",
  ],
  "change: one too many": [(s) => s.change([target], () => [undefined, null]), "not a list of 2. There are 1 targets."],
  "change: a text": [changeTo("2\n"), "What shall become of a file is one of { splices }, { body }, { version }"],
  "change: a misspelt field": [changeTo({ body: "2\n", encodng: "latin1" }), "Did you mean encoding?"],
  "change: two at once": [changeTo({ body: "2\n", splices: [] }), "What shall become of a file is one of"],
  "change: no body": [changeTo({ body: undefined }), "What shall become of a file is one of"],
  "change: no splices": [changeTo({ splices: [null] }), "An edit must give a list of { start, end, text }."],
  "change: another sha256": [
    changeTo({ version: { ...bytes("2\n"), sha: bytes("3\n").sha } }),
    "The sha256 or the size of the version is not that of its bytes.",
  ],
  "change: another size": [changeTo({ version: { ...bytes("2\n"), size: 9 } }), "is not that of its bytes."],
  "change: no version": [changeTo({ version: { sha: "x" } }), "A version is what versionOf makes."],
  "change: moved from elsewhere": [
    changeTo({ version: bytes("2\n"), movedFrom: "b" }),
    "b is not a target of this change, so nothing moves from there.",
  ],
  "undo: a Date": [(s) => s.undo({ since: new Date(0) }), "since must be a text, not an object."],
  "undo: nobody": [(s) => s.undo({ session: null, agent: "x" }), "session must be a text, not null."],
  "undo: a list": [(s) => s.undo({ entry: 2 }, { among: [2] }), "among must be a Set, not a list."],
  "undo: onLaterChanges": [(s) => s.undo({ entry: 2 }, { onLaterChanges: "Merge" }), '"refuse" or "merge"'],
  "undoHunk: nothing": [(s) => undoHunk(s, null as Untyped), "A hunk is named by an object."],
  "undoHunk: options among what": [
    (s) => undoHunk(s, { entry: 2, path: "a", hunk: 1, dryRun: true } as Untyped),
    'There is no field "dryRun" here.',
  ],
  "undoHunk: null": [(s) => undoHunk(s, { entry: 2, path: "a", hunk: 1 }, null as Untyped), "Options are given as"],
  "log: outcomes": [({ workspace: w }) => all(w.log({ outcomes: ["aplied"] })), 'outcomes must be a list of "applied"'],
  "log: sinceSeq": [({ workspace: w }) => all(w.log({ sinceSeq: Number.NaN })), "sinceSeq must be a whole number"],
  "verify: a number": [({ workspace: w }) => w.verify({ expectedHead: 5 }), "expectedHead must be a text, not 5."],
  "openCheckpoint: a text": [
    (s) => openCheckpoint(s, "c", { paths: "ab" } as Untyped),
    "paths must be a list of texts",
  ],
  "purgeAll: a text": [(s) => purgeAll(s, "13" as Untyped), "What is purged is a list of ids, which are texts."],
  "markReviewed: reviewd": [(s) => markReviewed(s, [1], { reviewd: false } as object), "Did you mean reviewed?"],
  "markReviewed: 'false'": [(s) => markReviewed(s, [1], { reviewed: "false" } as Untyped), "must be true or false"],
  "markReviewed: a number": [(s) => markReviewed(s, 1 as Untyped), "Reviewed are 1 to"],
  "netChanges: agnet": [(s) => netChanges(s.workspace, { agnet: "x" } as object), "Did you mean agent?"],
  "netChanges: nothing": [(s) => netChanges(s.workspace, undefined as Untyped), "is given as an object."],
  "gc: null": [(s) => collectGarbage(s.workspace, { maxAgeMs: null } as Untyped, LATER), "maxAgeMs must be a number"],
  "gc: null bytes": [(s) => collectGarbage(s.workspace, { maxBytes: null } as Untyped, LATER), "maxBytes must be a"],
  "gc: null count": [(s) => collectGarbage(s.workspace, { maxVersionsPerPath: null } as Untyped), "maxVersionsPerPath"],
  "gc: options in the place of the time": [
    (s) => collectGarbage(s.workspace, { maxVersionsPerPath: 1 }, { dryRun: true } as Untyped),
    "now must be a time in milliseconds, not an object.",
  ],
  "gc: dryRun": [
    (s) => collectGarbage(s.workspace, { maxBytes: 0 }, LATER, { dryRun: null } as Untyped),
    "dryRun must",
  ],
  "gc: an author without a session": [
    (s) => collectGarbage(s.workspace, { maxBytes: 0 }, LATER, { author: { tool: "gc" } } as Untyped),
    "author.session must be a text, not undefined.",
  ],
  "grep: ignorecase": [(s) => grep(s, { pattern: "o", root: "", limit: 9, ignorecase: true } as Untyped), "ignorecase"],
  "grep: no text": [(s) => grep(s, { pattern: 5, root: "", limit: 9 } as Untyped), "A pattern must be a string."],
  "grep: no root": [(s) => grep(s, { pattern: "o", limit: 9 } as Untyped), "The root of a search is a path."],
  "findFiles: a text": [(s) => findFiles(s, { root: "", limit: 9, exclude: "a" } as Untyped), "exclude must be a list"],
  "findFiles: a number": [
    (s) => findFiles(s, { root: "", limit: 9, pattern: 5 } as Untyped),
    "A glob must not be empty",
  ],
  "listDirectory: nothing": [(s) => listDirectory(s, "", undefined as Untyped), "is given as an object."],
};

describe("a value of the wrong kind is refused, and changes nothing", () => {
  it.each(Object.entries(WRONG))("%s", async (_name, [act, words]) => {
    const workspace = memoryWorkspace({ a: "0\n", b: "b\n", c: "c\n" });
    const session = workspace.session();
    for (const path of ["a", "b", "c"]) await session.read(path);
    await session.delete("c");
    await session.write("a", "1\n");
    const kept = await all(workspace.backend.kept());
    const refusal = await refuses("invalid_input", async () => act(session));
    expect(refusal.message).toContain(words);
    const texts = await Promise.all(["a", "b", "c", "new"].map((each) => textAt(workspace.backend, each)));
    expect(texts).toEqual(["1\n", "b\n", null, null]);
    expect(await all(workspace.backend.kept())).toEqual(kept);
    expect((await reviewedEntries(workspace.backend)).seqs.size).toBe(0);
  });
});

it("what an edit gave back is used as it was when it was looked at", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session();
  await session.read("a");
  const texts = ["first", "second", "third"];
  const splice = {
    start: 0,
    end: 3,
    get text() {
      return texts.shift() ?? "last";
    },
  };
  const { entry } = await session.edit("a", () => [splice]);
  expect(entry?.diff).toContain("+first");
  expect(await textAt(session.workspace.backend, "a")).toBe("first\n");
});

it("what inspect does to its list changes neither the answer nor the journal", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session();
  await session.read("a");
  const { files, entry } = await session.write("a", "two\n", {
    inspect: (seen) => {
      (seen as unknown[]).length = 0;
      return [];
    },
  });
  expect(files).toHaveLength(1);
  expect(entry?.diff).toContain("+two");
});

describe("a backend of a program that does not keep its word", () => {
  const opened = async (lie: Partial<Backend>) => {
    const backend = memory({ files: { a: "one\n", b: "two\n" } });
    const session = new Workspace({ ...backend, ...lie }).session();
    for (const path of ["a", "b"]) await session.read(path);
    return { backend, session };
  };

  it.each([
    ["another version", async () => bytes("forged\n")],
    ["other bytes under the name", async (sha: Sha) => ({ ...bytes("forged\n"), sha })],
  ])("and recalls %s: nothing comes back", async (_name, recall) => {
    const { backend, session } = await opened({ recall });
    await session.write("a", "new\n");
    await session.delete("b");
    await expect(session.undo({ entry: 1 })).rejects.toBeInstanceOf(Refusal);
    await expect(restore(session, "b")).rejects.toBeInstanceOf(Refusal);
    expect([await textAt(backend, "a"), await textAt(backend, "b")]).toEqual(["new\n", null]);
  });
});

it("details of a restore are kept beside its own", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session();
  await session.read("a");
  await session.delete("a");
  const { entry } = await restore(session, "a", { details: { why: "needed" } });
  expect(entry?.details).toEqual({ why: "needed", restored: ["1"] });
});
