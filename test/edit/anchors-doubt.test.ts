// Anchors that fit one line and still prove too little: a number that says otherwise, a prefix that fits by chance.
import { anchorIndex } from "stet/edit";
import { describe, expect, it } from "vitest";
import { edited, hash, refused, text } from "../support/anchors.ts";

describe("an older version whose text is not known", () => {
  const before = text("one() {", "  go();", "}", "two() {", "  go();", "}");
  // The first go() is gone: the hash now fits its sibling only.
  const current = text("one() {", "}", "two() {", "  go();", "}");
  const options = { numbered: [] };

  it("a line number that the hash contradicts is a refusal, not a way to the sibling", () => {
    for (const anchor of [{ hash: hash("go();"), line: 2 }, { hash: `2#${hash("go();")}` }]) {
      const failure = refused(current, [{ op: "delete_line", ...anchor }], options);
      expect(failure.kind).toBe("anchor_stale");
      expect(failure.message).toContain("ine 2 ");
    }
    const range = { op: "delete_range", start_hash: `1#${hash("one() {")}`, end_hash: `2#${hash("go();")}` };
    expect(refused(current, [range], options).kind).toBe("anchor_stale");
  });

  it("a position of a hash that several lines have does not count: it may be of another version", () => {
    for (const more of [{ line: 5 }, { occurrence: 2 }]) {
      expect(refused(before, [{ op: "delete_line", hash: hash("go();"), ...more }], options)).toMatchObject({
        kind: "anchor_ambiguous",
        suggestedAction: expect.stringContaining("Send one of the hashes shown in brackets"),
      });
    }
  });
});

describe("a short prefix", () => {
  const lines = (count: number) => text(...Array.from({ length: count }, (_, n) => `line ${n}`));
  const digest = anchorIndex(lines(1)).line(1).digest;
  const drop = (hash: string, more: object = {}) => ({ op: "delete_line", hash, ...more }) as const;

  it.each([
    [4, 65],
    [5, 1048],
  ])(
    "of %i characters serves alone in up to %i lines, where a chance match is less likely than 1 in 1000",
    (size, most) => {
      const prefix = digest.slice(0, size);
      expect(edited(lines(most), [drop(prefix)])).toBe(lines(most).replace("line 0\n", ""));
      const failure = refused(lines(most + 1), [drop(prefix)]);
      expect(failure).toMatchObject({
        kind: "anchor_ambiguous",
        suggestedAction: `If line 1 is meant, send "hash": "1#${digest.slice(0, 6)}".`,
        details: { candidates: [{ line: 1, hash: digest.slice(0, 8) }], suggested_action: "re-read_with_context" },
      });
      expect(failure.message).toContain(`${size} characters are too few`);
    },
  );

  it("is enough with the line number, the occurrence or two characters more", () => {
    const many = lines(200);
    const short = digest.slice(0, 4);
    for (const operation of [drop(short, { line: 1 }), drop(`1#${short}`), drop(short, { occurrence: 1 })]) {
      expect(edited(many, [operation])).toBe(many.replace("line 0\n", ""));
    }
    expect(edited(many, [drop(digest.slice(0, 6))])).toBe(many.replace("line 0\n", ""));
  });

  it("is refused at either end of a range, with the way to say it", () => {
    const range = { op: "delete_range", start_hash: digest.slice(0, 4), end_hash: hash("line 3") };
    expect(refused(lines(200), [range])).toMatchObject({
      kind: "anchor_context_ambiguous",
      suggestedAction: expect.stringContaining(`"start_hash": "1#${digest.slice(0, 6)}"`),
    });
  });
});
