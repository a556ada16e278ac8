import fc from "fast-check";
import { Refusal } from "stet";
import { applySplices, insertAtLine, nearestPlaces, replaceText, reverseSplices } from "stet/edit";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../support/any-character.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const runs = { numRuns: HEAVY ? 3000 : 150 };

const line = fc.oneof(
  fc.constantFrom(
    "",
    "  ",
    "}",
    "foo(bar);",
    "  return x;",
    "\treturn x;",
    "// why",
    "...",
    "x = “1”  ",
    "12\tfoo",
    "'a' + \"b\"",
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);
const eol = fc.constantFrom("\n", "\r\n", "\r");
const anyText = fc
  .array(fc.tuple(line, eol), { maxLength: 14 })
  .chain((lines) => fc.boolean().map((closed) => join(lines, closed)));

function join(lines: readonly (readonly [string, string])[], closed: boolean): string {
  const text = lines.map(([words, end]) => words + end).join("");
  return closed ? text : text.replace(/(?:\r\n|\n|\r)$/, "");
}

/** Old text that is often almost what the file has: a stretch of it with something done to its blanks or letters. */
const damage = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace(/[ \t]+$/gm, ""),
  (text) => text.replace(/^/gm, "  "),
  (text) => text.replace(/^[ \t]+/gm, ""),
  (text) => text.replace(/\n\n/g, "\n"),
  (text) => text.replace("return", "retrun"),
  (text) => text.replace(/[“”]/g, '"'),
  (text) => text.replaceAll("\n", "\\n"),
);
const edit = fc
  .tuple(anyText, fc.nat(200), fc.nat(120), damage, anyText, fc.boolean(), fc.boolean())
  .map(([text, at, length, harm, newText, seen, replaceAll]) => {
    const start = text.length === 0 ? 0 : at % text.length;
    return { text, oldText: harm(text.slice(start, start + length)), newText, seen, replaceAll };
  });

describe("replaceText, whatever the strings", () => {
  it("never throws, and refuses with a reason", () => {
    fc.assert(
      fc.property(edit, ({ text, oldText, newText, ...options }) => {
        const result = replaceText(text, oldText, newText, options);
        if (!result.ok) expect(result.message.length).toBeGreaterThan(10);
      }),
      { numRuns: HEAVY ? 10_000 : 500 },
    );
  });

  it("changes nothing outside its splices, and can be taken back", () => {
    fc.assert(
      fc.property(edit, ({ text, oldText, newText, ...options }) => {
        const result = replaceText(text, oldText, newText, options);
        if (!result.ok) return;
        expect(result.text).toBe(applySplices(text, result.splices));
        expect(result.text).not.toBe(text);
        expect(applySplices(result.text, reverseSplices(text, result.splices))).toBe(text);
      }),
      { numRuns: HEAVY ? 10_000 : 500 },
    );
  });

  it("stays within the lines it reports when it replaces one place", () => {
    fc.assert(
      fc.property(edit, ({ text, oldText, newText, seen }) => {
        const result = replaceText(text, oldText, newText, { seen });
        if (!result.ok) return;
        const before = text.split(/\r?\n/);
        const after = result.text.split(/\r?\n/);
        const tail = before.length - result.endLine - 1;
        expect(after.slice(0, result.startLine - 1)).toEqual(before.slice(0, result.startLine - 1));
        if (tail > 0) expect(after.slice(-tail)).toEqual(before.slice(-tail));
      }),
      runs,
    );
  });

  it("refuses text that is there twice, with whatever damage", () => {
    const block = fc.array(fc.constantFrom("alpha(1);", "  beta(2);", "", "gamma = 3;"), {
      minLength: 3,
      maxLength: 6,
    });
    fc.assert(
      fc.property(block, damage, (lines, harm) => {
        const text = `${lines.join("\n")}\n---\n${lines.join("\n")}\n`;
        const result = replaceText(text, harm(lines.join("\n")), "something quite different");
        expect(result.ok).toBe(false);
      }),
      runs,
    );
  });
});

describe("very long strings", () => {
  const long = HEAVY ? 1_000_000 : 100_000;

  it.each([
    ["one line of one letter", "a".repeat(long), `${"a".repeat(long / 20)}b${"a".repeat(long / 20)}`],
    ["one line of blanks", `${" ".repeat(long)}x`, `${" ".repeat(long / 11)}y`],
    ["blanks of both kinds", "a \t".repeat(long / 3), `${"a  ".repeat(long / 100)}b`],
    ["combining marks", "e\u0301".repeat(long / 2), `${"é".repeat(1_000)}q`],
    ["quotes", `"\n`.repeat(long / 2), `${`"\n`.repeat(long / 11)}z`],
    ["equal lines, 5,000 old ones", "x\n".repeat(long / 5), `${"x\n".repeat(2_500)}y\n${"x\n".repeat(2_500)}`],
    ["lone surrogates", "\ud800".repeat(long), `${"\ud800".repeat(1_000)}q`],
  ])("are answered: %s", (_, text, oldText) => {
    expect(replaceText(text, oldText, "z", { seen: true })).toMatchObject({ ok: false });
    expect(replaceText(text, text.slice(0, 3), "z").ok).toBe(false);
  });
});

describe("parts of the ladder", () => {
  it("insertion keeps every line that is there", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -1, max: 20 }), fc.string({ minLength: 1 }), (text, at, added) => {
        try {
          const after = applySplices(text, insertAtLine(text, at, added));
          expect(after.length).toBeGreaterThan(text.length);
          expect(after.startsWith(text) || after.endsWith(text) || at > 1).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      runs,
    );
  });

  it("nearest places are what the file says there", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, oldText) => {
        const lines = text.split(/\r?\n/);
        for (const place of nearestPlaces(text, oldText)) {
          expect(place.text).toBe(lines.slice(place.startLine - 1, place.endLine).join("\n"));
          expect(place.similarity).toBeGreaterThan(0.5);
        }
      }),
      runs,
    );
  });
});
