// Seed 004, what a successful edit returns, the dry run, and the safety check before the write.
import { describe, expect, it } from "vitest";
import { anchorIndex } from "../../src/edit/anchors/index.ts";
import { fileCheckpoints } from "../../src/surfaces/anchors/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, numbered, text } from "./004-desk.ts";

const lines = numbered(40);
const at = (number: number) => hash(lines[number - 1]!);
const two = [
  { op: "replace_line", hash: at(12), content: "replaced;" },
  { op: "insert_after", hash: at(20), content: "new one;\nnew two;" },
];

describe.each(BACKENDS)("the result of an edit on %s", (_name, make) => {
  it("WHEN 2 operations are applied from line 12 on THEN the text says so with net change, boundary and a diff with new anchors", async () => {
    const { done } = desk(make, { "a.txt": text(...lines) });
    const result = await done("edit", { path: "a.txt", operations: two });
    const expected = [
      "2 operations applied to a.txt.",
      "Lines: 40 → 42 (+2)",
      /^New file version: fv_[0-9a-f]{8}$/,
      "Anchors valid through line: 11. Refresh required from line: 12.",
      "[writer_type: edit, baseline_continuity: clean]",
      "",
      "Local diff (with new anchors):",
      "--- a.txt",
      "+++ a.txt",
      ` 9#${at(9)} [high]|${lines[8]}`,
    ];
    result.text
      .split("\n")
      .slice(0, expected.length)
      .forEach((line, n) => {
        const wanted = expected[n]!;
        if (typeof wanted === "string") expect(line).toBe(wanted);
        else expect(line).toMatch(wanted);
      });
    expect(result.text).toContain(`-12#${at(12)} [high]|${lines[11]}\n+12#${hash("replaced;")} [high]|replaced;`);
    expect(result.text).toContain("that you read before this edit are stale");
  });

  it("WHEN 2 operations are applied THEN the details have counts, boundary, anchors, continuity clean and writer edit", async () => {
    const { done, content } = desk(make, { "a.txt": text(...lines) });
    const { data, warnings } = await done("edit", { path: "a.txt", operations: two });
    const after = anchorIndex((await content("a.txt"))!);
    expect(data).toMatchObject({
      ok: true,
      operations: 2,
      linesBefore: 40,
      linesAfter: 42,
      addedLines: 3,
      removedLines: 1,
      anchors_valid_through: 11,
      must_refresh_from_line: 12,
      file_version: after.fileVersion,
      new_anchors: [after.anchor(12), after.anchor(21), after.anchor(22)],
      safety_status: "clean",
      safety_warnings: [],
      baseline_continuity: "clean",
      writer_type: "edit",
    });
    expect(Object.keys(data)).not.toContain("auto_corrections");
    expect(warnings).toEqual([]);
  });

  it("WHEN lines 20-22 are modified THEN details contain anchors_valid_through 19 and must_refresh_from_line 20", async () => {
    const { done } = desk(make, { "a.txt": text(...lines) });
    const operation = { op: "replace_range", start_hash: at(20), end_hash: at(22), content: "a\nb\nc" };
    const { data } = await done("edit", { path: "a.txt", operations: [operation] });
    expect(data).toMatchObject({ anchors_valid_through: 19, must_refresh_from_line: 20 });
  });

  it.each([
    ["(-1)", { op: "delete_line", hash: at(5) }],
    ["(+0)", { op: "replace_line", hash: at(5), content: "x" }],
  ])("the net line change is %s, one operation is singular", async (net, operation) => {
    const { done } = desk(make, { "a.txt": text(...lines) });
    const { text: said } = await done("edit", { path: "a.txt", operations: [operation] });
    expect(said).toContain(net);
    expect(said).toMatch(/^1 operation applied to a\.txt\.\n/);
  });

  it("WHEN start_hash is line 30 and end_hash line 7 THEN auto_corrections tells of the swap, in data and text", async () => {
    const { done } = desk(make, { "a.txt": text(...lines) });
    const operation = { op: "delete_range", start_hash: at(30), end_hash: at(7) };
    const { data, text: said } = await done("edit", { path: "a.txt", operations: [operation] });
    const detail = "start_line (30) was after end_line (7). Swapped automatically.";
    expect(data.auto_corrections).toEqual([{ type: "range_order_swapped", detail }]);
    expect(said).toContain(detail);
  });

  it("the version before the edit is kept under snapshot_id", async () => {
    const { done, workspace, session } = desk(make, { "a.txt": text(...lines) });
    const { sha } = await session.read("a.txt");
    const { data } = await done("edit", { path: "a.txt", operations: two });
    expect(data.snapshot_id).toBe(sha);
    expect(await workspace.backend.recall(sha)).not.toBeNull();
  });

  it("an edit that changes nothing says so and writes nothing", async () => {
    const { refused, workspace } = desk(make, { "a.txt": text(...lines) });
    const failure = await refused("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: at(1), content: lines[0]! }],
    });
    expect(failure).toMatchObject({ kind: "already_applied", details: { startLine: 1, endLine: 1 } });
    expect(await all(workspace.log({ outcomes: ["applied"] }))).toEqual([]);
  });
});

