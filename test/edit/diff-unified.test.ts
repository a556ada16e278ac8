// Unified diff text: headers, hunks, missing newlines, CRLF, the cap.
import { unifiedDiff } from "stet/edit";
import { describe, expect, test } from "vitest";

const numbered = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`);

describe("unifiedDiff", () => {
  test("one changed line with three lines of context", () => {
    const before = numbered(9).join("");
    expect(unifiedDiff(before, before.replace("line 5", "LINE 5"), { path: "src/a.ts" })).toEqual({
      text: [
        "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n",
        "-line 5\n+LINE 5\n line 6\n line 7\n line 8\n",
      ].join(""),
      insertions: 1,
      deletions: 1,
      truncated: false,
    });
  });

  test("changes share a hunk as long as their context meets", () => {
    const before = numbered(30);
    const near = before.with(5, "x\n").with(12, "y\n");
    const far = before.with(5, "x\n").with(13, "y\n");
    const hunks = (after: string[]) => unifiedDiff(before.join(""), after.join(""), {}).text.match(/^@@.*$/gm);
    expect(hunks(near)).toEqual(["@@ -3,14 +3,14 @@"]);
    expect(hunks(far)).toEqual(["@@ -3,7 +3,7 @@", "@@ -11,7 +11,7 @@"]);
  });

  test("no change, no text", () => {
    expect(unifiedDiff("a\n", "a\n", { path: "p" })).toEqual({
      text: "",
      insertions: 0,
      deletions: 0,
      truncated: false,
    });
  });

  test("a created and a deleted file", () => {
    expect(unifiedDiff("", "a\nb\n", { fromPath: null, toPath: "p" }).text).toBe(
      "--- /dev/null\n+++ b/p\n@@ -0,0 +1,2 @@\n+a\n+b\n",
    );
    expect(unifiedDiff("a\n", "", { fromPath: "p", toPath: null }).text).toBe(
      "--- a/p\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    );
    expect(unifiedDiff("", "", { fromPath: null, toPath: "p" }).text).toBe(
      "diff --git a/p b/p\nnew file mode 100644\n",
    );
  });

  test("a move, with and without a change", () => {
    const head = "diff --git a/old b/new\nrename from old\nrename to new\n";
    expect(unifiedDiff("a\n", "a\n", { fromPath: "old", toPath: "new" }).text).toBe(head);
    expect(unifiedDiff("a\n", "b\n", { fromPath: "old", toPath: "new" }).text).toBe(
      `${head}--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n`,
    );
  });

  test("a missing final newline is said on the side that lacks it", () => {
    expect(unifiedDiff("a\nb", "a\nb\n", { path: "p" }).text).toBe(
      "--- a/p\n+++ b/p\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    );
  });

  test("CRLF stays in the text, and a changed line end is a change", () => {
    const { text, insertions, deletions } = unifiedDiff("a\r\nb\r\n", "a\r\nb\n", { path: "p" });
    expect(text).toBe("--- a/p\n+++ b/p\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n");
    expect([insertions, deletions]).toEqual([1, 1]);
  });

  test("names that would break a header are quoted", () => {
    expect(unifiedDiff("", "a\n", { path: 'odd\t"name"\n' }).text).toContain('+++ "b/odd\\t\\"name\\"\\n"\n');
  });

  test("the cap keeps whole characters and right counts, and says so", () => {
    const after = `${"𝄞é".repeat(200)}\n`.repeat(50);
    for (let maxBytes = 30; maxBytes < 60; maxBytes++) {
      const diff = unifiedDiff("", after, { path: "p", maxBytes });
      const note = `…(truncated, full diff exceeded ${maxBytes} bytes)`;
      expect(diff).toMatchObject({ insertions: 50, deletions: 0, truncated: true });
      expect(diff.text.endsWith(`\n${note}`)).toBe(true);
      expect(Buffer.byteLength(diff.text) - Buffer.byteLength(note) - 1).toBeLessThanOrEqual(maxBytes);
      expect(/[\ud800-\udfff]/u.test(diff.text)).toBe(false);
    }
    expect(unifiedDiff("", "a\n", { path: "p", maxBytes: 1000 }).truncated).toBe(false);
  });
});

describe("a diff of long texts, of which only the changed part is cut into lines", () => {
  const lines = (n: number, line: (i: number) => string): string =>
    Array.from({ length: n }, (_, i) => line(i)).join("");
  const numbered = lines(300, (i) => `line ${i}\n`);

  test("numbers its lines as those of the whole text", () => {
    const { text } = unifiedDiff(numbered, numbered.replace("line 150\n", "other\n"), { path: "f" });
    expect(text).toContain("@@ -148,7 +148,7 @@\n line 147\n line 148\n line 149\n-line 150\n+other\n line 151\n");
  });

  test("puts a line among many like it behind the last of them, however far down that is", () => {
    const before = `first\n${lines(200, () => "same\n")}last\n`;
    const { text } = unifiedDiff(before, before.replace("first\n", "first\nsame\n"), { path: "f" });
    expect(text).toContain("@@ -199,4 +199,5 @@\n same\n same\n same\n+same\n last\n");
  });

  test("sees a last line without an end", () => {
    const { text } = unifiedDiff(`${numbered}end`, `${numbered}end\n`, { path: "f", context: 0 });
    expect(text).toContain("@@ -301 +301 @@\n-end\n\\ No newline at end of file\n+end\n");
  });

  test("looks at whole lines where only their ends are equal", () => {
    const { text } = unifiedDiff(`${numbered}a-tail\nz\n`, `${numbered}b-tail\nz\n`, { path: "f", context: 0 });
    expect(text).toContain("@@ -301 +301 @@\n-a-tail\n+b-tail\n");
  });
});
