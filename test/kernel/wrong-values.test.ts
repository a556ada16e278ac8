// Values of the wrong kind, from a program without types: refused in words, and nothing is changed or dropped.
import {
  type Backend,
  collectGarbage,
  LINK_MODE,
  purgeAll,
  Refusal,
  restore,
  reviewedEntries,
  type Sha,
  type Version,
  versionOf,
  Workspace,
} from "stet";
import { memory } from "stet/backends/memory";
import { findFiles, grep } from "stet/search";
import { describe, expect, it } from "vitest";
import { all, refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a program without types can do
type Untyped = any;

const bytes = (text: string): Version => versionOf([Buffer.from(text)]);
const target = { path: "a", proof: { by: "session" }, action: "write" };
const changeTo = (next: unknown) => (s: Untyped) => s.change([target], () => [next]);
const LATER = Date.now() + 60_000;

const WRONG: Readonly<Record<string, readonly [act: (session: Untyped) => unknown, words: string]>> = {
  "write: dryRun 0": [(s) => s.write("a", "2\n", { dryRun: 0 }), "dryRun must be true or false, not 0."],
  "write: two proofs": [
    (s) => s.write("a", "2\n", { expectedSha256: bytes("0").sha, proof: { by: "waived" } }),
    "proof and expectedSha256 cannot both be given.",
  ],
  "write: a controller": [
    (s) => s.write("a", "2\n", { signal: new AbortController() }),
    "signal must be an AbortSignal, not an object.",
  ],
  "write: inspect gives a text": [(s) => s.write("a", "2\n", { inspect: () => "no" }), "inspect must give a list"],
  "create: a link": [(s) => s.create("new", "/etc", { mode: LINK_MODE }), "mode must be permission bits"],
  "change: another sha256": [
    changeTo({ version: { ...bytes("2\n"), sha: bytes("3\n").sha } }),
    "The sha256 or the size of the version is not that of its bytes.",
  ],
  "undo: a Date": [(s) => s.undo({ since: new Date(0) }), "since must be a text, not an object."],
  "log: outcomes": [({ workspace: w }) => all(w.log({ outcomes: ["aplied"] })), 'outcomes must be a list of "applied"'],
  "purgeAll: a text": [(s) => purgeAll(s, "13" as Untyped), "The ids of deleted files must be a list of strings."],
  "gc: null": [(s) => collectGarbage(s.workspace, { maxAgeMs: null } as Untyped, LATER), "maxAgeMs must be a number"],
  "gc: options in the place of the time": [
    (s) => collectGarbage(s.workspace, { maxVersionsPerPath: 1 }, { dryRun: true } as Untyped),
    "now must be a time in milliseconds.",
  ],
  "grep: no text": [(s) => grep(s, { pattern: 5, root: "", limit: 9 } as Untyped), "pattern must be a text, not 5."],
  "findFiles: a text": [(s) => findFiles(s, { root: "", limit: 9, exclude: "a" } as Untyped), "exclude must be a list"],
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

it("what inspect does to its list changes neither the answer nor the journal", async () => {
  const session = memoryWorkspace({ a: "one\n" }).session();
  await session.read("a");
  const { files } = await session.write("a", "two\n", {
    inspect: (seen) => {
      (seen as unknown[]).length = 0;
      return [];
    },
  });
  expect(files).toHaveLength(1);
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
