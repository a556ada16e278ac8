import { applySplices, insertAtLine } from "stet/edit";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../support/edits.ts";

const insert = (text: string, line: number, added: string) => applySplices(text, insertAtLine(text, line, added));

describe("insertion at a line", () => {
  it("inserts whole lines before the line", () => {
    expect(insert("a\nb\n", 2, "x")).toBe("a\nx\nb\n");
    expect(insert("a\nb\n", 1, "x\ny\n")).toBe("x\ny\na\nb\n");
  });

  it("inserts behind a byte order mark", () => {
    expect(insert("\ufeffa\nb\n", 1, "x")).toBe("\ufeffx\na\nb\n");
    expect(insert("\ufeffa\nb\n", 2, "x")).toBe("\ufeffa\nx\nb\n");
  });

  it("appends at the line after the last", () => {
    expect(insert("a\nb\n", 3, "x")).toBe("a\nb\nx\n");
  });

  it("keeps a missing final newline missing", () => {
    expect(insert("a\nb", 3, "x")).toBe("a\nb\nx");
    expect(insert("a\nb", 2, "x")).toBe("a\nx\nb");
  });

  it("takes the line ending of its neighbour", () => {
    expect(insert("a\r\nb\n", 2, "x\ny")).toBe("a\r\nx\r\ny\r\nb\n");
    expect(insert("a\r\nb", 3, "x")).toBe("a\r\nb\r\nx");
  });

  it("starts an empty file", () => {
    expect(insert("", 1, "x")).toBe("x\n");
  });

  it("inserts literally", () => {
    expect(insert("a\n", 1, "$& \\1")).toBe("$& \\1\na\n");
  });

  it("refuses lines that are not there", () => {
    for (const line of [0, -1, 4, 1.5, Number.NaN]) {
      expect(refusalOf(() => insertAtLine("a\nb\n", line, "x"))).toMatchObject({ kind: "line_out_of_range" });
    }
    expect(refusalOf(() => insertAtLine("a\nb\n", 9, "x")).message).toBe("Line 9 out of range (file has 2 lines).");
  });

  it("refuses to insert nothing", () => {
    expect(refusalOf(() => insertAtLine("a\n", 1, "")).kind).toBe("no_change");
  });
});
