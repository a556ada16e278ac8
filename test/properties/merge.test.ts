// Properties of the three-way merge: identities, symmetry, nothing lost, and agreement with another implementation.
import fc from "fast-check";
import { diff3Merge } from "node-diff3";
import { applySplices, merge3, splitLines } from "stet/edit";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../support/any-character.ts";

const line = fc
  .tuple(fc.constantFrom("a", "b", "c", "d", "", "}"), fc.constantFrom("\n", "\n", "\n", "\r\n", "\r"))
  .map(([text, eol]) => text + eol);
const text = fc
  .tuple(fc.array(line, { maxLength: 15 }), fc.constantFrom("", "", "open"))
  .map(([lines, open]) => lines.join("") + open);

describe("merge3", () => {
  test("a side that changed nothing, or the same, adds nothing", () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(merge3(base, other, base)).toEqual({ ok: true, text: other, splices: [] });
        expect(merge3(base, other, other)).toEqual({ ok: true, text: other, splices: [] });
        expect(merge3(base, base, other)).toMatchObject({ ok: true, text: other });
      }),
    );
  });

  test("changing sides changes sides only", () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const one = merge3(base, ours, theirs);
        const two = merge3(base, theirs, ours);
        if (one.ok && two.ok) expect(one.text).toBe(two.text);
        else if (!one.ok && !two.ok) expect(one.conflicts.map(swapped)).toEqual(two.conflicts);
        else expect.unreachable("a conflict on one side only");
      }),
      { numRuns: 200 },
    );
  });

  test("splices are onto ours, and conflicts quote the three texts by their line numbers", () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const merged = merge3(base, ours, theirs);
        if (merged.ok) {
          expect(applySplices(ours, merged.splices)).toBe(merged.text);
          return;
        }
        for (const c of merged.conflicts) {
          expect(lines(base).slice(c.baseStart, c.baseEnd).join("")).toBe(c.base);
          expect(lines(ours).slice(c.oursStart, c.oursEnd).join("")).toBe(c.ours);
          expect(lines(theirs).slice(c.theirsStart, c.theirsEnd).join("")).toBe(c.theirs);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("changes with an untouched line between them both land", () => {
    const edits = fc.array(fc.constantFrom("keep", "ours", "theirs", "both", "drop-ours", "add-theirs"), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(edits, (kinds) => {
        const build = (who: "base" | "ours" | "theirs" | "merged") =>
          kinds.map((kind, i) => `${changed(kind, i, who)}fence ${i}\n`).join("");
        expect(merge3(build("base"), build("ours"), build("theirs"))).toMatchObject({
          ok: true,
          text: build("merged"),
        });
      }),
    );
  });

  test("any three strings merge or conflict, and the conflicts keep both sides", () => {
    const any = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc
        .array(fc.constantFrom("a", "b", "\n", "\r", "\r\n", "\0", "\uFEFF", "\ud800", "\udc00"))
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(any, any, any, (base, ours, theirs) => {
        const merged = merge3(base, ours, theirs);
        if (merged.ok) {
          expect(applySplices(ours, merged.splices)).toBe(merged.text);
          return;
        }
        expect(merged.conflicts.length).toBeGreaterThan(0);
        for (const conflict of merged.conflicts) {
          expect(ours).toContain(conflict.ours);
          expect(theirs).toContain(conflict.theirs);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("very long lines merge and conflict like short ones", () => {
    const long = "x".repeat(50_000);
    const text = (first: string, last: string) => `${first}${long}\nfence\n${long}${last}`;
    const merged = merge3(text("", ""), text("ours ", ""), text("", " theirs"));
    expect(merged.ok && merged.text === text("ours ", " theirs")).toBe(true);
    const clash = merge3(text("", ""), text("ours ", ""), text("theirs ", ""));
    expect(!clash.ok && clash.conflicts.length === 1 && clash.conflicts[0]!.theirs === `theirs ${long}\n`).toBe(true);
  });

  test("where lines are distinct, merges cleanly exactly when another implementation does, and to the same text", () => {
    const change = fc.tuple(fc.nat(12), fc.nat(2), fc.array(fc.constantFrom("x\n", "y\n", "z\n"), { maxLength: 2 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.array(change, { maxLength: 3 }), (ourEdits, theirEdits) => {
        const base = Array.from({ length: 12 }, (_, i) => `line ${i}\n`);
        const [ours, theirs] = [edited(base, ourEdits), edited(base, theirEdits)];
        const blocks = diff3Merge(ours, base, theirs, { excludeFalseConflicts: true });
        const mine = merge3(base.join(""), ours.join(""), theirs.join(""));
        expect(mine.ok).toBe(blocks.every((block) => block.ok));
        if (mine.ok) expect(mine.text).toBe(blocks.flatMap((block) => block.ok ?? []).join(""));
      }),
      { numRuns: 200 },
    );
  });
});

function lines(text: string): string[] {
  return splitLines(text).map((one) => one.text + one.eol);
}

function swapped<
  T extends {
    oursStart: number;
    oursEnd: number;
    theirsStart: number;
    theirsEnd: number;
    ours: string;
    theirs: string;
  },
>(c: T): T {
  const { oursStart, oursEnd, theirsStart, theirsEnd, ours, theirs } = c;
  return {
    ...c,
    oursStart: theirsStart,
    oursEnd: theirsEnd,
    theirsStart: oursStart,
    theirsEnd: oursEnd,
    ours: theirs,
    theirs: ours,
  };
}

function changed(kind: string, i: number, who: "base" | "ours" | "theirs" | "merged"): string {
  const [asOurs, asTheirs] = [who === "ours" || who === "merged", who === "theirs" || who === "merged"];
  if (kind === "add-theirs") return asTheirs ? `added ${i}\n` : "";
  if (kind === "drop-ours") return asOurs ? "" : `dropped ${i}\n`;
  if (kind === "both") return who === "base" ? `old ${i}\n` : `new ${i}\n`;
  if ((kind === "ours" && asOurs) || (kind === "theirs" && asTheirs)) return `new ${i}\nmore ${i}\n`;
  return `old ${i}\n`;
}

function edited(base: readonly string[], edits: readonly (readonly [number, number, readonly string[]])[]): string[] {
  const out = [...base];
  for (const [at, remove, insert] of edits) out.splice(at, remove, ...insert);
  return out;
}
