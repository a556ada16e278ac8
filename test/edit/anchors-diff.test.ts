import { anchoredDiff, contextHash } from "stet/edit";
import { describe, expect, it } from "vitest";
import { hash, text } from "../support/anchors.ts";

const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
const shown = (sign: string, number: number, line: string) => `${sign}${number}#${hash(line)} [high]|${line}`;

describe("diff with anchors", () => {
  it("shows three lines around a change, all with their new anchors", () => {
    const diff = anchoredDiff(text(...lines), text(...lines.toSpliced(9, 1, "new a", "new b")));
    expect(diff.lines).toEqual([
      "--- file",
      "+++ file",
      shown(" ", 7, "line 7"),
      shown(" ", 8, "line 8"),
      shown(" ", 9, "line 9"),
      shown("-", 10, "line 10"),
      shown("+", 10, "new a"),
      shown("+", 11, "new b"),
      shown(" ", 12, "line 11"),
      shown(" ", 13, "line 12"),
      shown(" ", 14, "line 13"),
      "... (7 more lines after)",
    ]);
    expect(diff.newAnchors).toEqual([`10#${hash("new a")}`, `11#${hash("new b")}`]);
    expect(diff.text).toBe(diff.lines.join("\n"));
  });

  it("is the same, made of the text or of what changes it", () => {
    const before = `\uFEFF${text(...lines)}`;
    const start = before.indexOf("line 10");
    const splice = { start, end: start + "line 10".length, text: "new a\nnew b" };
    const diff = anchoredDiff(before, before.replace("line 10", splice.text));
    expect(anchoredDiff(before, [splice])).toEqual(diff);
    expect(diff.newAnchors).toEqual([`10#${hash("new a")}`, `11#${hash("new b")}`]);
  });

  it("does not take lines that only moved down for changed ones", () => {
    const diff = anchoredDiff(text(...lines), text("top", ...lines));
    expect(diff.lines.filter((line) => line.startsWith("+") && !line.startsWith("+++"))).toEqual([
      shown("+", 1, "top"),
    ]);
    expect(diff.lines.filter((line) => line.startsWith("-"))).toEqual(["--- file"]);
  });

  it("joins changes that are near and counts what lies between those that are not", () => {
    const far = lines.toSpliced(0, 1, "A").toSpliced(19, 1, "Z");
    expect(anchoredDiff(text(...lines), text(...far)).lines).toContain("... (12 unchanged lines)");
    const near = lines.toSpliced(0, 1, "A").toSpliced(4, 1, "E");
    const diff = anchoredDiff(text(...lines), text(...near));
    expect(diff.lines.filter((line) => line.includes("unchanged"))).toEqual([]);
    expect(diff.lines.filter((line) => line.endsWith("|line 3"))).toHaveLength(1);
  });

  it("marks quality by the frequency in the new file", () => {
    const diff = anchoredDiff("x\n", text("x", "}", "x", "x", "x"));
    expect(diff.lines).toContain("+2#cbb184 [low]|}");
    expect(diff.lines).toContain(` 1#${hash("x")} [med] ctx=${contextHash("", "x", "}")}|x`);
  });

  it("tells which lines of the new text it shows, also new ones behind the cut", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
    const { shown } = anchoredDiff(text(...lines), text(...lines.toSpliced(9, 1, "new a", "new b")));
    expect([...new Set(shown)].sort((a, b) => a - b)).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
    const long = anchoredDiff("", text(...lines), { maxBytes: 100 });
    expect(new Set(long.shown).size).toBe(20);
  });

  it("is empty when no line changed, whatever the line ends did", () => {
    expect(anchoredDiff("a\nb", "a\r\nb\r\n")).toEqual({ text: "", lines: [], newAnchors: [], shown: [] });
  });

  it("shows an emptied and a filled file", () => {
    expect(anchoredDiff("a\n", "").lines).toEqual(["--- file", "+++ file", shown("-", 1, "a")]);
    expect(anchoredDiff("", "a\n", { name: "x.ts" }).lines).toEqual(["--- x.ts", "+++ x.ts", shown("+", 1, "a")]);
  });

  it("cuts a long diff and counts the rest", () => {
    const diff = anchoredDiff("", text(...Array.from({ length: 1000 }, (_, i) => `new ${i}`)), { maxBytes: 240 });
    expect(diff.lines).toHaveLength(13);
    expect(diff.lines.at(-1)).toBe("... (990 lines of this diff cut; read the file for its lines as they are now)");
    expect(diff.newAnchors).toHaveLength(1000);
  });
});
