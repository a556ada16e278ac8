// Seed 000: create_file, write_file, edit_file.
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../src/core/version.ts";
import { path as pathOf } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { type Desk, deskOn } from "./000-calls.ts";

const bytesAt = async (desk: Desk, path: string) =>
  Buffer.from(bytesOf((await desk.workspace.backend.read(pathOf(path)))!));

describe.each(BACKENDS)("seed 000: create_file on %s", (_name, make) => {
  it("creates a file with the content as it is", async () => {
    const desk = deskOn(make({}));
    const content = "\ufeffa\r\nb\n\n";
    const { data, text } = await desk.ok("create_file", { path: "a.txt", content });
    expect(data).toMatchObject({ created: true, path: "a.txt", sizeBytes: 9, sha256: await desk.sha("a.txt") });
    expect(data.diff).toContain("--- /dev/null\n+++ b/a.txt\n");
    expect(text).toBe(`Created a.txt — 9 bytes, sha256=${data.sha256}`);
    expect(await bytesAt(desk, "a.txt")).toEqual(Buffer.from(content));
  });

  it("fails if the file exists", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const refused = await desk.no("create_file", { path: "a", content: "2\n" });
    expect(refused.kind).toBe("already_exists");
    expect(refused.text.startsWith("Create rejected, nothing written. a already exists.")).toBe(true);
    expect(await desk.textAt("a")).toBe("1\n");
  });

  it("a path that ends in a slash is no file: nothing is made, and the advice is about the path", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    expect((await desk.no("create_file", { path: "new/", content: "1" })).kind).toBe("not_found");
    expect((await desk.ok("list_directory", {})).data.entries.map(({ name }) => name)).toEqual(["a"]);
    const refused = await desk.no("read_file", { path: "a/" });
    expect(refused.suggestedAction).toMatch(/without a slash at the end/);
    expect((await desk.no("list_directory", { path: "a" })).suggestedAction).toBe("Use read_file for a file.");
  });

  it("makes parent directories only when asked, under either name", async () => {
    const desk = deskOn(make({}));
    const refused = await desk.no("create_file", { path: "x/y/a", content: "1" });
    expect(refused.kind).toBe("not_found");
    expect(refused.suggestedAction).toContain("createParentDirectories");
    await desk.ok("create_file", { path: "x/y/a", content: "1", createParentDirectories: true });
    await desk.ok("create_file", { path: "u/v/a", content: "1", createParents: true });
    expect(await desk.textAt("u/v/a")).toBe("1");
  });
});

