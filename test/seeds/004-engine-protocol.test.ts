// Seed 004, what the anchor engine alone can show: batches, staleness, ambiguity, occurrence and the result.

import { describe, expect, it } from "vitest";
import { anchoredDiff, anchorIndex, editByAnchors } from "../../src/edit/anchors/index.ts";
import { edited, hash, refused, text } from "../edit/anchors-support.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `statement ${i + 1};`);

describe("batches", () => {
  const lines = ["alpha", "beta", "gamma", "delta", "omega"];
  const before = text(...lines);

  it("WHEN the first two of 3 operations are valid and the third is not THEN NO modifications are applied and the error lists the invalid hash", () => {
    const failure = refused(before, [
      { op: "delete_line", hash: hash("alpha") },
      { op: "delete_line", hash: hash("beta") },
      { op: "delete_line", hash: "badbad" },
    ]);
    expect(failure.kind).toBe("anchor_stale");
    expect(failure.details?.missingHashes).toEqual(["badbad"]);
    expect(failure.message).toContain("badbad");
  });

  it("WHEN the second of 2 operations has an ambiguous hash without occurrence THEN NO modifications are applied and the error is anchor_ambiguous", () => {
    const failure = refused(text("one", "twin", "two", "twin"), [
      { op: "delete_line", hash: hash("one") },
      { op: "delete_line", hash: hash("twin") },
    ]);
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(failure.details).toMatchObject({ operation: 2 });
  });

  it("WHEN [delete_line, insert_after] THEN the insertion uses the hash-to-line mapping from the start of the batch, not the post-deletion state", () => {
    const after = edited(before, [
      { op: "delete_line", hash: hash("beta").slice(0, 4) },
      { op: "insert_after", hash: hash("delta").slice(0, 4), content: "new" },
    ]);
    expect(after).toBe(text("alpha", "gamma", "delta", "new", "omega"));
  });

  it("later operations do NOT use the results of earlier operations within the same batch", () => {
    const failure = refused(before, [
      { op: "replace_line", hash: hash("alpha"), content: "brand new" },
      { op: "insert_after", hash: hash("brand new"), content: "x" },
    ]);
    expect(failure.kind).toBe("anchor_stale");
  });
});

describe("validation against the current file", () => {
  it('WHEN the file was modified externally and previously seen hashes are used THEN anchor_stale, a message that the file has changed, and suggested_action "re-read_file"', () => {
    const seenText = "what was read\n";
    const failure = refused("now something else\n", [{ op: "delete_line", hash: hash("what was read") }], { seenText });
    expect(failure.kind).toBe("anchor_stale");
    expect(failure.message).toContain("The file has changed");
    expect(failure.details).toMatchObject({ suggested_action: "re-read_file" });
  });

  it("WHEN a hash matches multiple identical lines at all resolution levels THEN anchor_context_ambiguous, and details list all candidate lines with content previews", () => {
    const block = ["begin", "work(now);", "end"];
    const failure = refused(text(...block, ...block, ...block), [
      { op: "replace_line", hash: hash("work(now);"), content: "x" },
    ]);
    expect(failure.kind).toBe("anchor_context_ambiguous");
    expect(failure.details?.candidates).toMatchObject([
      { line: 2, preview: "work(now);" },
      { line: 5, preview: "work(now);" },
      { line: 8, preview: "work(now);" },
    ]);
  });

  it("WHEN a hash matches lines 10 and 25 at both 6-char and 8-char levels AND the context-augmented hash singles out line 25 THEN the tool resolves to line 25 without an error", () => {
    const lines = numbered(30).with(9, "return;").with(24, "return;");
    const index = anchorIndex(text(...lines));
    expect(index.find(hash("return;"))).toEqual([10, 25]);
    expect(index.find(index.line(10).digest.slice(0, 8))).toEqual([10, 25]);
    const result = editByAnchors(index.text, [{ op: "replace_line", hash: index.contextHash(25), content: "stop;" }]);
    expect(result.text).toBe(text(...lines.with(24, "stop;")));
    expect([result.autoCorrections, result.warnings]).toEqual([[], []]);
  });

  it('WHEN a "}," line at position 118 is rejected AND lines 119 and 120 are high THEN neighbor_anchors suggests them', () => {
    const lines = [...numbered(113), "", "}", "]", ")", "},", "const next = 1;", "const after = 2;", ")"];
    const failure = refused(text(...lines), [{ op: "replace_line", hash: hash("},"), content: "x" }]);
    expect(failure.kind).toBe("anchor_low_entropy");
    expect(failure.details).toMatchObject({
      line: 118,
      content: "},",
      neighbor_anchors: [`119#${hash("const next = 1;")}`, `120#${hash("const after = 2;")}`],
    });
  });

  it("up to 3 before and 3 after", () => {
    const lines = [...numbered(5), "}", ...numbered(10).slice(5)];
    const failure = refused(text(...lines), [{ op: "delete_line", hash: hash("}") }]);
    expect(failure.details?.neighbor_anchors).toEqual([3, 4, 5, 7, 8, 9].map((n) => `${n}#${hash(lines[n - 1]!)}`));
  });
});

