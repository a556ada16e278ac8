import { describe, expect, it } from "vitest";
import { anchorIndex, contextHash, renderAnchors } from "../../src/edit/anchors/index.ts";
import { hash, text } from "./anchors-support.ts";

describe("quality", () => {
  const qualities = (...lines: string[]) => anchorIndex(text(...lines)).lines.map((line) => line.quality);

  it("is low for blank lines, brackets, punctuation, quotes and backticks", () => {
    expect(qualities("", "   ", "}", "},", "});", "])", "'\"`", "\t{ }")).toEqual(Array(8).fill("low"));
  });

  it("is high for any line with other characters, however short", () => {
    expect(qualities("*/", "#", "else", "</div>", "x")).toEqual(Array(5).fill("high"));
  });

  it("is med for a line that occurs more than three times in the file", () => {
    expect(qualities("a", "a", "a")).toEqual(["high", "high", "high"]);
    expect(qualities("a", "a", "a", "a", "b")).toEqual(["med", "med", "med", "med", "high"]);
  });

  it("stays low however often a low line occurs", () => {
    expect(qualities("}", "}", "}", "}", "}")).toEqual(Array(5).fill("low"));
  });

  it("counts in the whole file, not in the lines shown", () => {
    const index = anchorIndex(text("a", "a", "a", "a"));
    expect(renderAnchors(index, { offset: 0, limit: 1 }).lines[0]).toContain("[med] occurrences=4");
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

  it("shows for repeated lines how often they occur and the context hash that singles them out", () => {
    const view = renderAnchors(anchorIndex(text("if a", "return;", "}", "if b", "return;", "}")));
    expect(view.lines[1]).toBe(`2#505b97 [high] occurrences=2 ctx=${contextHash("if a", "return;", "}")}|return;`);
    expect(view.lines[5]).toBe(
      `6#cbb184 [low] occurrences=2 WARNING:ambiguous_anchor ctx=${contextHash("return;", "}", "")}|}`,
    );
  });

  it("shows a window and tells what it is", () => {
    const index = anchorIndex(text(...Array.from({ length: 500 }, (_, i) => `line ${i + 1}`)));
    const view = renderAnchors(index, { offset: 10, limit: 5 });
    expect(view.lines.map((line) => line.slice(line.indexOf("|") + 1))).toEqual(
      [11, 12, 13, 14, 15].map((n) => `line ${n}`),
    );
    expect(view.footer).toBe(
      `\n[file_version: ${index.fileVersion}]\n(500 lines total, showing 11-15, anchors enabled)`,
    );
    expect(view).toMatchObject({ total: 500, from: 11, to: 15, anchorFormatVersion: "v3" });
    expect(renderAnchors(index).to).toBe(200);
  });

  it("shows nothing beyond the end, and says so", () => {
    const view = renderAnchors(anchorIndex("a\n"), { offset: 7 });
    expect([view.lines, view.from, view.to]).toEqual([[], 0, 0]);
    expect(view.footer).toContain("1 line total, showing none");
  });

  it("recommends at most 20 distinctive lines, spread over all that is shown", () => {
    const lines = Array.from({ length: 100 }, (_, i) => (i % 2 ? "}" : `unique ${i}`));
    const { recommendedAnchors, text: shown } = renderAnchors(anchorIndex(text(...lines)));
    expect(recommendedAnchors).toHaveLength(20);
    expect(recommendedAnchors[0]).toBe(`1#${hash("unique 0")}`);
    expect(recommendedAnchors.at(-1)).toBe(`99#${hash("unique 98")}`);
    expect(shown).toContain("--- RECOMMENDED ANCHORS (use these for edit operations) ---");
    expect(shown).toContain(`line   1   hash  ${hash("unique 0")}  quality  [high]   0 repeats`);
  });

  it("prefers lines without repeats", () => {
    const { recommendedAnchors } = renderAnchors(anchorIndex(text("twice", "once", "twice", "}")));
    expect(recommendedAnchors).toEqual([`2#${hash("once")}`]);
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
