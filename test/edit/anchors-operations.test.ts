import { editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import { edited, hash, refused, text } from "../support/anchors.ts";

const abc = text("alpha", "beta", "gamma", "delta", "omega");

describe("content", () => {
  it("one trailing newline only ends the last line", () => {
    expect(edited(abc, [{ op: "insert_before", hash: hash("alpha"), content: "// Copyright 2024\n" }])).toBe(
      `// Copyright 2024\n${abc}`,
    );
    expect(edited(abc, [{ op: "replace_line", hash: hash("beta"), content: "b\n" }])).toBe(abc.replace("beta", "b"));
  });

  it("a second trailing newline is an empty line", () => {
    expect(edited("a\nb\n", [{ op: "insert_after", hash: hash("a"), content: "x\n\n" }])).toBe("a\nx\n\nb\n");
  });

  it("is literal: nothing in it is a pattern", () => {
    const content = "$& $1 \\n ======= $$";
    expect(edited("a\nb\n", [{ op: "replace_line", hash: hash("a"), content }])).toBe(`${content}\nb\n`);
  });

  it("empty content leaves one empty line, and says so", () => {
    const result = editByAnchors(abc, [{ op: "replace_line", hash: hash("beta"), content: "" }]);
    expect(result.text).toBe(abc.replace("beta", ""));
    expect(result.warnings[0]).toContain("leaves one empty line");
  });

  it("the same content as before is refused as applied already, with its lines", () => {
    const same = refused(abc, [{ op: "replace_line", hash: hash("beta"), content: "beta" }]);
    expect(same).toMatchObject({ kind: "already_applied", details: { startLine: 2, endLine: 2 } });
    const range = { op: "replace_range", start_hash: hash("alpha"), end_hash: hash("gamma") } as const;
    const whole = refused(abc, [{ ...range, content: "alpha\nbeta\ngamma" }]);
    expect(whole).toMatchObject({ kind: "already_applied", details: { startLine: 1, endLine: 3 } });
    expect(whole.message).toBe("The new text is the same as the old one, at lines 1-3.");
  });

  it("content that still carries an anchor of this file is refused", () => {
    const content = `2#${hash("beta")} [high]|better`;
    const failure = refused(abc, [{ op: "replace_line", hash: hash("beta"), content }]);
    expect(failure.kind).toBe("invalid_input");
    expect(failure.suggestedAction).toBe("Send only the text after the bar.");
  });

  it("text that only looks like an anchor is content", () => {
    const content = "2#ffffff [high]|better";
    expect(edited(abc, [{ op: "replace_line", hash: hash("beta"), content }])).toBe(abc.replace("beta", content));
  });
});

describe("line ends", () => {
  const crlf = "a\r\nb\r\nc\r\n";

  it("CRLF stays in replaced and inserted lines", () => {
    expect(edited(crlf, [{ op: "replace_line", hash: hash("b"), content: "x\ny" }])).toBe("a\r\nx\r\ny\r\nc\r\n");
    expect(edited(crlf, [{ op: "insert_after", hash: hash("b"), content: "x" }])).toBe("a\r\nb\r\nx\r\nc\r\n");
    expect(edited(crlf, [{ op: "insert_before", hash: hash("a"), content: "x\r\ny\r\n" }])).toBe(
      "x\r\ny\r\na\r\nb\r\nc\r\n",
    );
  });

  it("in a mixed file each line keeps its own, and new lines take their neighbour's", () => {
    const mixed = "a\nb\r\nc\nd\r\n";
    expect(edited(mixed, [{ op: "replace_line", hash: hash("b"), content: "B" }])).toBe("a\nB\r\nc\nd\r\n");
    expect(edited(mixed, [{ op: "insert_after", hash: hash("b"), content: "x" }])).toBe("a\nb\r\nx\r\nc\nd\r\n");
    expect(edited(mixed, [{ op: "insert_before", hash: hash("c"), content: "x" }])).toBe("a\nb\r\nx\nc\nd\r\n");
  });

  it("lines repeated at either end of a replaced range keep their own", () => {
    const mixed = "a\nb\r\nc\nd\r\n";
    expect(
      edited(mixed, [{ op: "replace_range", start_hash: hash("a"), end_hash: hash("d"), content: "a\nnew\nb\nc\nd" }]),
    ).toBe("a\nnew\r\nb\r\nc\nd\r\n");
  });

  it("a last line without newline stays without one", () => {
    expect(edited("a\nb", [{ op: "replace_line", hash: hash("b"), content: "x\n" }])).toBe("a\nx");
    expect(edited("a\nb", [{ op: "insert_after", hash: hash("b"), content: "x\n" }])).toBe("a\nb\nx");
    expect(edited("a\r\nb", [{ op: "insert_after", hash: hash("b"), content: "x\ny" }])).toBe("a\r\nb\r\nx\r\ny");
    expect(edited("a", [{ op: "insert_before", hash: hash("a"), content: "x" }])).toBe("x\na");
  });

  it("deleting the last line without newline takes no byte of the line before", () => {
    expect(edited("a\nb", [{ op: "delete_line", hash: hash("b") }])).toBe("a\n");
  });

  it("an empty last line gets the newline that makes it a line", () => {
    const result = editByAnchors("a\nb", [{ op: "insert_after", hash: hash("b"), content: "" }]);
    expect([result.text, result.linesAfter]).toEqual(["a\nb\n\n", 3]);
    expect(edited("a\nb", [{ op: "replace_line", hash: hash("b"), content: "" }])).toBe("a\n\n");
  });

  it("operations that meet at an end without newline add up", () => {
    const at = hash("b");
    expect(
      edited("a\nb", [
        { op: "delete_line", hash: at },
        { op: "insert_after", hash: at, content: "x" },
      ]),
    ).toBe("a\nx");
    expect(
      edited("a\nb", [
        { op: "replace_line", hash: at, content: "B\n\n" },
        { op: "insert_after", hash: at, content: "x" },
      ]),
    ).toBe("a\nB\n\nx");
    expect(
      edited("a\nb", [
        { op: "insert_after", hash: at, content: "" },
        { op: "insert_after", hash: at, content: "x" },
      ]),
    ).toBe("a\nb\n\nx");
  });

  it("a lone CR is a character of its line", () => {
    expect(edited("a\rb\nc\n", [{ op: "delete_line", hash: hash("a\rb") }])).toBe("c\n");
    expect(edited("a\rb\nc\n", [{ op: "insert_after", hash: hash("a\rb"), content: "x\ry" }])).toBe("a\rb\nx\ry\nc\n");
    expect(refused("a\rb\n\nc\n", [{ op: "delete_line", hash: hash("b") }]).kind).toBe("anchor_stale");
  });
});

describe("byte order mark", () => {
  const marked = "\uFEFFa\nb\n";

  it("stays first whatever happens to the first line", () => {
    expect(edited(marked, [{ op: "replace_line", hash: hash("a"), content: "x" }])).toBe("\uFEFFx\nb\n");
    expect(edited(marked, [{ op: "insert_before", hash: hash("a"), content: "x" }])).toBe("\uFEFFx\na\nb\n");
    expect(edited(marked, [{ op: "delete_line", hash: hash("a") }])).toBe("\uFEFFb\n");
    expect(edited(marked, [{ op: "delete_range", start_hash: hash("a"), end_hash: hash("b") }])).toBe("\uFEFF");
  });
});

describe("an empty file", () => {
  it("takes its first lines by insert_after or insert_before with the hash of nothing", () => {
    for (const op of ["insert_after", "insert_before"] as const) {
      const result = editByAnchors("", [{ op, hash: "d41d8c", content: "a\nb" }]);
      expect(result).toMatchObject({ text: "a\nb\n", linesBefore: 0, linesAfter: 2, anchorsValidThrough: 0 });
    }
    expect(edited("\uFEFF", [{ op: "insert_after", hash: "1#d41d8c", content: "a" }])).toBe("\uFEFFa\n");
  });

  it("refuses every other anchor and says how to fill the file", () => {
    for (const operation of [
      { op: "insert_after", hash: "abcdef", content: "a" },
      { op: "replace_line", hash: "d41d8c", content: "a" },
      { op: "insert_after", hash: "d41d8c", occurrence: 2, content: "a" },
    ]) {
      const failure = refused("", [operation]);
      expect(failure.kind).toBe("anchor_stale");
      expect(failure.suggestedAction).toContain("insert_after with the hash d41d8c");
    }
  });
});

describe("what the result counts", () => {
  it("added, removed, before and after", () => {
    const result = editByAnchors(abc, [
      { op: "replace_range", start_hash: hash("beta"), end_hash: hash("delta"), content: "x" },
      { op: "insert_after", hash: hash("omega"), content: "y\nz" },
    ]);
    expect(result).toMatchObject({ linesBefore: 5, linesAfter: 5, addedLines: 3, removedLines: 3 });
    expect(result.targets).toEqual([
      { op: "replace_range", startLine: 2, endLine: 4 },
      { op: "insert_after", startLine: 5, endLine: 5 },
    ]);
  });

  it.each([
    [{ op: "insert_after", hash: hash("gamma"), content: "x" }, 3],
    [{ op: "insert_before", hash: hash("gamma"), content: "x" }, 2],
    [{ op: "replace_line", hash: hash("gamma"), content: "x" }, 2],
    [{ op: "delete_line", hash: hash("gamma") }, 2],
    [{ op: "delete_range", start_hash: hash("beta"), end_hash: hash("delta") }, 1],
    [{ op: "insert_after", hash: hash("omega"), content: "x" }, 5],
  ] as const)("%o leaves anchors valid through line %i", (operation, through) => {
    const result = editByAnchors(abc, [operation]);
    expect(result.anchorsValidThrough).toBe(through);
  });
});
