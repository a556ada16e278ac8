import { anchorIndex, editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import { edited, hash, refused, text } from "../support/anchors.ts";

const twins = text("if a", "  return;", "}", "if b", "  return;", "}");
// Three lines whose hashes share their first 6 characters, 119de3.
const colliding = [
  "const item49150 = load(49150);",
  "const item86159 = load(86159);",
  "const item150754 = load(150754);",
];

describe("prefixes", () => {
  it("4 to 32 hex characters, in either case, with or without the line number and the quality", () => {
    const full = anchorIndex("only line\n").line(1).digest;
    for (const anchor of [full, full.slice(0, 4), full.slice(0, 9).toUpperCase(), `1#${full.slice(0, 6)}`]) {
      expect(edited("only line\n", [{ op: "replace_line", hash: anchor, content: "x" }])).toBe("x\n");
    }
    const asShown = ` 1#${full.slice(0, 6)} [high] `;
    expect(edited("only line\n", [{ op: "replace_line", hash: asShown, content: "x" }])).toBe("x\n");
  });

  it.each(["", "abc", "xyzxyz", "a".repeat(33), "0#abcdef", "-1#abcdef", "12", "abcdef|text", "12#"])(
    "%j is not an anchor",
    (anchor) => {
      const failure = refused(twins, [{ op: "delete_line", hash: anchor }]);
      expect(failure.kind).toBe("anchor_not_found");
      expect(failure.message).toContain(JSON.stringify(anchor));
    },
  );

  it("more characters tell lines apart that share the first six", () => {
    const before = text(...colliding);
    expect(new Set(colliding.map(hash))).toEqual(new Set(["119de3"]));
    const operation = { op: "replace_line", hash: "119de3e1", content: "x" } as const;
    expect(edited(before, [operation])).toBe(before.replace(colliding[1]!, "x"));
  });

  it("a shared prefix is refused with the longer hashes", () => {
    const failure = refused(text(...colliding), [{ op: "replace_line", hash: "119de3", content: "x" }]);
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(failure.details).toMatchObject({
      error_family: "anchor_ambiguous",
      suggested_action: "re-read_with_context",
      candidates: [{ hash: "119de3d0" }, { hash: "119de3e1" }, { hash: "119de3a9" }],
    });
  });
});

describe("context hashes", () => {
  it("tell equal lines apart", () => {
    const context = anchorIndex(twins).contextHash(5);
    for (const anchor of [context, context.slice(0, 7)]) {
      expect(edited(twins, [{ op: "replace_line", hash: anchor, content: "  stop;" }])).toBe(
        text("if a", "  return;", "}", "if b", "  stop;", "}"),
      );
    }
  });

  it("of fewer than 7 characters are not looked up", () => {
    const context = anchorIndex(twins).contextHash(5).slice(0, 6);
    expect(refused(twins, [{ op: "delete_line", hash: context }]).kind).toBe("anchor_stale");
  });

  it("that several lines share are ambiguous at every level", () => {
    const blocks = text("x", "same", "y", "x", "same", "y");
    const context = anchorIndex(blocks).contextHash(2);
    expect(refused(blocks, [{ op: "delete_line", hash: context }]).kind).toBe("anchor_context_ambiguous");
    expect(edited(blocks, [{ op: "delete_line", hash: context, occurrence: 2 }])).toBe(
      text("x", "same", "y", "x", "y"),
    );
  });
});

describe("equal lines", () => {
  it("are refused with all candidates, numbered, each with its context hash", () => {
    const failure = refused(twins, [{ op: "replace_line", hash: "505b97", content: "x" }]);
    const index = anchorIndex(twins);
    expect(failure.kind).toBe("anchor_ambiguous");
    const [first, second] = [2, 5].map((line) => index.contextHash(line));
    expect(failure.message).toContain(`#1 line 2 (ctx=${first}): "return;", #2 line 5 (ctx=${second}): "return;"`);
    expect(failure.details).toMatchObject({
      error_family: "anchor_ambiguous",
      suggested_action: "re-read_with_context",
      hash: "505b97",
      anchor: "hash",
      operation: 1,
      candidates: [
        { number: 1, line: 2, preview: "return;", context_hash: index.contextHash(2) },
        { number: 2, line: 5, preview: "return;", context_hash: index.contextHash(5) },
      ],
    });
  });

  it("are told apart by occurrence", () => {
    expect(edited(twins, [{ op: "delete_line", hash: "505b97", occurrence: 2 }])).toBe(
      text("if a", "  return;", "}", "if b", "}"),
    );
  });

  it("an occurrence that does not exist is refused, saying how many there are", () => {
    const failure = refused(twins, [{ op: "delete_line", hash: "505b97", occurrence: 3 }]);
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(failure.message).toContain("there is no occurrence 3; hash 505b97 matches 2 lines");
    expect(refused(twins, [{ op: "delete_line", hash: hash("if a"), occurrence: 2 }]).message).toContain(
      "matches 1 line",
    );
  });

  it("are told apart by the line number, exactly and never by nearness", () => {
    expect(edited(twins, [{ op: "delete_line", hash: "505b97", line: 5 }])).toBe(
      text("if a", "  return;", "}", "if b", "}"),
    );
    expect(edited(twins, [{ op: "delete_line", hash: "5#505b97" }])).toBe(text("if a", "  return;", "}", "if b", "}"));
    const failure = refused(twins, [{ op: "delete_line", hash: "505b97", line: 4 }]);
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(failure.message).toContain("line 4 does not have the hash");
  });

  it("previews are at most 40 characters and never cut a surrogate pair", () => {
    const long = `${"x".repeat(38)}😀 and more`;
    const failure = refused(text(long, long), [{ op: "delete_line", hash: hash(long) }]);
    expect(failure.details?.candidates).toMatchObject([{ preview: `${"x".repeat(38)}…` }, {}]);
  });
});

describe("a hash given with a line number", () => {
  it("that is not on that line is refused, and both lines are to be read", () => {
    for (const given of [hash("if b"), hash("if b").slice(0, 4)]) {
      const failure = refused(twins, [{ op: "delete_line", hash: `2#${given}` }]);
      expect(failure).toMatchObject({
        kind: "anchor_stale",
        suggestedAction: "Read lines 2-4 with read_file, hashes true, offset 1, limit 3, and use the new anchors.",
      });
      expect(failure.message).toContain(`ine 2 does not have the hash ${given}`);
    }
  });

  it("and an occurrence that says otherwise is refused, with the lines of both", () => {
    const operation = { op: "replace_line", hash: "505b97", occurrence: 2, content: "  x" } as const;
    for (const line of [2, 3]) {
      const failure = refused(twins, [{ ...operation, line }]);
      expect(failure.kind).toBe("anchor_ambiguous");
      expect(failure.message).toContain(`occurrence 2 is line 5, not line ${line}; hash 505b97 matches 2 lines`);
      expect(failure.suggestedAction).toContain('in place of the number the "occurrence"');
    }
    for (const right of [operation, { ...operation, line: 5 }])
      expect(editByAnchors(twins, [right]).targets[0]?.startLine).toBe(5);
  });

  it("and a different line field is refused", () => {
    expect(refused(twins, [{ op: "delete_line", hash: "2#505b97", line: 5 }]).message).toContain("names two lines");
  });
});

describe("low-entropy lines", () => {
  const only = text("start", "}", "end");

  it("are refused with neighbours and the occurrence that insists", () => {
    const failure = refused(only, [{ op: "insert_after", hash: "cbb184", content: "x" }]);
    expect(failure.kind).toBe("anchor_low_entropy");
    expect(failure.details).toMatchObject({
      suggested_action: "use_neighbor_anchor",
      line: 2,
      content: "}",
      occurrence: 1,
      neighbor_anchors: [`1#${hash("start")}`, `3#${hash("end")}`],
      low_entropy_anchors: [{ hash: "cbb184", line: 2, content: "}" }],
    });
    expect(failure.suggestedAction).toContain('"occurrence": 1');
    expect(edited(only, [{ op: "insert_after", hash: "cbb184", occurrence: 1, content: "x" }])).toBe(
      text("start", "}", "x", "end"),
    );
  });

  it("a line number alone does not insist, but the refusal names the right occurrence", () => {
    const failure = refused(twins, [{ op: "delete_line", hash: "6#cbb184" }]);
    expect(failure.kind).toBe("anchor_low_entropy");
    expect(failure.details).toMatchObject({ line: 6, occurrence: 2, occurrences: 2 });
  });

  it("several are listed, none is chosen", () => {
    const failure = refused(twins, [{ op: "delete_line", hash: "cbb184" }]);
    expect(failure.details).not.toHaveProperty("line");
    expect(failure.details?.low_entropy_anchors).toMatchObject([{ line: 3 }, { line: 6 }]);
  });

  it("tolerant allows the only one, strict allows none", () => {
    const bare = { op: "delete_line", hash: "cbb184" } as const;
    expect(edited(only, [bare], { lowEntropy: "tolerant" })).toBe(text("start", "end"));
    expect(refused(twins, [bare], { lowEntropy: "tolerant" }).kind).toBe("anchor_low_entropy");
    const failure = refused(only, [{ ...bare, occurrence: 1 }], { lowEntropy: "strict" });
    expect(failure.kind).toBe("anchor_low_entropy");
    expect(failure.suggestedAction).not.toContain("occurrence");
  });

  it("serve as ends of a range when there is one only", () => {
    expect(edited(only, [{ op: "delete_range", start_hash: hash("start"), end_hash: "cbb184" }])).toBe("end\n");
  });

  it("far from any good line, the nearest good ones are suggested", () => {
    const failure = refused(text("far", "", "", "", "", "}", "", "", "", "", "away"), [
      { op: "delete_line", hash: "cbb184" },
    ]);
    expect(failure.details?.neighbor_anchors).toEqual([`1#${hash("far")}`, `11#${hash("away")}`]);
  });
});