describe.each(BACKENDS)("dry_run on %s", (_name, make) => {
  it("runs everything, writes nothing, and returns the scope instead of a new version", async () => {
    const { done, content, workspace } = desk(make, { "a.txt": text(...lines) });
    const { data, text: said } = await done("edit", { path: "a.txt", operations: two, dry_run: true });
    expect(data).toMatchObject({
      dry_run: true,
      valid: true,
      validated_at_file_version: anchorIndex(text(...lines)).fileVersion,
      invalidation_scope: { anchors_valid_through: 11, must_refresh_from_line: 12 },
      safety_status: "clean",
    });
    for (const absent of ["file_version", "snapshot_id", "syntax_check"]) expect(data).not.toHaveProperty(absent);
    expect(said).toMatch(/^Dry run: 2 operations would be applied to a\.txt\. Nothing was written\./);
    expect(await content("a.txt")).toBe(text(...lines));
    expect(await all(workspace.log())).toEqual([]);
  });

  it("refuses what cannot be applied, and an empty list", async () => {
    const { refused } = desk(make, { "a.txt": text(...lines) });
    expect((await refused("edit", { path: "a.txt", operations: [], dry_run: true })).kind).toBe("empty_operations");
    const operations = [{ op: "delete_line", hash: "0ff1ce" }];
    expect((await refused("edit", { path: "a.txt", operations, dry_run: true })).kind).toBe("anchor_stale");
  });

  it("tells what the safety check would say, without refusing", async () => {
    const { done } = desk(make, { "a.json": '{\n  "a": 1\n}\n' });
    const operations = [{ op: "replace_line", hash: hash('"a": 1'), content: '  "a": 1 }' }];
    const { data, text: said } = await done("edit", { path: "a.json", operations, dry_run: true });
    expect(data).toMatchObject({ valid: false, safety_status: "suspicious" });
    expect(said).toContain("would be refused by the safety check");
  });
});

const DAMAGE = [
  [
    "unbalanced braces",
    "a.ts",
    text("function one() {", "  return 1;", "}", "one();"),
    { op: "replace_line", hash: hash("return 1;"), content: "  return 1; } }" },
  ],
  [
    "invalid JSON",
    "a.json",
    text("{", '  "a": 1', "}"),
    { op: "replace_line", hash: hash('"a": 1'), content: '  "a": 1,,' },
  ],
  [
    "a duplicate of the neighbouring line",
    "a.ts",
    text("const first = load();", "const second = 2;", "use(first);"),
    { op: "replace_line", hash: hash("const second = 2;"), content: "const first = load();" },
  ],
  [
    "braces of a language without parser",
    "a.unknownlang.scala",
    text("object A {", "  def f = 1", "}"),
    { op: "replace_line", hash: hash("def f = 1"), content: "  def f = { { {" },
  ],
] as const;

describe.each(BACKENDS)("the safety check on %s", (_name, make) => {
  it("WHEN the sanity check is clean THEN the checkpoint is committed and the response says applied", async () => {
    const { done, session } = desk(make, { "a.txt": text(...lines) });
    const { data, text: said } = await done("edit", { path: "a.txt", operations: two });
    expect(data.safety_status).toBe("clean");
    expect(said).toContain("2 operations applied");
    expect(await fileCheckpoints(session).isDirty("a.txt")).toBe(false);
    expect(await fileCheckpoints(session).listDirty()).toEqual([]);
  });

  it.each(DAMAGE)(
    "WHEN an edit produces %s THEN it is rejected with safety_check_failed and the file is as before",
    async (_what, path, before, operation) => {
      const { refused, content, session, workspace } = desk(make, { [path]: before });
      const failure = await refused("edit", { path, operations: [operation] });
      expect(failure.kind).toBe("safety_check_failed");
      expect(failure.details).toMatchObject({
        error: "safety_check_failed",
        suggested_action: "re-read_file",
        safety_status: "suspicious",
      });
      const warnings = failure.details.safety_warnings as string[];
      expect(warnings.length).toBeGreaterThan(0);
      expect(failure.text).toContain(warnings[0]);
      expect(failure.text).toContain('"safety_check": "warn"');
      expect(await content(path)).toBe(before);
      expect(await fileCheckpoints(session).isDirty(path)).toBe(false);
      expect(await workspace.backend.head(path as never)).toBeNull();
    },
  );

  it.each(DAMAGE)("safety_check warn applies %s and reports it", async (_what, path, before, operation) => {
    const { done, content } = desk(make, { [path]: before });
    const { data, warnings } = await done("edit", { path, operations: [operation], safety_check: "warn" });
    expect(data.safety_status).toBe("suspicious");
    expect(warnings).toEqual(data.safety_warnings);
    expect(await content(path)).not.toBe(before);
  });

  it("safety_check off does not look", async () => {
    const [, path, before, operation] = DAMAGE[1];
    const { done } = desk(make, { [path]: before });
    const { data, warnings } = await done("edit", { path, operations: [operation], safety_check: "off" });
    expect(data).toMatchObject({ safety_status: "unchecked", safety_warnings: [] });
    expect(warnings).toEqual([]);
  });

  it("syntax_check tells what the parser says of the result", async () => {
    const { done } = desk(make, { "a.json": text("{", '  "a": 1', "}") });
    const { data } = await done("edit", {
      path: "a.json",
      operations: [{ op: "replace_line", hash: hash('"a": 1'), content: '  "a": 2' }],
    });
    expect(data.syntax_check).toEqual({ valid: true, errors: [] });
  });

  it("duplicates far apart are a warning only", async () => {
    const { done } = desk(make, { "a.txt": text(...lines) });
    const operations = [3, 30].map((line) => ({
      op: "replace_line",
      hash: at(line),
      content: "the very same new line",
    }));
    const { data } = await done("edit", { path: "a.txt", operations });
    expect(data).toMatchObject({
      safety_status: "noted",
      safety_warnings: ["duplicate_line: identical lines at 3, 30"],
    });
  });
});