describe.each(BACKENDS)("seed 000: write_file on %s", (_name, make) => {
  it("says that a byte order mark came in with the content", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const given = { path: "a", content: "\ufeff2\n", expectedSha256: await desk.sha("a") };
    expect((await desk.ok("write_file", given)).warnings).toEqual(["a had no byte order mark and has one now."]);
    const again = { path: "a", content: "\ufeff3\n", expectedSha256: await desk.sha("a") };
    expect((await desk.ok("write_file", again)).warnings).toEqual([]);
  });

  it("overwrites and tells both versions", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const before = await desk.sha("a");
    const { data, text } = await desk.ok("write_file", { path: "a", content: "2\n3\n", expectedSha256: before });
    expect(data).toMatchObject({ path: "a", beforeSha256: before, afterSha256: await desk.sha("a"), sizeBytes: 4 });
    expect(data.diff).toContain("-1\n+2\n+3\n");
    expect(text).toContain(`sha256=${data.afterSha256}`);
  });

  it("the same content again is no change", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const { text } = await desk.ok("write_file", { path: "a", content: "1\n", expectedSha256: await desk.sha("a") });
    expect(text).toMatch(/^No change/);
  });

  it.each([
    ["CRLF", "\ufeffa\r\nb\r\n", "x\ny\n", "\ufeffx\r\ny\r\n"],
    ["LF", "a\nb\n", "x\n", "x\n"],
    ["a final newline that was not there", "a", "x\n", "x\n"],
  ])("keeps the style of the file: %s", async (_what, before, content, after) => {
    const desk = deskOn(make({ a: before }));
    await desk.ok("write_file", { path: "a", content, expectedSha256: await desk.sha("a") });
    expect((await bytesAt(desk, "a")).toString()).toBe(after);
  });

  it("says so when line endings are kept", async () => {
    const desk = deskOn(make({ a: "1\r\n2\n", b: "1\r\n2\r\n" }));
    const { warnings } = await desk.ok("write_file", {
      path: "a",
      content: "3\n4\n",
      expectedSha256: await desk.sha("a"),
    });
    expect(warnings).toEqual(["a: each line kept its own line ending, CRLF or LF."]);
    expect((await bytesAt(desk, "a")).toString()).toBe("3\r\n4\n");
    expect(
      (await desk.ok("write_file", { path: "b", content: "3\n", expectedSha256: await desk.sha("b") })).warnings,
    ).toEqual(["b: line endings kept as CRLF."]);
  });

  it("what read_file showed can be written back without a change of bytes", async () => {
    const bytes = Buffer.from("\ufeffeins\r\nzwei\r\n", "utf16le");
    const desk = deskOn(make({ a: bytes }));
    const { data } = await desk.ok("read_file", { path: "a" });
    await desk.ok("write_file", { path: "a", content: data.content, expectedSha256: data.sha256 });
    expect(await bytesAt(desk, "a")).toEqual(bytes);
  });

  it.each([
    ["never read", undefined, "1-6"],
    ["read in part", { startLine: 2, endLine: 3 }, "1, 4-6"],
  ])("says what of a file %s is overwritten; the edit of a line does not", async (_what, range, lines) => {
    const desk = deskOn(make({ a: "1\n2\n3\n4\n5\n6\n" }));
    const expectedSha256 = await desk.colleague("reader").sha("a");
    if (range !== undefined) await desk.ok("read_file", { path: "a", ...range });
    const edits = [{ oldText: "2", newText: "two" }];
    const edited = await desk.ok("edit_file", { path: "a", edits, expectedSha256 });
    expect(edited.warnings).toEqual([]);
    const back = { path: "a", edits: [{ oldText: "two", newText: "2" }], expectedSha256: edited.data.afterSha256 };
    await desk.ok("edit_file", back);
    const { warnings } = await desk.ok("write_file", { path: "a", content: "x\n", expectedSha256 });
    expect(warnings).toEqual([
      `a was overwritten as a whole although its lines ${lines} were never shown to this session.`,
    ]);
    const again = { path: "a", content: "y\n", expectedSha256: await desk.colleague("reader").sha("a") };
    expect((await desk.ok("write_file", again)).warnings).toEqual([]);
  });

  it.each([
    ["a missing file, and names create_file", { path: "nope" }, "not_found"],
    ["a binary file", { path: "bin" }, "binary_file"],
    ["a sha256 in capitals", { path: "a", expectedSha256: "A".repeat(64) }, "command_failed"],
    ["a sha256 that is too short", { path: "a", expectedSha256: "abc" }, "command_failed"],
    ["no sha256", { path: "a", expectedSha256: undefined }, "command_failed"],
  ])("refuses %s", async (_what, input, kind) => {
    const desk = deskOn(make({ a: "1\n", bin: Uint8Array.of(1, 0, 2) }));
    const call = { content: "2\n", expectedSha256: await desk.sha(input.path === "bin" ? "bin" : "a"), ...input };
    const refused = await desk.no("write_file", call);
    expect(refused.kind).toBe(kind);
    if (kind === "not_found") expect(refused.suggestedAction).toContain("create_file");
    expect(await desk.textAt("a")).toBe("1\n");
  });
});

