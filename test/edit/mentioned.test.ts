// Which files a text speaks of that may or may not be a patch: for a refusal, and for the journal.
import { describe, expect, it } from "vitest";
import { mentionedAt, mentionedFiles } from "../../src/edit/patch/parse/mentioned.ts";

const PATCH = [
  "*** Begin Patch",
  "*** Add File: a.txt",
  "+one",
  "*** Update File: b.txt\r",
  "*** Move to: c.txt",
  "@@",
  "--- a/d.txt\t2026-01-01",
  "+++ b/d.txt",
  "--- a/gone.txt",
  "+++ /dev/null",
  " *** Delete File: indented.txt",
  "x\u2028*** Delete File: after-a-separator.txt",
  "x\r*** Delete File: after-a-return.txt",
  "*** Move File: e.txt -> f.txt",
].join("\n");

describe("the files that a text speaks of", () => {
  it("are those of lines that begin like a header; a line ends with a newline", () => {
    expect(mentionedFiles(PATCH).map(({ op, path, toPath }) => [op, path, toPath])).toEqual([
      ["add", "a.txt", undefined],
      ["move", "b.txt", "c.txt"],
      ["update", "d.txt", undefined],
      ["delete", "gone.txt", undefined],
      ["move", "e.txt", "f.txt"],
    ]);
  });

  it.each([
    [1, "a.txt"],
    [3, "a.txt"],
    [4, "b.txt"],
    [6, "b.txt"],
    [13, "gone.txt"],
    [14, "e.txt"],
    [99, "e.txt"],
  ])("the one that line %d belongs to is %s", (line, path) => {
    expect(mentionedAt(PATCH, line)?.path).toBe(path);
  });

  it("are none in a text without headers, and no more than any patch may have", () => {
    expect(mentionedAt("x\n".repeat(10), 3)).toBeUndefined();
    expect(mentionedFiles("*** Add File: a\n".repeat(20_000))).toHaveLength(10_000);
  });
});
