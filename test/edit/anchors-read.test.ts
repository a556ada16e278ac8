import { readFileSync } from "node:fs";
import { anchorIndex, contextHash, renderAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import { hash, text } from "../support/anchors.ts";

describe("quality", () => {
  const qualities = (...lines: string[]) => anchorIndex(text(...lines)).lines.map((line) => line.quality);

  it("is low for blank lines, brackets, punctuation, quotes and backticks", () => {
    expect(qualities("", "   ", "}", "},", "});", "])", "'\"`", "\t{ }")).toEqual(Array(8).fill("low"));
  });

  it("is high for any line with other characters, however short", () => {
    expect(qualities("*/", "#", "else", "</div>", "x")).toEqual(Array(5).fill("high"));
  });

  it("is med for a line that occurs more than once in the file", () => {
    expect(qualities("a", "  a", "b")).toEqual(["med", "med", "high"]);
  });

  it("stays low however often a low line occurs", () => {
    expect(qualities("}", "}", "}", "}", "}")).toEqual(Array(5).fill("low"));
  });

  it("counts in the whole file, not in the lines shown", () => {
    const index = anchorIndex(text("a", "a"));
    expect(renderAnchors(index, { offset: 0, limit: 1 }).lines[0]).toContain("[med] ctx=");
  });
});

describe("lines", () => {
  it("a newline ends a line: no phantom line after the last one", () => {
    expect(anchorIndex("a\nb\n").lines.map((line) => line.text)).toEqual(["a", "b"]);
    expect(anchorIndex("a\nb").lines.map((line) => line.text)).toEqual(["a", "b"]);
    expect(anchorIndex("a\n\n").lines.map((line) => line.text)).toEqual(["a", ""]);
    expect(anchorIndex("").lines).toEqual([]);
  });

  it("a byte order mark is not part of the first line", () => {
    const [first] = anchorIndex("\uFEFFa\nb\n").lines;
    expect([first?.text, first?.start]).toEqual(["a", 1]);
    expect(anchorIndex("\uFEFF").lines).toEqual([]);
  });
});

describe("reading with anchors", () => {
  it("shows number, hash, quality and the unchanged text of each line", () => {
    const view = renderAnchors(anchorIndex("function f() {\n  return x | y;\n}\n"));
    expect(view.lines).toEqual([
      `1#${hash("function f() {")} [high]|function f() {`,
      `2#${hash("return x | y;")} [high]|  return x | y;`,
      "3#cbb184 [low]|}",
    ]);
  });

  it("shows for repeated lines the context hash that singles them out, and says once what the marks mean", () => {
    const view = renderAnchors(anchorIndex(text("if a", "return;", "}", "if b", "return;", "}")));
    expect(view.lines[1]).toBe(`2#505b97 [med] ctx=${contextHash("if a", "return;", "}")}|return;`);
    expect(view.lines[5]).toBe("6#cbb184 [low]|}");
    expect(view.text.match(/^\[(?:med|low)\] is /gm)).toEqual(["[med] is ", "[low] is "]);
    expect(renderAnchors(anchorIndex("one\n")).text).not.toContain(" is a ");
  });

  it("costs little more than the lines with their numbers", () => {
    const source = readFileSync(new URL(import.meta.url), "utf8");
    const shown = renderAnchors(anchorIndex(source)).text.length;
    const plain = source
      .split("\n")
      .slice(0, 200)
      .map((line, at) => `${at + 1}\t${line}`)
      .join("\n").length;
    // A hash, a quality and a few signs for each line.
    expect(shown - plain).toBeLessThan(200 * 20);
  });

  it("shows a window and tells what it is", () => {
    const index = anchorIndex(text(...Array.from({ length: 500 }, (_, i) => `line ${i + 1}`)));
    const view = renderAnchors(index, { offset: 10, limit: 5 });
    expect(view.lines.map((line) => line.slice(line.indexOf("|") + 1))).toEqual(
      [11, 12, 13, 14, 15].map((n) => `line ${n}`),
    );
    expect(view.text).toContain(
      `\n\n[file_version: ${view.fileVersion}]\n(500 lines total, showing 11-15, anchors enabled)`,
    );
    expect(renderAnchors(index).lines).toHaveLength(200);
  });

  it("shows nothing beyond the end, and says so", () => {
    const view = renderAnchors(anchorIndex("a\n"), { offset: 7 });
    expect(view.lines).toEqual([]);
    expect(view.text).toContain("1 line total, showing none");
  });

  it("recommends the most distinctive lines, at most 5, in their order", () => {
    const lines = Array.from({ length: 50 }, (_, i) => `call step${"x".repeat(i % 10)}${i};`);
    const { recommendedAnchors, text: shown } = renderAnchors(anchorIndex(text(...lines)));
    expect(recommendedAnchors).toEqual([10, 20, 30, 40, 50].map((line) => `${line}#${hash(lines[line - 1]!)}`));
    expect(shown).toContain(`\n\nRecommended anchors: ${recommendedAnchors.join(", ")}\n`);
  });

  it("never recommends a repeated line, boilerplate or a comment sign", () => {
    const poor = ["the same words", "display: flex;", "position: fixed", "//", "#", "</div>", "*/", "else", "});"];
    const view = renderAnchors(anchorIndex(text(...poor, "the same words")));
    expect(view.recommendedAnchors).toEqual([]);
    expect(view.text).not.toContain("Recommended");
    const [good] = renderAnchors(anchorIndex(text(...poor, "open(door);"))).recommendedAnchors;
    expect(good).toBe(`1#${hash("the same words")}`);
  });

  it("says that an empty file is empty, and how to fill it", () => {
    for (const empty of ["", "\uFEFF"]) {
      const view = renderAnchors(anchorIndex(empty));
      expect(view.lines).toEqual([]);
      expect(view.recommendedAnchors).toEqual([]);
      expect(view.text).toContain("the file is empty");
      expect(view.text).toContain("insert_after d41d8c");
    }
  });
});