describe.each(BACKENDS)("seed 000: edit_file on %s", (_name, make) => {
  const TEXT = "alpha\nbeta\ngamma\nbeta gamma\n";
  const editing = async (text: string, edits: unknown) => {
    const desk = deskOn(make({ a: text }));
    const input = { path: "a", edits, expectedSha256: await desk.sha("a") };
    return { desk, ok: () => desk.ok("edit_file", input), no: () => desk.no("edit_file", input) };
  };

  it("replaces exact text and says how often and where", async () => {
    const { desk, ok } = await editing(TEXT, [{ oldText: "alpha", newText: "ALPHA" }]);
    const { data, text } = await ok();
    expect(data.appliedEdits).toEqual([{ editIndex: 0, occurrences: 1 }]);
    expect(data.diff).toContain("-alpha\n+ALPHA\n");
    expect(text).toContain(`Edited a — 1 replacement, ${TEXT.length} bytes, sha256=${data.afterSha256}\n--- a/a\n`);
    expect(await desk.textAt("a")).toBe(TEXT.replace("alpha", "ALPHA"));
  });

  it("matches all edits on the original text", async () => {
    const edits = [
      { oldText: "alpha", newText: "beta\ngamma\nbeta" },
      { oldText: "gamma\nbeta gamma", newText: "delta" },
    ];
    const { desk, ok } = await editing(TEXT, edits);
    await ok();
    expect(await desk.textAt("a")).toBe("beta\ngamma\nbeta\nbeta\ndelta\n");
  });

  it.each([
    ["expectedOccurrences", { expectedOccurrences: 2 }],
    ["replaceAll", { replaceAll: true }],
  ])("several places with %s", async (_what, how) => {
    const { desk, ok } = await editing(TEXT, [{ oldText: "beta", newText: "B", ...how }]);
    expect((await ok()).data.appliedEdits).toEqual([{ editIndex: 0, occurrences: 2 }]);
    expect(await desk.textAt("a")).toBe(TEXT.replaceAll("beta", "B"));
  });

  it.each([
    ["more were expected", 5, false],
    ["fewer were expected", 1, false],
    ["just so many were expected", 2, true],
  ])("replaceAll with expectedOccurrences holds both: %s", async (_what, expectedOccurrences, goesAhead) => {
    const edits = [{ oldText: "beta", newText: "B", replaceAll: true, expectedOccurrences }];
    const { desk, ok, no } = await editing(TEXT, edits);
    if (goesAhead) {
      await ok();
      expect(await desk.textAt("a")).toBe(TEXT.replaceAll("beta", "B"));
      return;
    }
    const refused = await no();
    expect(refused).toMatchObject({ kind: "multiple_matches", details: { matchCount: 2, expectedOccurrences } });
    expect(refused.message).toContain("is in 2 places, lines 2 and 4");
    expect(await desk.textAt("a")).toBe(TEXT);
  });

  it("edits given as a JSON string are understood", async () => {
    const { desk, ok } = await editing(TEXT, JSON.stringify([{ oldText: "alpha", newText: "A" }]));
    await ok();
    expect(await desk.textAt("a")).toBe(TEXT.replace("alpha", "A"));
  });

  it.each([
    ["two places", [{ oldText: "beta", newText: "B" }], "multiple_matches", { editIndex: 0, matchCount: 2 }],
    [
      "another number of places",
      [{ oldText: "beta", newText: "B", expectedOccurrences: 3 }],
      "multiple_matches",
      { matchCount: 2 },
    ],
    [
      "no place",
      [
        { oldText: "alpha", newText: "A" },
        { oldText: "omega", newText: "O" },
      ],
      "old_text_not_found",
      { editIndex: 1 },
    ],
    ["white space that differs", [{ oldText: "alpha \nbeta", newText: "x" }], "old_text_not_found", { editIndex: 0 }],
    [
      "overlap",
      [
        { oldText: "alpha\nbeta", newText: "x" },
        { oldText: "beta\ngamma", newText: "y" },
      ],
      "overlapping_edits",
      { conflictingEditIndices: [0, 1] },
    ],
    ["empty oldText", [{ oldText: "", newText: "x" }], "command_failed", {}],
    ["no edits", [], "command_failed", {}],
  ])("refuses %s and leaves the file alone", async (_what, edits, kind, details) => {
    const { desk, no } = await editing(TEXT, edits);
    const refused = await no();
    expect(refused).toMatchObject({ kind, details, recoverable: true });
    expect(refused.text.startsWith("Edit rejected, file unchanged. ")).toBe(true);
    expect(await desk.textAt("a")).toBe(TEXT);
  });

  it("says where several matches are", async () => {
    const { no } = await editing(TEXT, [{ oldText: "beta", newText: "B" }]);
    expect((await no()).details.matchRanges).toEqual([
      { startLine: 2, endLine: 2, startOffset: 6, endOffset: 10 },
      { startLine: 4, endLine: 4, startOffset: 17, endOffset: 21 },
    ]);
  });

  it("an edit that changes nothing is no change", async () => {
    const { ok } = await editing(TEXT, [{ oldText: "alpha", newText: "alpha" }]);
    const { data, text } = await ok();
    expect(text).toMatch(/^No change/);
    expect(data).toMatchObject({ diff: "", beforeSha256: data.afterSha256 });
  });

  it.each([
    ["CRLF and a byte order mark", "\ufeffone\r\ntwo\r\nthree", "one\ntwo", "1\n2", "\ufeff1\r\n2\r\nthree"],
    ["mixed line ends", "one\r\ntwo\nthree\r\n", "two\nthree", "2\n3", "one\r\n2\n3\r\n"],
  ])("keeps every byte outside the edit: %s", async (_what, before, oldText, newText, after) => {
    const { desk, ok } = await editing(before, [{ oldText, newText }]);
    await ok();
    expect((await bytesAt(desk, "a")).toString()).toBe(after);
  });

  it.each([
    ["a missing file", { b: "x" }, "not_found"],
    ["a binary file", { a: Uint8Array.of(1, 0, 2) }, "binary_file"],
    ["a directory", { "a/b": "x" }, "not_found"],
  ])("refuses %s", async (_what, files: Record<string, string | Uint8Array>, kind) => {
    const desk = deskOn(make(files));
    const expectedSha256 = files.a === undefined ? "0".repeat(64) : await desk.sha("a");
    expect(
      (await desk.no("edit_file", { path: "a", edits: [{ oldText: "x", newText: "y" }], expectedSha256 })).kind,
    ).toBe(kind);
  });
});
