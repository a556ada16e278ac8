// What a patch may do to which files: existence, repeated paths, moves, the limit.
import { applySplices, parsePatch } from "stet/edit";
import { describe, expect, test } from "vitest";
import { envelope, patched, plans, refusal, unified } from "../support/patching.ts";

describe("files of a patch", () => {
  test("nothing is overwritten", () => {
    expect(refusal({ f: "x" }, envelope("*** Add File: f", "+y"))).toMatchObject({ kind: "already_exists", path: "f" });
    expect(refusal({ f: "", g: "" }, envelope("*** Move File: f -> g"))).toMatchObject({
      kind: "already_exists",
      path: "g",
    });
    const created = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+y\n";
    expect(refusal({ f: "x" }, created)).toMatchObject({ kind: "already_exists", path: "f" });
  });

  test("what is changed, deleted or moved must be there", () => {
    expect(refusal({}, envelope("*** Update File: f", "@@", "-a", "+b"))).toMatchObject({
      kind: "not_found",
      path: "f",
    });
    expect(refusal({}, envelope("*** Delete File: f"))).toMatchObject({ kind: "not_found", path: "f" });
    expect(refusal({}, envelope("*** Move File: f -> g"))).toMatchObject({ kind: "not_found", path: "f" });
  });

  test("a failure in any section leaves no plan at all", () => {
    const patch = envelope("*** Add File: new", "+x", "*** Update File: gone", "@@", "-a", "+b");
    expect(refusal({}, patch)).toMatchObject({ kind: "not_found", path: "gone" });
  });

  test("sections find the files as those before leave them, however a path is spelled", () => {
    for (const again of ["f", "./f", "d/../f", "d/./..//f"]) {
      const section = (op: string, ...lines: string[]) => [`*** ${op} File: ${again}`, ...lines];
      const first = ["*** Update File: f", "@@", "-a", "+b"];
      const changedTwice = patched({ f: "a\nx\n" }, envelope(...first, ...section("Update", "@@", "-b", "+c")));
      expect(changedTwice[again]).toBe("c\nx\n");
      expect(refusal({ f: "a\n" }, envelope(...first, ...section("Update", "@@", "-a", "+c")))).toMatchObject({
        kind: "patch_apply_error",
        path: again,
      });
      expect(patched({ f: "a\n" }, envelope("*** Delete File: f", ...section("Add", "+b")))[again]).toBe("b\n");
      expect(refusal({ f: "a\n" }, envelope("*** Delete File: f", ...section("Delete")))).toMatchObject({
        kind: "not_found",
        path: again,
      });
    }
  });

  test("a file that a section before made, moved or deleted", () => {
    const add = ["*** Add File: new", "+a"];
    expect(patched({}, envelope(...add, "*** Update File: new", "@@", "-a", "+b"))).toEqual({ new: "b\n" });
    expect(patched({}, envelope(...add, "*** Move File: new -> newer"))).toEqual({ newer: "a\n" });
    expect(patched({}, envelope(...add, "*** Delete File: new"))).toEqual({});
    expect(refusal({}, envelope(...add, ...add))).toMatchObject({ kind: "already_exists", path: "new" });
    const rename = "*** Move File: f -> g";
    expect(patched({ f: "1\n" }, envelope(rename, "*** Update File: g", "@@", "-1", "+2"))).toEqual({ g: "2\n" });
    expect(patched({ f: "1\n" }, envelope(rename, "*** Add File: f", "+2"))).toEqual({ f: "2\n", g: "1\n" });
    expect(patched({ f: "1\n" }, envelope(rename, "*** Move File: g -> h"))).toEqual({ h: "1\n" });
    expect(refusal({ f: "1\n" }, envelope(rename, "*** Delete File: f"))).toMatchObject({
      kind: "not_found",
      path: "f",
    });
    const swap = ["*** Move File: f -> t", "*** Move File: g -> f", "*** Move File: t -> g"];
    expect(patched({ f: "1", g: "2" }, envelope(...swap))).toEqual({ f: "2", g: "1" });
    expect(refusal({ f: "1", g: "2" }, envelope(rename, "*** Move File: g -> f"))).toMatchObject({
      kind: "already_exists",
      path: "g",
    });
  });

  test("splices are always of the text that was read", () => {
    const patch = envelope(
      ...["*** Update File: f", "@@", "-b", "+B", "+B2"],
      ...["*** Move File: f -> g", "@@", "-d", "+D"],
      ...["*** Update File: g", "@@", " B", "-B2"],
    );
    const before = "a\r\nb\r\nc\nd";
    const texts = plans({ f: before }, patch).map((plan) => "splices" in plan && applySplices(before, plan.splices));
    expect(texts).toEqual(["a\r\nB\r\nB2\r\nc\nd", "a\r\nB\r\nB2\r\nc\nD", "a\r\nB\r\nc\nD"]);
  });

  test("a move onto itself is refused", () => {
    expect(refusal({ f: "" }, envelope("*** Move File: f -> ./f"))).toMatchObject({ kind: "command_failed" });
  });

  test("too many files are refused before they are read", () => {
    const sections = Array.from({ length: 100_000 }, (_, i) => `*** Add File: ${i}\n+x`);
    expect(refusal({}, envelope(...sections))).toMatchObject({ kind: "too_many_files", details: { maxFiles: 1000 } });
    expect(parsePatch(envelope(...sections.slice(0, 1000))).sections).toHaveLength(1000);
    expect(() => parsePatch(envelope(...sections.slice(0, 3)), { maxFiles: 2 })).toThrow(
      expect.objectContaining({ kind: "too_many_files" }),
    );
  });

  test("a diff that deletes a file must know all of it", () => {
    const deletion = "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
    expect(refusal({ f: "a\nb\nmore\n" }, deletion)).toMatchObject({
      kind: "patch_apply_error",
      details: { reason: "context_not_found", differsAtLine: 3 },
    });
    expect(refusal({ f: "a\n" }, deletion)).toMatchObject({ details: { differsAtLine: 2 } });
  });

  test("a rename without git's headers is refused", () => {
    const patch = unified("@@ -1 +1 @@", "-a", "+b").replace("+++ b/f", "+++ b/g");
    expect(refusal({ f: "a\n" }, patch)).toMatchObject({ kind: "patch_parse_error", details: { line: 1 } });
  });
});
