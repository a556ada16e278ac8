// Seed 004, the edit tool: each operation changes the file as written, each refusal leaves it and names its error.
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, numbered, text } from "./004-desk.ts";

const lines = numbered(10);
const at = (number: number) => hash(lines[number - 1]!);

const OPERATIONS = [
  ["replace_line", { op: "replace_line", hash: at(3), content: " return x + 1;" }, lines.with(2, " return x + 1;")],
  [
    "replace_range",
    { op: "replace_range", start_hash: at(5), end_hash: at(8), content: "a\nb\nc" },
    [...lines.slice(0, 4), "a", "b", "c", ...lines.slice(8)],
  ],
  [
    "insert_after",
    { op: "insert_after", hash: at(4), content: " console.log('debug');\n return result;" },
    [...lines.slice(0, 4), " console.log('debug');", " return result;", ...lines.slice(4)],
  ],
  [
    "insert_before",
    { op: "insert_before", hash: at(1), content: "// Copyright 2024\n" },
    ["// Copyright 2024", ...lines],
  ],
  ["delete_line", { op: "delete_line", hash: at(3) }, lines.toSpliced(2, 1)],
  ["delete_range", { op: "delete_range", start_hash: at(2), end_hash: at(4) }, lines.toSpliced(1, 3)],
  [
    "a reversed range",
    { op: "replace_range", start_hash: at(8), end_hash: at(5), content: "x" },
    [...lines.slice(0, 4), "x", ...lines.slice(8)],
  ],
  ["occurrence", { op: "delete_line", hash: at(6), occurrence: 1 }, lines.toSpliced(5, 1)],
] as const;

const twins = ["first", "twin", "two", "twin", "}", "last"];
const block = ["begin", "work(now);", "end"];
const RESOLVED: readonly [error: string, file: readonly string[], operations: readonly object[], details: object][] = [
  [
    "anchor_stale",
    lines,
    [{ op: "replace_line", hash: "0ff1ce", content: "x" }],
    { suggested_action: "re-read_file", missingHashes: ["0ff1ce"] },
  ],
  ["anchor_not_found", lines, [{ op: "delete_line", hash: "not hex" }], { suggested_action: "reformat_anchor" }],
  [
    "anchor_ambiguous",
    twins,
    [
      { op: "delete_line", hash: hash("first") },
      { op: "delete_line", hash: hash("twin") },
    ],
    { suggested_action: "re-read_with_context", operation: 2 },
  ],
  [
    "anchor_context_ambiguous",
    [...block, ...block, ...block],
    [{ op: "delete_line", hash: hash("work(now);") }],
    {
      suggested_action: "re-read_with_context",
      error_family: "anchor_ambiguous",
      candidates: [{ line: 2, preview: "work(now);" }, { line: 5 }, { line: 8 }],
    },
  ],
  [
    "anchor_context_ambiguous",
    twins,
    [{ op: "replace_range", start_hash: hash("twin"), end_hash: hash("last"), content: "x" }],
    { anchor: "start_hash" },
  ],
  [
    "anchor_context_ambiguous",
    twins,
    [{ op: "delete_range", start_hash: hash("first"), end_hash: hash("twin") }],
    { anchor: "end_hash" },
  ],
  [
    "anchor_ambiguous",
    ["const item49150 = load(49150);", "const item86159 = load(86159);"],
    [{ op: "delete_line", hash: "119de3" }],
    { suggested_action: "re-read_with_context" },
  ],
  [
    "anchor_low_entropy",
    twins,
    [{ op: "replace_line", hash: hash("}"), content: "x" }],
    {
      suggested_action: "use_neighbor_anchor",
      line: 5,
      neighbor_anchors: [`3#${hash("two")}`, `6#${hash("last")}`],
    },
  ],
  ["anchor_low_entropy", twins, [{ op: "insert_after", hash: hash("}"), content: "x" }], { line: 5 }],
  ["anchor_low_entropy", twins, [{ op: "insert_before", hash: hash("}"), content: "x" }], { line: 5 }],
  ["anchor_low_entropy", twins, [{ op: "delete_line", hash: hash("}") }], { line: 5 }],
  [
    "invalid_range_order",
    lines,
    [{ op: "replace_range", start_hash: at(4), end_hash: at(4), content: "x" }],
    { suggested_action: "re-read_file", start_line: 4, end_line: 4 },
  ],
  [
    "overlapping_operations",
    lines,
    [
      { op: "delete_line", hash: at(4) },
      { op: "delete_range", start_hash: at(3), end_hash: at(5) },
    ],
    { suggested_action: "rewrite_as_single_block" },
  ],
  ["empty_operations", lines, [], { suggested_action: "provide_at_least_one_operation" }],
];

