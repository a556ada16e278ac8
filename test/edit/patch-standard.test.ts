// Parsing standard unified diffs: names, git's headers, counts, what is refused.

import { describe, expect, test } from "vitest";
import { patched, plans, refusal, unified } from "../support/patching.ts";

const HUNK = "@@ -1,2 +1,2 @@ heading\n a\n-b\n+B\n";
const FILE = "a\nb\n";

describe("standard diffs", () => {
  test("names: prefixes, timestamps, spaces, quotes, no prefix at all", () => {
    const headers: Record<string, string> = {
      f: "--- a/f\n+++ b/f\n",
      "dir/f": "--- dir/f\t2024-01-01 00:00:00.0 +0000\n+++ dir/f\t2024-01-02 00:00:00.0 +0000\n",
      "a b.txt": "--- a/a b.txt\t\n+++ b/a b.txt\t\n",
      "naïve\t.txt": '--- "a/na\\303\\257ve\\t.txt"\n+++ "b/na\\303\\257ve\\t.txt"\n',
      "a/f": "--- a/f\n+++ a/f\n",
      "b/f": "diff --git b/f b/f\nindex 1..2 100644\n--- b/f\n+++ b/f\n",
      "a/b/f": "--- a/a/b/f\n+++ b/a/b/f\n",
    };
    for (const [path, header] of Object.entries(headers)) {
      expect(patched({ [path]: FILE }, header + HUNK)).toEqual({ [path]: "a\nB\n" });
    }
  });

  test("git's headers: new, deleted, renamed and empty files", () => {
    const patch = [
      "diff --git a/new b/new\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
      "diff --git a/old b/old\ndeleted file mode 100644\nindex 1..0000000\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      "diff --git a/m b/n\nsimilarity index 100%\nrename from m\nrename to n\n",
      `diff --git a/o b/p\nsimilarity index 60%\nrename from o\nrename to p\nindex 1..2 100644\n--- a/o\n+++ b/p\n${HUNK}`,
      "diff --git a/empty file b/empty file\nnew file mode 100644\nindex 0000000..e69de29\n",
      "diff --git a/gone b/gone\ndeleted file mode 100644\nindex e69de29..0000000\n",
    ].join("");
    const files = { old: "x\n", m: "same\n", o: FILE, gone: "" };
    expect(patched(files, patch)).toEqual({ new: "x\n", n: "same\n", p: "a\nB\n", "empty file": "" });
    expect(plans(files, patch)[0]).toMatchObject({ op: "add", mode: 0o755 });
  });

  test("names that agree in all headers are taken, with spaces, quotes or other prefixes", () => {
    const moved = "rename from a b\nrename to c d\n";
    const patches = [
      `diff --git a/a b b/c d\n${moved}--- a/a b\t\n+++ b/c d\t\n${HUNK}`,
      `diff --git i/a b w/c d\n${moved}--- i/a b\n+++ w/c d\n${HUNK}`,
      `diff --git a b c d\n${moved}--- a b\n+++ c d\n${HUNK}`,
      `diff --git "a/a b" "b/c d"\n${moved}--- "a/a b"\n+++ "b/c d"\n${HUNK}`,
      `diff --git a/a b b/c d \n${moved}--- a/a b\n+++ b/c d\n${HUNK}`,
    ];
    for (const patch of patches) expect(patched({ "a b": FILE }, patch)).toEqual({ "c d": "a\nB\n" });
    expect(patched({ f: FILE }, `diff --git a/f b/f\n--- f\n+++ f\n${HUNK}`)).toEqual({ f: "a\nB\n" });
  });

  test("a prefix that git did not write is part of the name", () => {
    const patch = "diff --git b/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n";
    expect(patched({}, patch)).toEqual({ "b/f": "x\n" });
  });

  test("a patch in CRLF creates a file in LF; a CR in the lines only is content", () => {
    const patch = "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+x\n+y\n";
    expect(patched({}, patch.replaceAll("\n", "\r\n"))).toEqual({ f: "x\ny\n" });
    expect(patched({}, patch.replace("+x\n+y\n", "+x\r\n+y\r\n"))).toEqual({ f: "x\r\ny\r\n" });
  });

  test("mail text, index lines and a signature around the sections are skipped", () => {
    const patch = `From 1234\nSubject: x\n---\n f | 2 +-\n\nIndex: f\n=====\n--- a/f\n+++ b/f\n${HUNK}-- \n2.40\n`;
    expect(patched({ f: FILE }, patch)).toEqual({ f: "a\nB\n" });
  });

  test("lines that look like headers are content where the counts say so", () => {
    const patch = unified("@@ -1,2 +1,2 @@", "--- a/x", "+++ b/x", " diff --git a/y b/y");
    expect(patched({ f: "-- a/x\ndiff --git a/y b/y\n" }, patch)).toEqual({ f: "++ b/x\ndiff --git a/y b/y\n" });
  });

  test("an empty context line may have lost its space, also as the last line", () => {
    const patch = unified("@@ -1,4 +1,4 @@", " a", "", "-b", "+B", "");
    expect(patched({ f: "a\n\nb\n\n" }, patch)).toEqual({ f: "a\n\nB\n\n" });
    expect(patched({ f: "a\n\nb\n\n" }, patch.trimEnd().concat("\n \n"))).toEqual({ f: "a\n\nB\n\n" });
  });

  const errors: readonly (readonly [string, string, number, RegExp])[] = [
    ["a cut-off hunk", unified("@@ -1,2 +1,2 @@", " a", "-b").trimEnd(), 3, /"@@ -1,2 \+1,1 @@"/],
    ["more lines than counted", unified("@@ -1 +1 @@", "-a", "+b", "+c"), 3, /"@@ -1,1 \+1,2 @@"/],
    ["a hunk header without numbers", unified("@@ something", "-a", "+b"), 3, /-start,count/],
    ["a hunk without a file", `@@ -1 +1 @@\n-a\n+b\n${unified("@@ -1 +1 @@", "-a", "+b")}`, 1, /"--- a\/path"/],
    ["a combined diff", unified("@@@ -1 -1 +1 @@@", "--a", "++b"), 3, /-start,count/],
    ["a binary patch", "diff --git a/f b/f\nindex 1..2\nGIT binary patch\nliteral 0\n", 3, /text diff/],
    ["binary files", "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n", 3, /text diff/],
    ["a section without hunks", "diff --git a/f b/f\nindex 1..2\n", 3, /-start,count/],
    ["a new file with context", "--- /dev/null\n+++ b/g\n@@ -1 +1,2 @@\n a\n+b\n", 1, /only "\+" lines/],
    ["a badly quoted name", `--- "a/f\n+++ b/f\n${HUNK}`, 1, /closing quote/],
    ["a name that is not UTF-8", `--- "a/\\377"\n+++ "b/\\377"\n${HUNK}`, 1, /UTF-8/],
    ["nothing to nothing", "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n", 1, /one side/],
    [
      "old lines after the old end",
      unified("@@ -1,2 +1 @@", "-a", "\\ No newline at end of file", "-b", "+c"),
      6,
      /no more/,
    ],
    [
      "a mode line against the names",
      `diff --git a/f b/f\nnew file mode 100644\n--- a/f\n+++ b/f\n${HUNK}`,
      1,
      /dev\/null/,
    ],
    ["half a rename", `diff --git a/f b/f\nrename from f\n--- a/f\n+++ b/f\n${HUNK}`, 1, /"rename to"/],
    ["a hunk that changes nothing", unified("@@ -1 +1 @@", " a"), 5, /"-" or "\+"/],
  ];
  for (const [name, patch, line, expected] of errors) {
    test(`parse error: ${name}`, () => {
      const failure = refusal({ f: FILE }, patch);
      expect(failure).toMatchObject({ kind: "patch_parse_error" });
      expect(failure.details).toEqual({ line, expected: expect.stringMatching(expected) });
    });
  }

  test("links, submodules, copies and bare mode changes are not supported", () => {
    const headers = [
      "new file mode 120000",
      "new file mode 160000",
      "index 1..2 120000",
      "copy from f\ncopy to g",
      "old mode 100644\nnew mode 100755",
    ];
    for (const header of headers) {
      expect(refusal({ f: FILE }, `diff --git a/f b/f\n${header}\n`)).toMatchObject({ kind: "unsupported" });
    }
  });
});

test("line numbers that are off by so much in one hunk are off by as much in the next", () => {
  const file = "new\nnew\na\nx\nb\nx\nc\nx\nd\nx\n";
  const patch = unified("@@ -2 +2 @@", "-a", "+A", "@@ -5 +5 @@", "-x", "+X");
  expect(patched({ f: file }, patch)).toEqual({ f: "new\nnew\nA\nx\nb\nX\nc\nx\nd\nx\n" });
});
