// The diff that an edit is answered with: that of the whole texts, with the right line numbers.
import fc from "fast-check";
import type { Splice } from "stet";
import { applySplices, unifiedDiff } from "stet/edit";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;

async function diffOf(text: string, splices: readonly Splice[]) {
  const session = memoryWorkspace({ a: text }).session();
  const { files } = await session.edit("a", () => splices, { proof: { by: "waived" }, dryRun: true });
  return { ...files[0]!.diff, whole: unifiedDiff(text, applySplices(text, splices), { path: "a" }) };
}

describe("the diff of an edit", () => {
  it("is the diff of the texts, with the right line numbers", async () => {
    const at = LINES.indexOf("line 20");
    const { text, whole } = await diffOf(LINES, [{ start: at, end: at + 7, text: "changed" }]);
    expect(text).toBe(whole.text);
  });

  it.each(["\n", "\u2028", "\r"])("what looks like a hunk header after %j is left alone", async (end) => {
    const file = `${LINES}above${end}@@ -1,2 +1,2 @@${end}\nend\n`;
    const { text, whole } = await diffOf(file, [{ start: file.length - 4, end: file.length - 1, text: "END" }]);
    expect(text).toBe(whole.text);
    expect(text).toContain("@@ -1,2 +1,2 @@");
  });

  it("says the same as the diff of the whole texts, up to where equal lines are lined up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 300 }), { minLength: 2, maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "\n"), maxLength: 6 }),
        async (cuts, by) => {
          const at = [...new Set(cuts)].sort((a, b) => a - b);
          const splices = at
            .slice(0, at.length - (at.length % 2))
            .flatMap((start, i) => (i % 2 === 0 ? [{ start, end: at[i + 1] ?? start, text: by }] : []));
          const { whole, ...local } = await diffOf(LINES, splices);
          expect(local.insertions - local.deletions).toBe(whole.insertions - whole.deletions);
          expect(local.text === "").toBe(whole.text === "");
        },
      ),
      { numRuns: 100 },
    );
  });
});
