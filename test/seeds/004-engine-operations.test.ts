// Seed 004, what the anchor engine alone can show: the six operations.

import { describe, expect, it } from "vitest";
import { editByAnchors } from "../../src/edit/anchors/index.ts";
import { edited, hash, refused, text } from "../edit/anchors-support.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `statement ${i + 1};`);
const lines = numbered(10);
const before = text(...lines);
const at = (number: number) => hash(lines[number - 1]!);

describe("replace_line", () => {
  it("WHEN a valid 6-char hash matches uniquely to line 3 THEN line 3 is replaced and all other lines remain unchanged", () => {
    expect(at(3)).toMatch(/^[0-9a-f]{6}$/);
    const after = edited(before, [{ op: "replace_line", hash: at(3), content: "  return x + 1;" }]);
    expect(after).toBe(text(...lines.with(2, "  return x + 1;")));
  });

  it("WHEN the hash does not correspond to any line THEN rejected, and the message includes the unknown hash, with error anchor_stale", () => {
    const failure = refused(before, [{ op: "replace_line", hash: "0ff1ce", content: "x" }]);
    expect(failure.kind).toBe("anchor_stale");
    expect(failure.message).toContain("0ff1ce");
  });

  it("WHEN a 6-char hash matches 3 different lines AND the 8-char resolution hash uniquely identifies the intended line THEN the edit succeeds", () => {
    const three = [
      "const item49150 = load(49150);",
      "const item86159 = load(86159);",
      "const item150754 = load(150754);",
    ];
    expect(three.map(hash)).toEqual(["119de3", "119de3", "119de3"]);
    const after = edited(text(...three), [{ op: "replace_line", hash: "119de3a9", content: "x" }]);
    expect(after).toBe(text(three[0]!, three[1]!, "x"));
  });

  it("WHEN the hash resolves to a low line THEN anchor_low_entropy, with the line number and neighboring high-quality anchors", () => {
    const failure = refused(text("call({", "  a: 1", "},", "next"), [
      { op: "replace_line", hash: hash("},"), content: "x" },
    ]);
    expect(failure.kind).toBe("anchor_low_entropy");
    expect(failure.details).toMatchObject({
      line: 3,
      neighbor_anchors: [`1#${hash("call({")}`, `2#${hash("a: 1")}`, `4#${hash("next")}`],
    });
  });
});

describe("replace_range", () => {
  it("WHEN start_hash matches line 5, end_hash line 8, and content has 3 lines THEN lines 5 through 8 are replaced and surrounding lines unchanged", () => {
    const after = edited(before, [{ op: "replace_range", start_hash: at(5), end_hash: at(8), content: "a\nb\nc" }]);
    expect(after).toBe(text(...lines.slice(0, 4), "a", "b", "c", ...lines.slice(8)));
  });

  it("WHEN start_hash matches 2 lines even after 8-char and context resolution THEN anchor_context_ambiguous, identifying start_hash", () => {
    const repeated = text("same", "same", "last");
    const failure = refused(repeated, [
      { op: "replace_range", start_hash: hash("same"), end_hash: hash("last"), content: "x" },
    ]);
    expect(failure.kind).toBe("anchor_context_ambiguous");
    expect(failure.details).toMatchObject({ anchor: "start_hash", candidates: [{ line: 1 }, { line: 2 }] });
    expect(failure.message).toContain("start_hash");
  });

  it("WHEN end_hash matches 3 lines even after full resolution THEN anchor_context_ambiguous, identifying end_hash", () => {
    const repeated = text("first", "same", "same", "same");
    const failure = refused(repeated, [
      { op: "replace_range", start_hash: hash("first"), end_hash: hash("same"), content: "x" },
    ]);
    expect(failure.kind).toBe("anchor_context_ambiguous");
    expect(failure.details).toMatchObject({ anchor: "end_hash", candidates: [{}, {}, {}] });
    expect(failure.message).toContain("end_hash");
  });

  it("WHEN start_hash is line 791 and end_hash is line 17 THEN the endpoints are swapped, lines 17 through 791 are the range, and auto_corrections says so", () => {
    const long = numbered(800);
    const result = editByAnchors(text(...long), [
      { op: "replace_range", start_hash: hash(long[790]!), end_hash: hash(long[16]!), content: "x" },
    ]);
    expect(result.text).toBe(text(...long.slice(0, 16), "x", ...long.slice(791)));
    expect(result.autoCorrections).toEqual([
      { type: "range_order_swapped", detail: "start_line (791) was after end_line (17). Swapped automatically." },
    ]);
  });

  it("WHEN start_hash and end_hash both resolve to the same line THEN invalid_range_order, and the error says that the range is a no-op", () => {
    const failure = refused(before, [{ op: "replace_range", start_hash: at(4), end_hash: `4#${at(4)}`, content: "x" }]);
    expect(failure.kind).toBe("invalid_range_order");
    expect(failure.message).toContain("no-op (start equals end)");
    expect(failure.suggestedAction).toContain("replace_line");
    expect(failure.details).toMatchObject({ start_line: 4, end_line: 4, suggested_action: "re-read_file" });
  });
});

