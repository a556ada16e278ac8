// Seed 004: numbers, occurrences and hashes that were shown before the file changed, by oneself or by others.

import type { Path, Workspace } from "stet";
import { anchors } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";
import { hash, numbered, text } from "./004-lines.ts";

const entry = (name: string) => [`[${name}]`, `name = ${name}`, "enabled = yes"];
const NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
const LINES = NAMES.flatMap(entry);
const YES = hash("enabled = yes");
const first = { op: "insert_before", hash: hash("[alpha]"), content: text(...entry("first")) };
const no = (anchor: object) => ({ op: "replace_line", content: "enabled = no", ...anchor });

describe("a line number from before the session's own edits", () => {
  async function reading(input: object = {}, before = text(...LINES)) {
    const made = agentWith(anchors, { "a.ini": before });
    await made.done("read_file", { path: "a.ini", hashes: true, ...input });
    const edit = (...operations: object[]) => made.done("edit", { path: "a.ini", operations, safety_check: "off" });
    const refusal = (...operations: object[]) => made.refused("edit", { path: "a.ini", operations });
    const lines = async () => (await made.content("a.ini"))!.trimEnd().split("\n");
    return { ...made, edit, refusal, lines };
  }

  it("above that edit, and after edits that move nothing, it counts", async () => {
    const { edit, lines } = await reading();
    await edit({ op: "replace_line", hash: hash("name = alpha"), content: "name = a" });
    await edit({ op: "insert_before", hash: hash("[gamma]"), content: "# new" });
    await edit(no({ hash: `6#${YES}` }));
    await edit(no({ hash: `3#${YES}` }));
    expect((await lines()).flatMap((line, at) => (line === "enabled = no" ? at + 1 : []))).toEqual([3, 6]);
  });

  it("the answer to an edit gives a repeated line its context hash, and says from where numbers are stale", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    const { data } = await edit({ op: "replace_line", hash: hash("name = beta"), content: "name = b" });
    expect(data).toMatchObject({ anchors_valid_through: 0, must_refresh_from_line: 1 });
    const shown = (data.diff_preview as string[]).find((line) => line.startsWith(" 9#"))!;
    await edit(no({ hash: /ctx=(\w+)/.exec(shown)![1]! }));
    expect((await lines())[8]).toBe("enabled = no");
  });

  it("a line that is gone is never taken for its twin, however often the call is made", async () => {
    const twins = text("foo", "a", "b", "x", "foo", "y", "z");
    const foo = hash("foo");
    for (const call of [
      { op: "replace_line", hash: `5#${foo}`, content: "bar" },
      { op: "replace_range", start_hash: `5#${foo}`, end_hash: hash("y"), content: text("bar", "y") },
      { op: "delete_line", hash: `5#${foo}` },
    ]) {
      const { edit, refusal, content } = await reading({}, twins);
      await edit(call);
      const after = await content("a.ini");
      for (const again of [1, 2]) expect((await refusal(call)).kind, `${call.op} ${again}`).toBe("anchor_stale");
      expect(await content("a.ini")).toBe(after);
    }
  });

  it("nor where others took it away", async () => {
    const foo = hash("foo");
    const { refusal, theyWrite, content } = await reading({}, text("foo", "a", "b", "x", "foo", "y", "z"));
    const after = text("foo", "a", "b", "x", "y", "z");
    await theyWrite("a.ini", after);
    const range = { op: "delete_range", start_hash: `5#${foo}`, end_hash: hash("y") };
    const failure = await refusal(range);
    expect(failure.text).toContain("The file has changed since these anchors were read");
    const fresh = (failure.details.fresh_anchors as string[]).join();
    expect(fresh).toContain(`4#${hash("x")}`);
    expect(fresh).not.toContain(`1#${foo}`);
    expect((await refusal(range)).kind).toBe("anchor_stale");
    expect(await content("a.ini")).toBe(after);
  });

  it("a hash alone means no line that was never shown, and none of several that were", async () => {
    const foo = { op: "delete_line", hash: hash("foo") };
    const { edit, refusal } = await reading({ offset: 3, limit: 3 }, text("foo", "a", "b", "x", "foo", "y", "z"));
    await edit(foo);
    expect((await refusal(foo)).kind).toBe("anchor_stale");
    const both = await reading({}, text("a", "foo", "b", "c", "d", "e", "foo", "g"));
    await both.theyWrite("a.ini", text("a", "foo", "b", "c", "D", "e", "foo", "g"));
    await both.done("read_file", { path: "a.ini", hashes: true, offset: 4, limit: 4 });
    expect((await both.refusal(foo)).kind).toBe("anchor_ambiguous");
  });

  it("one that was never shown is refused, although a line with this hash has it now", async () => {
    const { edit, refusal } = await reading({ limit: 7 });
    await edit(first);
    for (const line of [12, 15, 18]) expect((await refusal(no({ hash: `${line}#${YES}` }))).kind).toBe("anchor_stale");
  });

  it("the version that the caller names makes no current number of it", async () => {
    const { edit, refused } = await reading();
    const { data } = await edit(first);
    const named = { path: "a.ini", operations: [no({ hash: `9#${YES}` })], expected_file_version: data.file_version };
    expect((await refused("edit", named)).kind).toBe("anchor_stale");
  });

  it("a whole new text ends it, and gives those that it shows", async () => {
    const { edit, refusal, done, lines } = await reading();
    await done("write_file", { path: "a.ini", content: text(...entry("first"), ...LINES) });
    expect((await refusal(no({ hash: `12#${YES}` }))).kind).toBe("anchor_stale");
    await edit(no({ hash: `9#${YES}` }));
    expect((await lines())[8]).toBe("enabled = no");
  });

  it("a hash that one line has needs no number, and an old one does no harm", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    await edit({ op: "replace_line", hash: `8#${hash("name = gamma")}`, content: "name = c" });
    await edit({ op: "replace_line", hash: hash("name = delta"), content: "name = d" });
    expect((await lines()).filter((line) => line.length === 8)).toEqual(["name = c", "name = d"]);
  });
});

