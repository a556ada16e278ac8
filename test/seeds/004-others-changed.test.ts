// Seed 004: "the file is modified externally … the edit SHALL be rejected with error anchor_stale", and what the refusal gives.
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, numbered, text } from "./004-desk.ts";

const LINES = numbered(30);
const replace = (line: string, content: string, more = {}) => ({
  path: "a.txt",
  operations: [{ op: "replace_line", hash: hash(line), content, ...more }],
});

describe.each(BACKENDS)("a file that was read and then changed by others, on %s", (name, make) => {
  async function changed(theirs: readonly string[], options = {}) {
    const made = desk(make, { "a.txt": text(...LINES) }, options);
    await made.done("read_file", { path: "a.txt", hashes: true });
    if (name === "disk") made.outside("a.txt", text(...theirs));
    else await made.other("a.txt", text(...theirs));
    return made;
  }
  const THEIRS = ["theirs", ...LINES];

  it("WHEN every hash still resolves THEN the edit is rejected all the same with anchor_stale, re-read_file, and the file stays", async () => {
    const { refused, content } = await changed(THEIRS);
    const failure = await refused("edit", replace(LINES[19]!, "mine"));
    expect(failure.details).toMatchObject({ error: "anchor_stale", suggested_action: "re-read_file" });
    expect(failure.text).toContain("The file has changed since these anchors were read.");
    expect(await content("a.txt")).toBe(text(...THEIRS));
  });

  it("the refusal shows the diff, and fresh anchors around the targets by which the next call is right without a read", async () => {
    const { refused, done, content } = await changed(THEIRS);
    const failure = await refused("edit", replace(LINES[19]!, "mine", { line: 20 }));
    expect(failure.text).toContain("+theirs");
    const shown = /^(\d+#[0-9a-f]{6}) \[high\]\|statement 20;$/m.exec(failure.text);
    expect(shown?.[1]).toBe(`21#${hash(LINES[19]!)}`);
    const { data } = await done("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: shown![1], content: "mine" }],
    });
    expect(data.cross_version).toBeUndefined();
    expect(await content("a.txt")).toBe(text("theirs", ...LINES.with(19, "mine")));
  });

  it("a changed target is shown as it is now", async () => {
    const { refused, done, content } = await changed(LINES.with(4, "rewritten by others"));
    const failure = await refused("edit", replace(LINES[4]!, "mine"));
    expect(failure.text).toContain(`5#${hash("rewritten by others")} [high]|rewritten by others`);
    await done("edit", replace("rewritten by others", "mine"));
    expect(await content("a.txt")).toBe(text(...LINES.with(4, "mine")));
  });

  it("a hash that others made ambiguous is anchor_stale too", async () => {
    const { refused } = await changed([...LINES, LINES[4]!]);
    expect((await refused("edit", replace(LINES[4]!, "mine"))).kind).toBe("anchor_stale");
  });

  it("a number of a line that the refusal did not show is not trusted afterwards", async () => {
    const twins = ["same", ...numbered(20), "same", ...numbered(45).slice(20)];
    const made = desk(make, { "a.txt": text(...twins) });
    await made.done("read_file", { path: "a.txt", hashes: true });
    await made.other("a.txt", text("same", ...twins));
    await made.refused("edit", replace("statement 40;", "x"));
    const failure = await made.refused("edit", replace("same", "x", { line: 1 }));
    expect(failure.kind).toBe("anchor_stale");
  });

  it("a file that others emptied can be filled by the next call", async () => {
    const { refused, done, content } = await changed([]);
    expect((await refused("edit", replace(LINES[4]!, "mine"))).text).toContain("d41d8c");
    await done("edit", { path: "a.txt", operations: [{ op: "insert_after", hash: "d41d8c", content: "new" }] });
    expect(await content("a.txt")).toBe(text("new"));
  });

  it("onStale rebase applies where every anchor resolves uniquely, and says cross_version", async () => {
    const { done, content } = await changed(THEIRS, { onStale: "rebase" });
    const { data } = await done("edit", replace(LINES[19]!, "mine"));
    expect(data.cross_version).toBe(true);
    expect(await content("a.txt")).toBe(text("theirs", ...LINES.with(19, "mine")));
  });

  it("expected_file_version of the file as it is now goes ahead", async () => {
    const { done, workspace } = await changed(THEIRS);
    const { data } = await done("read_file", { path: "a.txt" }, workspace.session({ id: "looks" }));
    await done("edit", { ...replace(LINES[19]!, "mine"), expected_file_version: data.file_version });
  });

  it("the session's own changes are not others': edits in a row, and what it took back itself", async () => {
    const { done, session, content } = desk(make, { "a.txt": text(...LINES) });
    await done("read_file", { path: "a.txt", hashes: true });
    await done("edit", replace(LINES[2]!, "mine"));
    await undo(session, { path: "a.txt" as Path });
    await done("edit", replace(LINES[8]!, "ours"));
    expect(await content("a.txt")).toBe(text(...LINES.with(8, "ours")));
  });

  it("a file that was never read in this session: the hashes decide", async () => {
    const { done, other, content } = desk(make, { "a.txt": text(...LINES) });
    await other("a.txt", text(...THEIRS));
    await done("edit", replace(LINES[19]!, "mine"));
    expect(await content("a.txt")).toBe(text("theirs", ...LINES.with(19, "mine")));
  });
});