describe.each(BACKENDS)("the edit tool on %s", (_name, make) => {
  it.each(OPERATIONS)("%s changes exactly its lines of the file", async (_op, operation, expected) => {
    const { done, content } = desk(make, { "a.txt": text(...lines) });
    await done("edit", { path: "a.txt", operations: [operation] });
    expect(await content("a.txt")).toBe(text(...expected));
  });

  it.each(RESOLVED)(
    "%s: rejected, the file unchanged, with its details (%#)",
    async (error, file, operations, details) => {
      const { refused, content, workspace } = desk(make, { "a.txt": text(...file) });
      const failure = await refused("edit", { path: "a.txt", operations });
      expect(failure.kind).toBe(error);
      expect(failure.details).toMatchObject({
        error,
        error_family: error.includes("ambiguous") ? "anchor_ambiguous" : error,
        ...details,
      });
      expect(failure.text).toMatch(/^Edit rejected, file unchanged\. /);
      expect(failure.suggestedAction).toBeTruthy();
      expect(await content("a.txt")).toBe(text(...file));
      expect(await workspace.backend.head("a.txt" as never)).toBeNull();
    },
  );

  it("WHEN 3 operations are sent and the third hash is invalid THEN no modification is applied to the file", async () => {
    const { refused, content } = desk(make, { "a.txt": text(...lines) });
    const operations = [
      { op: "delete_line", hash: at(1) },
      { op: "delete_line", hash: at(2) },
      { op: "delete_line", hash: "badbad" },
    ];
    const failure = await refused("edit", { path: "a.txt", operations });
    expect(failure.message).toContain("badbad");
    expect(await content("a.txt")).toBe(text(...lines));
  });

  it("WHEN a batch deletes a line and inserts after a later one THEN both use the snapshot of the file", async () => {
    const { done, content } = desk(make, { "a.txt": text(...lines) });
    await done("edit", {
      path: "a.txt",
      operations: [
        { op: "delete_line", hash: at(2).slice(0, 4), line: 2 },
        { op: "insert_after", hash: at(4), content: "new" },
      ],
    });
    expect(await content("a.txt")).toBe(text(lines[0]!, ...lines.slice(2, 4), "new", ...lines.slice(4)));
  });

  it("WHEN a file was read with hashes and then modified by another THEN anchor_stale says that it changed", async () => {
    const { done, refused, other, content } = desk(make, { "a.txt": text(...lines) });
    await done("read_file", { path: "a.txt", hashes: true });
    const theirs = text(...lines.with(2, "theirs"));
    await other("a.txt", theirs);
    const failure = await refused("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: at(3), content: "x" }],
    });
    expect(failure.details).toMatchObject({ error: "anchor_stale", suggested_action: "re-read_file" });
    expect(failure.message).toContain("The file has changed");
    expect(failure.text).toContain("read the file again");
    expect(await content("a.txt")).toBe(theirs);
  });

  it("a file that does not exist is not_found, check_path", async () => {
    const failure = await desk(make, {}).refused("edit", {
      path: "none.txt",
      operations: [{ op: "delete_line", hash: "a1b2c3" }],
    });
    expect(failure).toMatchObject({
      kind: "not_found",
      details: { error: "not_found", suggested_action: "check_path" },
    });
  });

  it("bytes outside the edited lines stay: byte order mark, CRLF, no newline at the end", async () => {
    const before = "\uFEFFone\r\ntwo\r\nthree";
    const { done, content } = desk(make, { "a.txt": before });
    await done("edit", { path: "a.txt", operations: [{ op: "replace_line", hash: hash("two"), content: "2a\n2b" }] });
    expect(await content("a.txt")).toBe("\uFEFFone\r\n2a\r\n2b\r\nthree");
  });
});

