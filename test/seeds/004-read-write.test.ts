// Seed 004, read_file with and without hashes, and write_file.
import { describe, expect, it } from "vitest";
import { anchorIndex, fileVersion } from "../../src/edit/anchors/index.ts";
import { fileCheckpoints } from "../../src/surfaces/anchors/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, numbered, text } from "./004-desk.ts";

describe.each(BACKENDS)("read_file on %s", (_name, make) => {
  it("plain mode shows N, a tab and the content", async () => {
    const { done } = desk(make, { "a.txt": text("one", "  two") });
    expect((await done("read_file", { path: "a.txt" })).text).toBe("1\tone\n2\t  two");
  });

  it("hash mode shows N#HHHHHH [quality]|content, the recommended anchors, the file version and the extent", async () => {
    const before = text("const answer = 42;", "}", "use(answer);", "}");
    const { done } = desk(make, { "a.ts": before });
    const { text: said, data } = await done("read_file", { path: "a.ts", hashes: true });
    const lines = said.split("\n");
    expect(lines[0]).toBe(`1#${hash("const answer = 42;")} [high]|const answer = 42;`);
    expect(lines[1]).toBe("2#cbb184 [low]|}");
    expect(said).toContain(`\nRecommended anchors: 1#${hash("const answer = 42;")}, 3#${hash("use(answer);")}\n`);
    expect(said).toMatch(/\n\n\[file_version: fv_[0-9a-f]{8}\]\n\(4 lines total, showing 1-4, anchors enabled\)$/);
    expect(data).toMatchObject({
      lines: 4,
      shown: 4,
      hashes: true,
      file_version: fileVersion(before),
      anchor_format_version: "v3",
      recommended_anchors: [`1#${hash("const answer = 42;")}`, `3#${hash("use(answer);")}`],
      is_dirty: false,
      last_writer: null,
    });
  });

  it("offset is 0-based and limit 200 by default; the plain footer says how to go on", async () => {
    const { done } = desk(make, { "a.txt": text(...numbered(500)) });
    const first = await done("read_file", { path: "a.txt" });
    expect(first.data).toMatchObject({ lines: 500, shown: 200 });
    expect(first.text).toMatch(
      /\n200\tstatement 200;\n\n\(500 lines total, showing 1-200; continue with offset 200\)$/,
    );
    const next = await done("read_file", { path: "a.txt", offset: 200, limit: 2, hashes: true });
    expect(
      next.text
        .split("\n")
        .slice(0, 2)
        .map((line) => line.slice(0, 4)),
    ).toEqual(["201#", "202#"]);
    expect(next.text).toContain("(500 lines total, showing 201-202, anchors enabled)");
    expect((await done("read_file", { path: "a.txt", offset: 900 })).text).toBe(
      "\n(500 lines total, showing none)\n(nothing at offset 900: the file has 500 lines; use an offset between 0 and 499)",
    );
  });

  it.each([[true], [false]])("an empty file is said to be empty, without hash lines (hashes: %s)", async (hashes) => {
    const { done } = desk(make, { "a.txt": "" });
    const { text: said, data } = await done("read_file", { path: "a.txt", hashes });
    expect(said).toContain("the file is empty: 0 lines");
    expect(said).not.toContain("1#");
    expect(data).toMatchObject({ lines: 0, shown: 0 });
  });

  it("above the largest file it is too_large, at it it is read", async () => {
    const limit = 1000;
    const files = { "fits.txt": "x".repeat(limit), "large.txt": "x".repeat(limit + 1) };
    const { done, refused } = desk(make, files, { policy: { maxFileBytes: limit } });
    const failure = await refused("read_file", { path: "large.txt", hashes: true });
    expect(failure).toMatchObject({
      kind: "file_too_large",
      details: { error: "too_large", size: limit + 1, maxBytes: limit },
    });
    expect((await done("read_file", { path: "fits.txt" })).data.lines).toBe(1);
  });

  it("a missing file is not_found, check_path", async () => {
    const failure = await desk(make, {}).refused("read_file", { path: "none.txt" });
    expect(failure).toMatchObject({
      kind: "not_found",
      details: { error: "not_found", suggested_action: "check_path" },
    });
    expect(failure.text).toMatch(/^Nothing was read\. /);
  });

  it("last_writer is the tool of the journal, is_dirty an open checkpoint of this file", async () => {
    const { done, session } = desk(make, { "a.txt": text("one", "two"), "a.txt2": text("x") });
    await done("write_file", { path: "a.txt", content: text("one", "three") });
    await fileCheckpoints(session).save("a.txt");
    expect((await done("read_file", { path: "a.txt" })).data).toMatchObject({
      last_writer: "write_file",
      is_dirty: true,
    });
    expect((await done("read_file", { path: "a.txt2" })).data).toMatchObject({ last_writer: null, is_dirty: false });
    await done("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: hash("one") }] });
    await fileCheckpoints(session).commit("a.txt");
    expect((await done("read_file", { path: "a.txt" })).data).toMatchObject({ last_writer: "edit", is_dirty: false });
  });

  it("bytes that are no text are shown escaped, and the lines around them can be edited", async () => {
    const before = Buffer.from("first line\ncaf\xe9 \xff\xfe broken\nlast line\n", "latin1");
    const { done, workspace } = desk(make, { "a.txt": before });
    const { text: said } = await done("read_file", { path: "a.txt", hashes: true });
    expect(said).not.toMatch(/\uFFFD/);
    await done("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: hash("last line"), content: "the end" }],
    });
    const after = await workspace.backend.read("a.txt" as never);
    expect(Buffer.concat(after!.parts)).toEqual(
      Buffer.from("first line\ncaf\xe9 \xff\xfe broken\nthe end\n", "latin1"),
    );
  });

  it("reads in a read-only workspace, where the other tools are not offered", async () => {
    const { done, refused } = desk(make, { "a.txt": text("one") }, { policy: { readOnly: true } });
    expect((await done("read_file", { path: "a.txt", hashes: true })).data).toMatchObject({
      is_dirty: false,
      last_writer: null,
    });
    expect((await refused("edit", { path: "a.txt", operations: [] })).message).toContain("the workspace is read-only");
  });
});