const X = hash("x");
const off = { safety_check: "off" };

describe("a twin of the line that an anchor was shown for is left alone", () => {
  async function reading(lines: string[], options = {}, input = {}) {
    const made = agentWith(anchors, { a: text(...lines) }, options);
    const { data } = await made.done("read_file", { path: "a", hashes: true, ...input });
    const edit = (op: object, more = {}) => made.done("edit", { path: "a", operations: [op], ...off, ...more });
    const kind = async (op: object, more = {}) =>
      (await made.refused("edit", { path: "a", operations: [op], ...off, ...more })).kind;
    return { ...made, edit, kind, version: data.file_version };
  }

  it("an occurrence that an edit has used up, moving no line", async () => {
    const { edit, kind } = await reading(["x", "a", "x"]);
    const call = { op: "replace_line", hash: X, occurrence: 1, content: "y" };
    await edit(call);
    expect(await kind(call)).toBe("anchor_stale");
  });

  it("an occurrence, where a read of some lines did not show those above", async () => {
    const { done, edit, kind } = await reading(["x", "a", "x"]);
    const call = { op: "insert_before", hash: X, occurrence: 2, content: "x\nnew" };
    await edit(call);
    await done("read_file", { path: "a", hashes: true, offset: 2 });
    expect(await kind(call)).toBe("anchor_stale");
    await edit({ ...call, hash: `3#${X}`, content: "more" });
  });

  it("a hash whose line is gone, when the session has written such a line since", async () => {
    const { edit, kind } = await reading(["a", "x", "b", "c", "d", "e", "f", "g", "h", "x"], {}, { limit: 3 });
    const call = { op: "delete_line", hash: X };
    await edit(call);
    await edit({ op: "insert_after", hash: hash("b"), content: "x" });
    expect(await kind(call)).toBe("anchor_ambiguous");
  });

  it("own edits, then an undo or others: what was read counts, not what was left in between", async () => {
    const undone = await reading(["a", "x", "b", "x", "c"]);
    await undone.edit({ op: "delete_line", hash: `2#${X}` });
    await undone.session.undo({ entry: await newest(undone.workspace) });
    expect(await undone.kind({ op: "delete_line", hash: X })).toBe("anchor_stale");
    expect(await undone.kind({ op: "delete_line", hash: X })).toBe("anchor_ambiguous");

    const { edit, kind, theyWrite, content } = await reading(["x", "a", "x", "b"], { onStale: "rebase" });
    const call = { op: "delete_line", hash: `3#${X}` };
    await edit(call);
    await edit({ op: "insert_before", hash: `1#${X}`, content: "n1\nn2" });
    await theyWrite("a", `${await content("a")}end\n`);
    expect(await kind(call)).toBe("anchor_stale");
  });

  it("nor does a version that is named make it the one: the current one, or one older than was read last", async () => {
    const { theyWrite, kind, done } = await reading(["x", "a", "x", "b"]);
    await theyWrite("a", text("x", "a", "q", "b"));
    const plain = await agentWith(anchors, { b: text("x", "a", "q", "b") }).done("read_file", { path: "b" });
    const named = { expected_file_version: plain.data.file_version };
    expect(await kind({ op: "delete_line", hash: X }, named)).toBe("anchor_stale");
    await done("read_file", { path: "a", hashes: true });

    const old = await reading(["x", "a", "x", "b"]);
    await old.edit({ op: "replace_line", hash: hash("a"), content: "A" });
    await old.done("read_file", { path: "a", hashes: true });
    await old.edit({ op: "delete_line", hash: `3#${X}` });
    const older = { expected_file_version: old.version };
    expect(await old.kind({ op: "delete_line", hash: X }, older)).toBe("stale_file");
  });

  it("nor does a move of the file", async () => {
    const { edit, session, refused } = await reading(["a", "x", "b", "x"], {}, { limit: 3 });
    await edit({ op: "delete_range", start_hash: `2#${X}`, end_hash: hash("b") });
    await session.move("a", "c");
    const call = { path: "c", operations: [{ op: "delete_line", hash: `2#${X}` }] };
    expect((await refused("edit", call)).kind).toBe("anchor_stale");
  });

  it("a refusal about lines of another version, or about none, is a refusal", async () => {
    const emptied = await reading(["x", "a"]);
    await emptied.theyWrite("a", "");
    const range = { op: "delete_range", start_hash: `1#${X}`, end_hash: `1#${X}` };
    expect(await emptied.kind(range)).toBe("anchor_stale");

    const shorter = await reading(["a", "x"]);
    await shorter.edit({ op: "insert_after", hash: `1#${hash("a")}`, content: "b\nc\nd" });
    await shorter.session.undo({ entry: await newest(shorter.workspace) });
    expect(await shorter.kind({ op: "delete_line", hash: `3#${X}` })).toBe("anchor_stale");
  });
});

