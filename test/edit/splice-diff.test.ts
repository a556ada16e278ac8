import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spliceDiff } from "../../src/edit/diff/splice-diff.ts";
import { unifiedDiff } from "../../src/edit/diff/unified.ts";
import { applySplices } from "../../src/edit/text/splice.ts";

const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;

describe("the diff of an edit", () => {
  it("is the diff of the texts, with the right line numbers", () => {
    const at = LINES.indexOf("line 20");
    const splices = [{ start: at, end: at + 7, text: "changed" }];
    expect(spliceDiff(LINES, splices, { path: "a" })).toEqual(
      unifiedDiff(LINES, applySplices(LINES, splices), { path: "a" }),
    );
  });

  it("a line that looks like a hunk header is left alone", () => {
    const text = `${"x\n".repeat(30)}@@ -1,2 +1,2 @@\nend\n`;
    const splices = [{ start: text.length - 4, end: text.length - 1, text: "END" }];
    expect(spliceDiff(text, splices, { path: "a" }).text).toBe(
      unifiedDiff(text, applySplices(text, splices), { path: "a" }).text,
    );
  });

  it.each([
    ["a line separator", "\u2028"],
    ["a paragraph separator", "\u2029"],
    ["a carriage return", "\r"],
  ])("what looks like a hunk header after %s is left alone", (_, end) => {
    const text = `${LINES}above${end}@@ -1,2 +1,2 @@${end}\nend\n`;
    const splices = [{ start: text.length - 4, end: text.length - 1, text: "END" }];
    const diff = spliceDiff(text, splices, { path: "a" }).text;
    expect(diff).toBe(unifiedDiff(text, applySplices(text, splices), { path: "a" }).text);
    expect(diff).toContain(`${end}@@ -1,2 +1,2 @@${end}`);
  });

  it("says the same as the diff of the whole texts, up to where equal lines are lined up", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 300 }), { minLength: 2, maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "\n"), maxLength: 6 }),
        (cuts, by) => {
          const at = [...new Set(cuts)].sort((a, b) => a - b);
          const splices = at
            .slice(0, at.length - (at.length % 2))
            .flatMap((start, i) => (i % 2 === 0 ? [{ start, end: at[i + 1] ?? start, text: by }] : []));
          const after = applySplices(LINES, splices);
          const whole = unifiedDiff(LINES, after, { path: "a" });
          const local = spliceDiff(LINES, splices, { path: "a" });
          expect(local.insertions - local.deletions).toBe(whole.insertions - whole.deletions);
          expect(local.text === "").toBe(whole.text === "");
        },
      ),
      { numRuns: 200 },
    );
  });
});