describe("insert_after", () => {
  it("WHEN hash matches line 4 and content has two lines THEN they are inserted after line 4 and line 5 and beyond shift down", () => {
    const content = "  console.log('debug');\n  return result;";
    const after = edited(before, [{ op: "insert_after", hash: at(4), content }]);
    expect(after).toBe(text(...lines.slice(0, 4), ...content.split("\n"), ...lines.slice(4)));
  });

  it("WHEN the hash resolves to a low line THEN anchor_low_entropy", () => {
    expect(refused(text("a1", "}"), [{ op: "insert_after", hash: hash("}"), content: "x" }]).kind).toBe(
      "anchor_low_entropy",
    );
  });
});

describe("insert_before", () => {
  it('WHEN hash matches line 1 and content is "// Copyright 2024\\n" THEN the new line becomes the new line 1', () => {
    const result = editByAnchors(before, [{ op: "insert_before", hash: at(1), content: "// Copyright 2024\n" }]);
    expect(result.text).toBe(`// Copyright 2024\n${before}`);
    expect(result.linesAfter).toBe(11);
  });

  it("If the resolved target line is classified as low-entropy, the operation SHALL be rejected with error anchor_low_entropy", () => {
    expect(refused(text("a1", "}"), [{ op: "insert_before", hash: hash("}"), content: "x" }]).kind).toBe(
      "anchor_low_entropy",
    );
  });
});

describe("delete_line", () => {
  it("WHEN a hash matches line 3 THEN line 3 is removed and subsequent lines shift up", () => {
    expect(edited(before, [{ op: "delete_line", hash: at(3) }])).toBe(text(...lines.toSpliced(2, 1)));
  });

  it("If the resolved target line is classified as low-entropy, the operation SHALL be rejected with error anchor_low_entropy", () => {
    expect(refused(text("a1", "}"), [{ op: "delete_line", hash: hash("}") }]).kind).toBe("anchor_low_entropy");
  });
});

describe("delete_range", () => {
  it("WHEN start_hash matches line 2 and end_hash line 4 THEN lines 2, 3 and 4 are removed and line 5 becomes the new line 2", () => {
    const after = edited(before, [{ op: "delete_range", start_hash: at(2), end_hash: at(4) }]);
    expect(after).toBe(text(...lines.toSpliced(1, 3)));
    expect(after.split("\n")[1]).toBe(lines[4]);
  });

  it("If either hash remains ambiguous, the edit SHALL be rejected with error anchor_context_ambiguous", () => {
    const failure = refused(text("x1", "same", "y2", "same"), [
      { op: "delete_range", start_hash: hash("x1"), end_hash: hash("same") },
    ]);
    expect(failure.kind).toBe("anchor_context_ambiguous");
  });
});

describe("parameters", () => {
  it("Mixing these (e.g., start_hash on a replace_line) causes validation failure", () => {
    const failure = refused(before, [{ op: "replace_line", start_hash: at(1), content: "x" }]);
    expect(failure.kind).toBe("invalid_input");
    expect(failure.message).toContain("start_hash");
  });
});
