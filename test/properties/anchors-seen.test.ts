import fc from "fast-check";
import { Refusal } from "stet";
import { anchorIndex, editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";

// Lines that repeat, alone and in blocks: where a diff may pair the wrong ones.
const seenLines = fc
  .array(
    fc.constantFrom(["x"], ["}"], [""], ["a", "x", "b"], ["a", "y", "b"], ["if", "x", "}"], ["u1"], ["u2"], ["u3"]),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((blocks) => blocks.flat());
const fate = fc.constantFrom("kept", "kept", "kept", "kept", "removed", "changed", "preceded");

describe("another hand changes the file after it was read", () => {
  it("an edit lands on the very line that was meant, or is refused", () => {
    let landed = 0;
    fc.assert(
      fc.property(
        seenLines,
        fc.array(fate, { minLength: 30, maxLength: 30 }),
        fc.nat({ max: 23 }),
        (lines, fates, at) => {
          fc.pre(at < lines.length);
          const current: { text: string; from: number }[] = [];
          lines.forEach((text, from) => {
            if (fates[from] === "preceded") current.push({ text: `new ${from}`, from: -1 });
            if (fates[from] === "changed") current.push({ text: `changed ${from}`, from: -1 });
            if (fates[from] === "kept" || fates[from] === "preceded") current.push({ text, from });
          });
          const seenText = lines.map((line) => `${line}\n`).join("");
          const text = current.map((line) => `${line.text}\n`).join("");
          fc.pre(text !== seenText);
          const index = anchorIndex(seenText);
          const occurrence = index.find(index.line(at + 1).hash).indexOf(at + 1) + 1;
          try {
            const operation = { op: "replace_line", hash: index.anchor(at + 1), occurrence, content: "mine" } as const;
            const result = editByAnchors(text, [operation], { seenText });
            landed++;
            expect(current[result.targets[0]!.startLine - 1]?.from).toBe(at);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            expect(error.kind).toBe("anchor_stale");
          }
        },
      ),
      { numRuns: process.env.STET_HEAVY === "1" ? 5000 : 400 },
    );
    expect(landed).toBeGreaterThan(60);
  });
});