it("lines that the first page does not show are named with the read that shows them", async () => {
  const { done, refused, content } = agentWith(anchors, { "a.txt": text("x".repeat(300_000), "one", "two", "three") });
  await done("read_file", { path: "a.txt", hashes: true });
  const edit = { path: "a.txt", operations: [{ op: "delete_line", hash: hash("two") }] };
  const said = (await refused("edit", edit)).suggestedAction!;
  const [offset, limit] = said.match(/\d+(?=, )/g)!.map(Number);
  await done("read_file", { path: "a.txt", hashes: true, offset, limit });
  await done("edit", edit);
  expect((await content("a.txt"))?.slice(300_000)).toBe(text("", "one", "three"));
});

it("of a range all lines that were not shown are to be read, however many", async () => {
  const { done, refused } = agentWith(anchors, { "a.txt": text(...numbered(800)) });
  await done("read_file", { path: "a.txt", hashes: true });
  const range = { op: "delete_range", start_hash: hash("statement 791;"), end_hash: hash("statement 17;") };
  const edit = { path: "a.txt", operations: [range] };
  expect((await refused("edit", edit)).suggestedAction).toContain("hashes true, offset 17, limit 774,");
  await done("read_file", { path: "a.txt", hashes: true, offset: 17, limit: 774 });
  expect((await done("edit", edit)).data.auto_corrections?.[0]?.type).toBe("range_order_swapped");
});

