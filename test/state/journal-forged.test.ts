// Entries that chain and are no entries otherwise: verification tells them by their number, everything else leaves them out.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import { listTrash } from "../../src/kernel/history/trash/trash.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { all } from "../../src/testing/assertions.ts";
import { type Forging, forge, opened, usedWorkspace, withDeepDetails } from "../support/forged.ts";

type Entry = Record<string, unknown>;

const changed = (entry: Entry, fields: Entry): Entry => ({
  ...entry,
  changes: (entry.changes as Entry[]).map((change) => ({ ...change, ...fields })),
});

const FORGINGS: readonly (readonly [what: string, forging: (entry: Entry) => Entry | string])[] = [
  ["a change that is null", (entry) => ({ ...entry, changes: [null] })],
  ["changes that are no list", (entry) => ({ ...entry, changes: { 0: {} } })],
  ["a change without a path", (entry) => ({ ...entry, changes: [{ from: null, to: null }] })],
  ["a path that leads up", (entry) => changed(entry, { path: "../../victim" })],
  ["an absolute path", (entry) => changed(entry, { path: "/etc/passwd" })],
  ["the root as a path", (entry) => changed(entry, { path: "" })],
  ["half a character in a path", (entry) => changed(entry, { path: "a\ud800" })],
  ["a path longer than any", (entry) => changed(entry, { path: "x/".repeat(5000).slice(0, -1) })],
  ["a path that is a number", (entry) => changed(entry, { path: 5 })],
  ["a move from above", (entry) => changed(entry, { movedFrom: "a/../../b" })],
  ["a version that is a path", (entry) => changed(entry, { from: "../../../victim.txt" })],
  ["a version that is left out", (entry) => changed(entry, { to: undefined })],
  ["a size below nothing", (entry) => changed(entry, { toSize: -1 })],
  ["a mode that is a text", (entry) => changed(entry, { toMode: "0644" })],
  ["a mode that no file has", (entry) => changed(entry, { toMode: 2 ** 40 })],
  ["a mode of a link that is almost that of links", (entry) => changed(entry, { toMode: 0o120777 })],
  ["a mode with the kind of a file", (entry) => changed(entry, { fromMode: 0o100644 })],
  ["a proof that is a list", (entry) => changed(entry, { proof: [] })],
  ["of that is a number", (entry) => ({ ...entry, of: 5 })],
  ["of with a text in it", (entry) => ({ ...entry, of: ["1"] })],
  ["of with a zero in it", (entry) => ({ ...entry, of: [0] })],
  ["details of 100,000 levels", (entry) => withDeepDetails(entry, 100_000)],
  ["details that are a list", (entry) => ({ ...entry, details: [] })],
  ["a time with an escape in it", (entry) => ({ ...entry, at: "\u001b[2J2026-01-31T12:00:00Z" })],
  ["a day that does not exist", (entry) => ({ ...entry, at: "2026-02-30T12:00:00.000Z" })],
  ["a time without its end", (entry) => ({ ...entry, at: "2026-02-20T12:00:00" })],
  ["an outcome of its own", (entry) => ({ ...entry, outcome: "approved" })],
  ["a session that is a number", (entry) => ({ ...entry, session: 5 })],
  ["an agent that is an object", (entry) => ({ ...entry, agent: {} })],
  ["a tool of a million characters", (entry) => ({ ...entry, tool: "t".repeat(1_000_000) })],
  ["a call that is null", (entry) => ({ ...entry, call: null })],
  ["a message that is a list", (entry) => ({ ...entry, message: ["x"] })],
  ["an error that is a sentence", (entry) => ({ ...entry, error: "no such thing" })],
  ["a diff that is a number", (entry) => ({ ...entry, diff: 1 })],
];

const only =
  (number: number, forging: (entry: Entry) => Entry | string): Forging =>
  (entry, seq) =>
    seq === number ? forging(entry) : entry;