describe("occurrence", () => {
  const blankAt = (...numbers: number[]) => numbered(14).map((line, i) => (numbers.includes(i + 1) ? "" : line));

  it('WHEN hash "d41d" with occurrence 3 matches lines 2, 5, 7 and 12 THEN line 7 is replaced', () => {
    const lines = blankAt(2, 5, 7, 12);
    const after = edited(text(...lines), [{ op: "replace_line", hash: "d41d", occurrence: 3, content: "new content" }]);
    expect(after).toBe(text(...lines.with(6, "new content")));
  });

  it('WHEN delete_line "d41d" with occurrence 1 matches lines 2, 5 and 7 THEN line 2 is deleted', () => {
    const lines = blankAt(2, 5, 7);
    expect(edited(text(...lines), [{ op: "delete_line", hash: "d41d", occurrence: 1 }])).toBe(
      text(...lines.toSpliced(1, 1)),
    );
  });

  it("If occurrence is omitted and the hash has multiple candidates, the edit SHALL be rejected with error anchor_ambiguous", () => {
    const lines = ["a1", "twin", "b2", "twin"];
    for (const op of ["replace_line", "insert_after", "insert_before"]) {
      expect(refused(text(...lines), [{ op, hash: hash("twin"), content: "x" }]).kind).toBe("anchor_ambiguous");
    }
    expect(refused(text(...lines), [{ op: "delete_line", hash: hash("twin") }]).kind).toBe("anchor_ambiguous");
  });
});

describe("result", () => {
  const lines = numbered(40);
  const before = text(...lines);
  const at = (number: number) => hash(lines[number - 1]!);

  it("WHEN 2 operations (one replacement, one insertion) result in +3 and -1 lines from line 12 on THEN count, net change, 11 / 12, and a localized diff with new 6-char anchors", () => {
    const result = editByAnchors(before, [
      { op: "replace_line", hash: at(12), content: "replaced;" },
      { op: "insert_after", hash: at(20), content: "new one;\nnew two;" },
    ]);
    expect(result).toMatchObject({
      operations: 2,
      linesBefore: 40,
      linesAfter: 42,
      addedLines: 3,
      removedLines: 1,
      anchorsValidThrough: 11,
      mustRefreshFromLine: 12,
    });
    const diff = anchoredDiff(before, result.text);
    expect(diff.newAnchors).toEqual([`12#${hash("replaced;")}`, `21#${hash("new one;")}`, `22#${hash("new two;")}`]);
    expect(diff.lines).toContain(`+12#${hash("replaced;")} [high]|replaced;`);
    expect(diff.lines).toContain(` 23#${at(21)} [high]|${lines[20]}`);
  });

  it("WHEN lines 20-22 are modified THEN anchors_valid_through is 19 and must_refresh_from_line is 20", () => {
    const result = editByAnchors(before, [{ op: "replace_range", start_hash: at(20), end_hash: at(22), content: "x" }]);
    expect([result.anchorsValidThrough, result.mustRefreshFromLine]).toEqual([19, 20]);
  });

  it("anchors up to the boundary stay as they were, those after it do not", () => {
    const { text: after, anchorsValidThrough } = editByAnchors(before, [
      { op: "insert_after", hash: at(7), content: "x" },
    ]);
    const anchors = (content: string) => anchorIndex(content).lines.map((line) => `${line.number}#${line.hash}`);
    expect(anchorsValidThrough).toBe(7);
    expect(anchors(after).slice(0, 7)).toEqual(anchors(before).slice(0, 7));
    expect(anchors(after)[7]).not.toBe(anchors(before)[7]);
  });
});