describe.each(BACKENDS)("files that changed since they were read, on %s", (_name, make) => {
  const read = async (options = {}) => {
    const made = desk(make, { "a.txt": text(...lines) }, options);
    const { data } = await made.done("read_file", { path: "a.txt", hashes: true });
    await made.other("a.txt", text("theirs", ...lines));
    return { ...made, version: data.file_version as string };
  };
  const operations = [{ op: "replace_line", hash: at(3), line: 3, content: "mine" }];

  it("with onStale rebase anchors that all hold are followed to where their lines went, and the result says so", async () => {
    const { done, content } = await read({ onStale: "rebase" });
    const { data, warnings } = await done("edit", { path: "a.txt", operations });
    expect(await content("a.txt")).toBe(text("theirs", ...lines.with(2, "mine")));
    expect(data).toMatchObject({
      cross_version: true,
      baseline_continuity: "mixed",
      auto_corrections: [{ type: "line_followed_from_seen_version" }],
    });
    expect(warnings.join()).toContain("has changed since you read it");
  });

  it("an ambiguous hash with a line number means that line of the version that was read", async () => {
    const before = text("begin", "x = 1", "mid", "x = 1", "end");
    const { done, content, other } = desk(make, { "a.txt": before }, { onStale: "rebase" });
    await done("read_file", { path: "a.txt", hashes: true });
    await other("a.txt", text("new1", "new2", "begin", "x = 1", "mid", "x = 1", "end"));
    await done("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: hash("x = 1"), line: 4, content: "x = 2" }],
    });
    expect(await content("a.txt")).toBe(text("new1", "new2", "begin", "x = 1", "mid", "x = 2", "end"));
  });

  it("strict refuses them with anchor_stale", async () => {
    const { refused } = await read({ strict: true });
    expect((await refused("edit", { path: "a.txt", operations })).details).toMatchObject({
      error: "anchor_stale",
      suggested_action: "re-read_file",
    });
  });

  it("an expected_file_version that is not the current one is file_version_mismatch, with the repair", async () => {
    const { refused, version } = await read();
    const failure = await refused("edit", { path: "a.txt", operations, expected_file_version: version });
    expect(failure.kind).toBe("stale_file");
    expect(failure.details).toMatchObject({
      error: "file_version_mismatch",
      suggested_action: "re-read_file",
      expected_file_version: version,
      changedBy: { tool: "shell" },
    });
    expect(failure.text).toContain("+theirs");
    expect(failure.text).toContain(version);
  });

  it("with onStale rebase it is applied where every anchor holds", async () => {
    const { done, content, version } = await read({ onStale: "rebase" });
    const { data } = await done("edit", { path: "a.txt", operations, expected_file_version: version });
    expect(data.cross_version).toBe(true);
    expect(await content("a.txt")).toBe(text("theirs", ...lines.with(2, "mine")));
  });

  it("the expected_file_version that is there is accepted, in a row of edits too", async () => {
    const { done, content } = desk(make, { "a.txt": text(...lines) });
    const first = await done("read_file", { path: "a.txt", hashes: true });
    const second = await done("edit", { path: "a.txt", operations, expected_file_version: first.data.file_version });
    await done("edit", {
      path: "a.txt",
      operations: [{ op: "delete_line", hash: hash("mine") }],
      expected_file_version: second.data.file_version,
    });
    expect(await content("a.txt")).toBe(text(...lines.toSpliced(2, 1)));
  });
});