it("a range that is wrong at both ends is repaired at both, or read again", async () => {
  const { done, refused } = agentWith(anchors, { "a.txt": text("x", "a", "x", "b", "y", "c", "y", "d") });
  await done("read_file", { path: "a.txt", hashes: true });
  const range = (start_hash: string, end_hash: string) => ({
    path: "a.txt",
    operations: [{ op: "delete_range", start_hash, end_hash }],
  });
  const both = (await refused("edit", range(hash("x"), hash("y")))).suggestedAction;
  for (const end of ["start_hash", "end_hash"]) expect(both).toContain(`as "${end}": "N#`);
  const one = (await refused("edit", range(hash("x"), `${hash("c").slice(0, 5)}x`.replace(/x$/, "0")))).suggestedAction;
  expect(one).toBe("Read lines 1-3 with read_file, hashes true, offset 0, limit 3, and use the new anchors.");
});

async function newest(workspace: Workspace): Promise<number> {
  for await (const { seq } of workspace.backend.log({ newestFirst: true, limit: 1 })) return seq;
  throw new Error("no entry");
}

const STATEMENTS = numbered(30);
const replace = (line: string, content: string, more = {}) => ({
  path: "a.txt",
  operations: [{ op: "replace_line", hash: hash(line), content, ...more }],
});

describe("a file that was read and then changed by others", () => {
  async function changed(theirs: readonly string[], options = {}) {
    const made = agentWith(anchors, { "a.txt": text(...STATEMENTS) }, options);
    await made.done("read_file", { path: "a.txt", hashes: true });
    await made.theyWrite("a.txt", text(...theirs));
    return made;
  }
  const THEIRS = ["theirs", ...STATEMENTS];

  it("a hash that others made ambiguous is anchor_stale too", async () => {
    const { refused } = await changed([...STATEMENTS, STATEMENTS[4]!]);
    expect((await refused("edit", replace(STATEMENTS[4]!, "mine"))).kind).toBe("anchor_stale");
  });

  it("a number of a line that the refusal did not show is not trusted afterwards", async () => {
    const twins = ["same", ...numbered(20), "same", ...numbered(45).slice(20)];
    const made = agentWith(anchors, { "a.txt": text(...twins) });
    await made.done("read_file", { path: "a.txt", hashes: true });
    await made.theyWrite("a.txt", text("same", ...twins));
    await made.refused("edit", replace("statement 40;", "x"));
    const failure = await made.refused("edit", replace("same", "x", { line: 1 }));
    expect(failure.kind).toBe("anchor_stale");
  });

  it("a file that others emptied can be filled by the next call", async () => {
    const { refused, done, content } = await changed([]);
    expect((await refused("edit", replace(STATEMENTS[4]!, "mine"))).text).toContain("d41d8c");
    await done("edit", { path: "a.txt", operations: [{ op: "insert_after", hash: "d41d8c", content: "new" }] });
    expect(await content("a.txt")).toBe(text("new"));
  });

  it("expected_file_version of a version that it was not shown does not go ahead", async () => {
    const { done, refused, another } = await changed(THEIRS);
    const { data } = await another("looks").done("read_file", { path: "a.txt" });
    const named = { ...replace(STATEMENTS[19]!, "mine"), expected_file_version: data.file_version };
    expect((await refused("edit", named)).kind).toBe("anchor_stale");
    await done("edit", named);
  });

  it("the session's own edits are not others' changes; what its host took back is told first", async () => {
    const { done, refused, session, content } = agentWith(anchors, { "a.txt": text(...STATEMENTS) });
    await done("read_file", { path: "a.txt", hashes: true });
    await done("edit", replace(STATEMENTS[2]!, "mine"));
    await done("edit", replace(STATEMENTS[3]!, "more"));
    await session.undo({ path: "a.txt" as Path });
    expect((await refused("edit", replace(STATEMENTS[8]!, "ours"))).text).toContain("-more");
    await done("edit", replace(STATEMENTS[8]!, "ours"));
    expect(await content("a.txt")).toBe(text(...STATEMENTS.with(8, "ours")));
  });
});