describe.each(BACKENDS)("write_file on %s", (_name, make) => {
  const lines = [...numbered(59), "x".repeat(100)];

  it("replaces the file, invalidates its anchors and gives the new ones: 10 with previews, 50 in all", async () => {
    const { done, content } = desk(make, { "a.txt": "old\n" });
    await done("read_file", { path: "a.txt", hashes: true });
    const { data, text: said } = await done("write_file", { path: "a.txt", content: text(...lines) });
    const index = anchorIndex((await content("a.txt"))!);
    expect(data).toMatchObject({
      anchors_invalidated: true,
      created: false,
      lines: 60,
      file_version: index.fileVersion,
      writer_type: "write_file",
    });
    expect(data.preview_anchors).toEqual(
      lines.slice(0, 10).map((line, n) => ({ line: n + 1, hash: hash(line), content_preview: line })),
    );
    expect(data.anchors).toEqual(index.lines.slice(0, 50).map((line) => index.anchor(line.number)));
    expect(said).toContain("Anchors read before are invalid.");
    expect(said).toContain(`New file version: ${index.fileVersion}`);
  });

  it("previews are cut at 60 characters", async () => {
    const { data } = await desk(make, {}).done("write_file", { path: "a.txt", content: text("x".repeat(100)) });
    expect((data.preview_anchors as { content_preview: string }[])[0]?.content_preview).toBe(`${"x".repeat(59)}…`);
  });

  it("creates a file and its directories", async () => {
    const { done, content } = desk(make, {});
    const { data, text: said, warnings } = await done("write_file", { path: "deep/er/a.txt", content: "one\n" });
    expect(data).toMatchObject({ created: true, lines: 1, bytes: 4, baseline_continuity: "clean" });
    expect(said).toMatch(/^Created deep\/er\/a\.txt: 1 line, 4 bytes\./);
    expect(warnings).toEqual([]);
    expect(await content("deep/er/a.txt")).toBe("one\n");
  });

  it("expected_file_version is checked if it is passed: write_conflict with the repair", async () => {
    const { done, refused, other, content } = desk(make, { "a.txt": text("one", "two") });
    const { data } = await done("read_file", { path: "a.txt" });
    await other("a.txt", text("one", "theirs"));
    const failure = await refused("write_file", {
      path: "a.txt",
      content: "mine\n",
      expected_file_version: data.file_version,
    });
    expect(failure.kind).toBe("stale_file");
    expect(failure.details).toMatchObject({
      error: "write_conflict",
      suggested_action: "re-read_file",
      expected_file_version: data.file_version,
      file_version: fileVersion(text("one", "theirs")),
      changedBy: { session: "theirs", tool: "shell" },
    });
    expect(failure.text).toMatch(/^Write rejected, file unchanged\. .*Read the file again/s);
    expect(failure.text).toContain("+theirs");
    expect(await content("a.txt")).toBe(text("one", "theirs"));
  });

  it("the right expected_file_version is accepted; one for a file that is gone is not_found", async () => {
    const { done, refused } = desk(make, { "a.txt": text("one") });
    await done("write_file", { path: "a.txt", content: "two\n", expected_file_version: fileVersion(text("one")) });
    const failure = await refused("write_file", {
      path: "b.txt",
      content: "x",
      expected_file_version: fileVersion(""),
    });
    expect(failure).toMatchObject({ kind: "not_found", details: { suggested_action: "check_path" } });
  });

  it.each([
    ["never read", undefined, "without having been read"],
    ["read in part", { offset: 0, limit: 2 }, "lines 3-5 were never shown"],
    ["read as a whole", {}, undefined],
  ])("an overwrite of a file %s is allowed, and said where something was not seen", async (_what, read, says) => {
    const { done } = desk(make, { "a.txt": text(...numbered(5)) });
    if (read !== undefined) await done("read_file", { path: "a.txt", ...read });
    const { warnings } = await done("write_file", { path: "a.txt", content: "x\n" });
    if (says === undefined) expect(warnings).toEqual([]);
    else expect(warnings.join()).toContain(says);
  });

  it("strict refuses to overwrite what was not read", async () => {
    const { refused, content } = desk(make, { "a.txt": "one\n" }, { strict: true });
    expect((await refused("write_file", { path: "a.txt", content: "x" })).kind).toBe("unread_file");
    expect(await content("a.txt")).toBe("one\n");
  });

  it("keeps the line ends and the byte order mark of the file, and the version it names is the one that is read next", async () => {
    const { done, content } = desk(make, { "a.txt": "\uFEFFone\r\ntwo\r\n" });
    const { data } = await done("write_file", { path: "a.txt", content: "1\n2\n" });
    expect(await content("a.txt")).toBe("\uFEFF1\r\n2\r\n");
    expect((await done("read_file", { path: "a.txt" })).data.file_version).toBe(data.file_version);
  });

  it("the same text again changes nothing", async () => {
    const { done, workspace } = desk(make, { "a.txt": "one\n" });
    expect((await done("write_file", { path: "a.txt", content: "one\n" })).data.anchors_invalidated).toBe(false);
    expect(await all(workspace.log())).toEqual([]);
  });

  it("where only create is allowed an existing file is not overwritten", async () => {
    const { done, refused } = desk(make, { "a.txt": "one\n" }, { policy: { allowedActions: ["read", "create"] } });
    expect((await refused("write_file", { path: "a.txt", content: "x" })).kind).toBe("permission_denied");
    await done("write_file", { path: "b.txt", content: "x" });
  });
});
