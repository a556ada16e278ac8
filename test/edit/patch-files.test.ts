// What a patch may do to which files: existence, repeated paths, moves, the limit.

import { describe, expect, test } from "vitest";
import { parsePatch } from "../../src/edit/patch/index.ts";
import { envelope, patched, refusal, unified } from "./patching.ts";

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

  test("a path named twice is refused, however it is spelled", () => {
    for (const again of ["f", "./f", "x/.//f"]) {
      const first = again.startsWith("x") ? "x/f" : "f";
      const failure = refusal(
        { f: "a\n", "x/f": "a\n" },
        envelope(`*** Delete File: ${first}`, `*** Add File: ${again}`, "+b"),
      );
      expect(failure).toMatchObject({ kind: "patch_apply_error", details: { reason: "duplicate_path", path: again } });
    }
    for (const again of ["d/../f", "d/e/../../f", "d/./..//f"]) {
      const failure = refusal(
        { f: "a\n", [again]: "a\n" },
        envelope("*** Delete File: f", `*** Delete File: ${again}`),
      );
      expect(failure).toMatchObject({ kind: "patch_apply_error", details: { reason: "duplicate_path", path: again } });
    }
    expect(refusal({ f: "" }, envelope("*** Move File: f -> d/../f"))).toMatchObject({ kind: "command_failed" });
    const outside = { "../f": "a", f: "a", "/f": "a" };
    expect(patched(outside, envelope("*** Delete File: ../f", "*** Delete File: f", "*** Delete File: /f"))).toEqual(
      {},
    );
    expect(refusal(outside, envelope("*** Delete File: /f", "*** Add File: /../f", "+b"))).toMatchObject({
      details: { reason: "duplicate_path" },
    });
    const swap = envelope("*** Move File: f -> g", "*** Move File: g -> f");
    expect(refusal({ f: "1", g: "2" }, swap)).toMatchObject({ details: { reason: "duplicate_path" } });
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
