import { describe, expect, it } from "vitest";
import { edited, hash, refused, text } from "../support/anchors.ts";

const LINES = ["alpha();", "const item49150 = load(49150);", "beta();", "const item86159 = load(86159);", "gamma();"];
const before = text(...LINES);
const drop = (anchor: string) => ({ op: "delete_line", hash: anchor }) as const;
const without = (line: string) => text(...LINES.filter((each) => each !== line));

describe("an anchor that fits several lines", () => {
  it("is refused with the longer hashes of each, and every one of them leads to its line alone", () => {
    const failure = refused(before, [drop("119de3")]);
    expect(failure.kind).toBe("anchor_ambiguous");
    const shown = [...failure.message.matchAll(/line (\d) \(hash=(\w{8}) ctx=(\w{8})\)/g)];
    expect(shown.map(([, line]) => line)).toEqual(["2", "4"]);
    for (const [, line, ...hashes] of shown)
      for (const each of hashes) expect(edited(before, [drop(each)])).toBe(without(LINES[Number(line) - 1]!));
    expect(failure.suggestedAction).toContain("one of the hashes shown in brackets");
  });

  it("equal lines are shown with their context hashes only, where these tell them apart", () => {
    const twins = text("if a", "go now;", "if b", "go now;", "end");
    const failure = refused(twins, [drop(hash("go now;"))]);
    const shown = [...failure.message.matchAll(/line (\d) \(ctx=(\w{8})\)/g)];
    expect(shown.map(([, line]) => line)).toEqual(["2", "4"]);
    for (const [, line, context] of shown) {
      const kept = twins.split("\n").filter((_, at) => at !== Number(line) - 1);
      expect(edited(twins, [drop(context!)])).toBe(kept.join("\n"));
    }
  });

  it("equal in all that surrounds them: only an occurrence tells, and one that there is not is another matter", () => {
    const twins = text("so", "go now;", "so", "go now;", "so");
    expect(refused(twins, [drop(hash("go now;"))]).kind).toBe("anchor_context_ambiguous");
    expect(refused(twins, [{ ...drop(hash("go now;")), occurrence: 3 }]).kind).toBe("anchor_ambiguous");
  });

  it("names ten lines, and says how many more there are", () => {
    const many = (count: number) => text(...Array.from({ length: count }, () => "go now;"));
    expect(refused(many(10), [drop(hash("go now;"))]).message).not.toContain("more");
    const { message } = refused(many(12), [drop(hash("go now;"))]);
    expect(message).toContain("matches 12 lines: #1 line 1");
    expect(message).toMatch(/#10 line 10[^#]*, and 2 more\.$/);
  });

  it("a hash that would not be taken is not offered: lines alike in every way, blank lines", () => {
    const alike = text("go now;", "go now;", "go now;", "go now;");
    const failure = refused(alike, [drop(hash("go now;"))]);
    expect(failure.message).toContain("#1 line 1 (ctx=");
    expect(failure.message).toContain('#2 line 2: "go now;", #3 line 3: "go now;"');
    // The hash of its first line begins as that of a blank line does.
    const mixed = text("const item74151 = load(74151);", "", "end();");
    const both = refused(mixed, [drop("d41d")]);
    expect(both.message).toMatch(/#1 line 1 \(hash=d41d\w{4} ctx=\w{8}\): "const item74151.*#2 line 2: ""\./);
    expect(edited(mixed, [{ ...drop("d41d"), occurrence: 2 }])).toBe(mixed.replace("\n\n", "\n"));
  });
});

it("of several anchors that fit several lines the first is told, and how many more there are", () => {
  const twins = text("if a", "go now;", "stop now;", "if b", "go now;", "stop now;", "end");
  const [one, other] = [drop(hash("go now;")), drop(hash("stop now;"))];
  expect(refused(twins, [one, other]).message).toContain(" (1 more ambiguous anchor in the batch.)");
  expect(refused(twins, [one]).message).not.toContain("in the batch");
});

it("a line that was not shown is not found by its occurrence, and that is said", () => {
  const twins = text("if a", "go now;", "if b", "go now;", "end");
  const operation = { ...drop(hash("go now;")), occurrence: 1 };
  expect(refused(twins, [operation], { shown: [{ from: 3, to: 5 }] }).message).toMatch(
    /^Line 2 has not been shown to you in this version\./,
  );
});

it("a range is taken when all its lines were shown, from its first on", () => {
  const lines = text("one()", "two()", "three()", "four()");
  const range = { op: "delete_range", start_hash: hash("one()"), end_hash: hash("four()") } as const;
  expect(edited(lines, [range], { shown: [{ from: 1, to: 4 }] })).toBe("");
  expect(refused(lines, [range], { shown: [{ from: 2, to: 4 }] }).message).toMatch(/line 1 has not been shown/i);
  const gap = [
    { from: 1, to: 1 },
    { from: 3, to: 4 },
  ];
  expect(refused(lines, [range], { shown: gap }).message).toContain("Line 2, inside the range");
});

describe("an anchor that fits no line", () => {
  const _beta = hash("beta();");
  it("is told as it is", () => {
    const far = refused(before, [drop("123456")]);
    expect(far.message).not.toContain("Nearest");
    expect(far.suggestedAction).toBe("Read the file again with hashes and use the new anchors.");
  });

  it("with a line number it is told to read that line, if there is one", () => {
    const failure = refused(before, [drop("5#123456")], { shown: [{ from: 1, to: 5 }] });
    expect(failure.suggestedAction).toContain("Read line 5 with read_file, hashes true, offset 4, limit 1,");
    expect(refused(before, [drop("9#123456")]).suggestedAction).toContain("Read the file again with hashes");
  });

  it("says what is known of the version: as it was read, never read", () => {
    const nowhere = drop("123456");
    expect(refused(before, [nowhere], { shown: [{ from: 1, to: 5 }] }).message).toBe(
      "No line of the current file has the hash 123456; the file is as you last read or edited it, so the anchor is mistyped or of an older version.",
    );
    expect(refused(before, [nowhere]).message).toContain("you have not read the file in this session");
    expect(refused(before, [nowhere, drop("abcdef")]).message).toContain("has the hash 123456 or abcdef;");
  });
});
