import { editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";
import { edited, hash, refused, text } from "../support/anchors.ts";

const abcde = text("a1", "b2", "c3", "d4", "e5");
const [a, b, c, d, e] = ["a1", "b2", "c3", "d4", "e5"].map(hash) as [string, string, string, string, string];

describe("defects that must not come back", () => {
  it("A: identical lines are ambiguous, never the first of them", () => {
    const failure = refused(text("same", "x", "same"), [{ op: "replace_line", hash: hash("same"), content: "y" }]);
    expect(failure.kind).toBe("anchor_ambiguous");
  });

  it("B: a swapped range replaces its lines instead of inserting beside them", () => {
    for (const content of ["x", "x\ny\nz"]) {
      const swapped = editByAnchors(abcde, [{ op: "replace_range", start_hash: d, end_hash: b, content }]);
      expect(swapped.text).toBe(text("a1", ...content.split("\n"), "e5"));
    }
    expect(edited(abcde, [{ op: "delete_range", start_hash: d, end_hash: b }])).toBe(text("a1", "e5"));
  });

  it("C: the nearest candidate of an ambiguous range end is told and never used", () => {
    const before = text("same", "x1", "same", "y2", "same", "same");
    const start = refused(before, [{ op: "delete_range", start_hash: hash("same"), end_hash: hash("y2") }]);
    expect(start.kind).toBe("anchor_context_ambiguous");
    expect(start.details).toMatchObject({ anchor: "start_hash", nearest_candidate: { line: 3 } });
    const end = refused(before, [{ op: "delete_range", start_hash: hash("y2"), end_hash: hash("same") }]);
    expect(end.details).toMatchObject({ anchor: "end_hash", nearest_candidate: { line: 5 } });
  });

  it("D: operations after a deletion still mean the lines of the snapshot", () => {
    expect(
      edited(abcde, [
        { op: "delete_line", hash: b },
        { op: "insert_after", hash: d, content: "NEW" },
      ]),
    ).toBe(text("a1", "c3", "d4", "NEW", "e5"));
  });

  it("E: a merged insertion appears once", () => {
    const result = editByAnchors(abcde, [
      { op: "replace_line", hash: b, content: "B" },
      { op: "insert_after", hash: b, content: "after" },
    ]);
    expect(result.text).toBe(text("a1", "B", "after", "c3", "d4", "e5"));
    expect(result.autoCorrections).toEqual([
      {
        type: "overlap_merged",
        detail: "Operations 1 (replace_line) and 2 (insert_after) address line 2. Merged into one replacement.",
      },
    ]);
  });

  it("F: the same hash with different occurrences is two operations", () => {
    const before = text("same", "x", "same", "y", "same");
    expect(
      edited(before, [
        { op: "replace_line", hash: hash("same"), occurrence: 3, content: "third" },
        { op: "replace_line", hash: hash("same"), occurrence: 1, content: "first" },
      ]),
    ).toBe(text("first", "x", "same", "y", "third"));
  });
});

describe("order", () => {
  it("insertions at one anchor keep the order of the batch, those after a line before those before the next", () => {
    const operations: AnchorOperation[] = [
      { op: "insert_before", hash: c, content: "1" },
      { op: "insert_after", hash: b, content: "2" },
      { op: "insert_after", hash: b, content: "3" },
    ];
    expect(edited(abcde, operations)).toBe(text("a1", "b2", "2", "3", "1", "c3", "d4", "e5"));
  });

  it("what is inserted before a line stays before its replacement, also when the line is empty", () => {
    const before = text("x1", "", "y2");
    expect(
      edited(before, [
        { op: "replace_line", hash: "d41d8c", occurrence: 1, content: "new" },
        { op: "insert_before", hash: "d41d8c", occurrence: 1, content: "before" },
      ]),
    ).toBe(text("x1", "before", "new", "y2"));
  });

  it("the order of operations at different places does not matter", () => {
    const operations: AnchorOperation[] = [
      { op: "replace_line", hash: a, content: "A\nA" },
      { op: "delete_line", hash: c },
      { op: "insert_after", hash: e, content: "end" },
    ];
    expect(edited(abcde, operations)).toBe(edited(abcde, operations.toReversed()));
  });
});

describe("operations that meet", () => {
  it.each([
    [
      "insert_before and replace_line",
      [
        { op: "insert_before", hash: b, content: "x" },
        { op: "replace_line", hash: b, content: "B" },
      ],
      ["a1", "x", "B", "c3", "d4", "e5"],
    ],
    [
      "insert_after and delete_line",
      [
        { op: "insert_after", hash: b, content: "x" },
        { op: "delete_line", hash: b },
      ],
      ["a1", "x", "c3", "d4", "e5"],
    ],
    [
      "neighbouring lines",
      [
        { op: "replace_line", hash: b, content: "B" },
        { op: "delete_line", hash: c },
      ],
      ["a1", "B", "d4", "e5"],
    ],
    [
      "insertions at the ends of a range",
      [
        { op: "insert_before", hash: b, content: "x" },
        { op: "delete_range", start_hash: b, end_hash: d },
        { op: "insert_after", hash: d, content: "y" },
      ],
      ["a1", "x", "y", "e5"],
    ],
  ] as const)("%s are applied", (_, operations, lines) => {
    expect(edited(abcde, operations)).toBe(text(...lines));
  });

  it.each([
    [
      "replace_line and delete_line",
      [
        { op: "replace_line", hash: b, content: "B" },
        { op: "delete_line", hash: b },
      ],
    ],
    [
      "insert_after and insert_before",
      [
        { op: "insert_after", hash: b, content: "x" },
        { op: "insert_before", hash: b, content: "y" },
      ],
    ],
    [
      "the same under different names",
      [
        { op: "insert_after", hash: b, content: "x" },
        { op: "insert_before", hash: `2#${b}`, content: "y" },
      ],
    ],
    [
      "two replacements of one line",
      [
        { op: "replace_line", hash: b, content: "x" },
        { op: "replace_line", hash: b.slice(0, 5), content: "y" },
      ],
    ],
    [
      "two ranges",
      [
        { op: "delete_range", start_hash: a, end_hash: c },
        { op: "delete_range", start_hash: c, end_hash: e },
      ],
    ],
    [
      "a line in a range",
      [
        { op: "delete_range", start_hash: a, end_hash: d },
        { op: "delete_line", hash: b },
        { op: "delete_line", hash: c },
      ],
    ],
    [
      "an insertion in a range",
      [
        { op: "delete_range", start_hash: a, end_hash: c },
        { op: "insert_after", hash: a, content: "x" },
      ],
    ],
  ] as const)("%s are refused", (_, operations) => {
    const failure = refused(abcde, operations);
    expect(failure.kind).toBe("overlapping_operations");
    expect(failure.details).toMatchObject({ suggested_action: "rewrite_as_single_block" });
    expect(failure.message).toMatch(/^Operations 1 \(\w+\) and 2 \(\w+\) overlap/);
  });

  it("all overlaps are listed", () => {
    const failure = refused(abcde, [
      { op: "delete_range", start_hash: a, end_hash: d },
      { op: "delete_line", hash: b },
      { op: "delete_line", hash: c },
    ]);
    expect(failure.details?.conflicts).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });
});

describe("which refusal comes first", () => {
  const mixed = text("x1", "}", "same", "}", "same", "y2");
  const stale = { op: "delete_line", hash: "ffffffff" };
  const low = { op: "delete_line", hash: "cbb184" };
  const ambiguous = { op: "delete_line", hash: hash("same") };
  const oneLine = { op: "delete_range", start_hash: hash("x1"), end_hash: hash("x1") };
  const conflict = [
    { op: "delete_line", hash: hash("y2") },
    { op: "replace_line", hash: hash("y2"), content: "" },
  ];

  it.each([
    ["invalid_range_order", [ambiguous, low, stale, oneLine, ...conflict]],
    ["anchor_stale", [ambiguous, low, stale, ...conflict]],
    ["anchor_low_entropy", [ambiguous, low, ...conflict]],
    ["anchor_ambiguous", [ambiguous, ...conflict]],
    ["overlapping_operations", conflict],
  ])("%s", (kind, operations) => {
    expect(refused(mixed, operations).kind).toBe(kind);
  });

  it("all stale anchors of the batch are listed at once", () => {
    const failure = refused(mixed, [
      { op: "delete_line", hash: "aaaaaa" },
      { op: "delete_range", start_hash: "bbbbbb", end_hash: "cccccc" },
      { op: "delete_line", hash: hash("y2") },
    ]);
    expect(failure.details?.missingHashes).toEqual(["aaaaaa", "bbbbbb", "cccccc"]);
    expect(failure.message).toContain("aaaaaa or bbbbbb or cccccc");
  });

  it("all ambiguous anchors are in the details", () => {
    const failure = refused(mixed, [ambiguous, { ...ambiguous, hash: hash("same").slice(0, 5) }]);
    expect(failure.details?.ambiguous_anchors).toHaveLength(2);
  });
});