describe.each(FORGINGS)("%s", (_what, forging) => {
  it("is told by verification and left out by everything else, which goes on", async () => {
    const { root, segment } = await usedWorkspace();
    forge(segment, only(3, forging));
    const workspace = opened(root);
    const session = workspace.session();
    const problems = [{ seq: 3, problem: expect.stringMatching(/^Entry 3 has a "/) }];
    expect(await workspace.verify()).toMatchObject({ ok: false, entries: 6, head: { seq: 6 }, problems });
    expect((await all(workspace.log())).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6]);
    expect((await all(workspace.log({ newestFirst: true, limit: 4 }))).map(({ seq }) => seq)).toEqual([6, 5, 4, 2]);
    expect(await workspace.backend.head("b" as Path)).toBeNull();
    expect(await workspace.backend.head("a" as Path)).toMatchObject({ seq: 4 });
    expect((await all(listTrash(workspace))).map(({ path }) => path)).toEqual(["c"]);
    expect((await session.read("b")).lines).toBe(1);
    await session.read("a");
    await writeFile(session, "a", "fourth line of a\n");
    await undo(session, { entry: 7 });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("third line of a\n");
    expect(await workspace.verify()).toMatchObject({ ok: false, entries: 8, head: { seq: 8 }, problems });
    await workspace.close();
  });

  it("is no hindrance as the last entry either", async () => {
    const { root, segment } = await usedWorkspace();
    forge(segment, only(6, forging));
    const workspace = opened(root);
    await createFile(workspace.session(), "d", "only line of d\n");
    expect((await all(workspace.log())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 7]);
    expect((await workspace.verify()).problems.map(({ seq }) => seq)).toEqual([6]);
    await workspace.close();
  });
});

describe("an entry", () => {
  it("of which something is unknown here is an entry", async () => {
    const { root, segment } = await usedWorkspace();
    forge(segment, (entry) => changed({ ...entry, later: { any: ["thing"] } }, { owner: "somebody" }));
    const workspace = opened(root);
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 6 });
    expect(await all(workspace.log())).toHaveLength(6);
    await workspace.close();
  });

  it.each<[string, (entry: Entry) => Entry | string]>([
    ["a number of another place", (entry) => ({ ...entry, seq: 3.5 })],
    ["two numbers", (entry) => JSON.stringify(entry).replace('"outcome"', '"seq":9,"outcome"')],
    ["a predecessor that is no hash", (entry) => ({ ...entry, prev: "x".repeat(64) })],
  ])("with %s is not readable as one", async (_what, forging) => {
    const { root, segment } = await usedWorkspace();
    forge(segment, only(3, forging));
    const workspace = opened(root);
    const { problems } = await workspace.verify();
    expect(problems).toContainEqual({ seq: 3, problem: "Entry 3 is not readable as an entry." });
    await workspace.close();
  });

  it("that nests or branches without end is told before it fills the memory", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ["[],", ""],
    ] as const) {
      const { root, segment } = await usedWorkspace();
      const many = (30 * 2 ** 20) / (open.length + close.length);
      forge(
        segment,
        only(3, (entry) => {
          const list = close === "" ? `[${open.repeat(many)}1]` : `${open.repeat(many)}${close.repeat(many)}`;
          return `${JSON.stringify(entry).slice(0, -1)},"details":{"a":${list}}}`;
        }),
      );
      const workspace = opened(root);
      const { problems } = await workspace.verify();
      expect(problems).toEqual([{ seq: 3, problem: expect.stringMatching(/^Entry 3 nests deeper/) }]);
      expect((await all(workspace.log())).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6]);
      await workspace.close();
    }
  });

  it("with the last number there can be is not followed by another", async () => {
    const { root, segment, state } = await usedWorkspace();
    const last = Number.MAX_SAFE_INTEGER;
    forge(segment, (entry, seq) => (seq === 6 ? { ...entry, seq: last } : entry));
    const line = readFileSync(segment, "utf8").split("\n")[5];
    writeFileSync(join(state, `journal/${last}.jsonl`), `${line}\n`);
    const workspace = opened(root);
    await expect(createFile(workspace.session(), "d", "d")).rejects.toMatchObject({ kind: "journal_damaged" });
    await workspace.close();
  });
});
