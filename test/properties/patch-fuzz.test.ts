// Properties of the patch engine on hostile input: refusals only, no byte outside the splices changed.
import fc from "fast-check";
import { Refusal } from "stet";
import { applySplices, parsePatch, planPatch, reverseSplices, splitLines, unifiedDiff } from "stet/edit";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../support/any-character.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const FILE = "one\ntwo\n\nthree\ntwo\nfour\n\tfive\r\nsix\rseven";
const SEEDS = [
  "*** Begin Patch\n*** Update File: f\n@@ two\n one\n-two\n+TWO\n\n*** Add File: g\n+x\n\\ No newline at end of file\n*** Move File: h -> i\n@@\n-six\n+6\n*** End of File\n*** Delete File: j\n*** End Patch\n",
  unifiedDiff(FILE, `zero\n${FILE}\nend\n`, { path: "f" }).text,
  unifiedDiff(FILE, "", { fromPath: "f", toPath: null }).text,
  unifiedDiff(FILE, FILE.replace("three", "3"), { fromPath: "f", toPath: 'dir/"g"' }).text,
  "diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+x\n-- \n2.4\n",
];
const LINES = [
  ...new Set(
    SEEDS.flatMap((seed) => seed.split("\n")).concat(
      "@@",
      "@@ -1 +1 @@",
      "\\ x",
      "*** ",
      "GIT binary patch",
      "<<EOF",
      "```",
    ),
  ),
];

const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(30), fc.nat(2), fc.constantFrom(...LINES)), { maxLength: 4 }),
  )
  .map(([seed, edits]) => {
    const lines = seed.split("\n");
    for (const [at, remove, line] of edits) lines.splice(at, remove, line);
    return lines.join("\n");
  });
const bytes = fc.tuple(mutated, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 5 })).map(([patch, at, junk]) => {
  const cut = at % (patch.length + 1);
  return patch.slice(0, cut) + junk + patch.slice(cut + junk.length);
});
const patchText = fc.oneof(
  mutated,
  mutated.map((patch) => patch.replaceAll("\n", "\r\n")),
  bytes,
  fc.array(fc.constantFrom(...LINES), { maxLength: 12 }).map((lines) => lines.join("\n")),
  fc.string({ unit: anyCharacter }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
const fileText = fc.oneof(
  fc.constant(FILE),
  fc.constant(FILE.replaceAll(/\r\n?|\n/g, "\r\n")),
  fc
    .array(fc.constantFrom("one\n", "two\n", "\n", "two\r\n", "six\r", "\tfive", "\0", "\ud800\n"))
    .map((all) => all.join("")),
);

describe("parsePatch and planPatch", () => {
  test("nothing but a refusal is thrown, and every refusal says what to do", () => {
    let planned = 0;
    fc.assert(
      fc.property(patchText, fileText, (patch, file) => {
        try {
          planned += planPatch(parsePatch(patch), (path) => (/^[fhj]$/.test(path) ? file : null)).length;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect(error.failure.suggestedAction).toBeTruthy();
          if (error.kind === "patch_parse_error") {
            expect(error.failure.details).toMatchObject({ line: expect.any(Number), expected: expect.any(String) });
          }
        }
      }),
      { numRuns: HEAVY ? 10_000 : 1000 },
    );
    expect(planned).toBeGreaterThan(20);
  });

  test("bytes outside the splices stay, and the splices can be reversed", () => {
    fc.assert(
      fc.property(mutated, fileText, (patch, file) => {
        for (const plan of plansOf(patch, file)) {
          if (plan.op !== "update" && plan.op !== "move") continue;
          expect(applySplices(file, plan.splices)).toBe(plan.newText);
          expect(applySplices(plan.newText, reverseSplices(file, plan.splices))).toBe(file);
        }
      }),
      { numRuns: HEAVY ? 5000 : 400 },
    );
  });

  test("an envelope edit leaves every line it does not name byte for byte, whatever the line ends", () => {
    const eol = fc.constantFrom("\n", "\r\n", "\rrest\n");
    const file = fc.tuple(fc.array(eol, { minLength: 3, maxLength: 12 }), fc.boolean());
    fc.assert(
      fc.property(file, fc.nat(), fc.constantFrom("\n", "\r\n"), ([eols, open], pick, patchEol) => {
        const lines = eols.map((end, i) => `line ${i}${open && i === eols.length - 1 ? "" : end}`);
        const at = pick % lines.length;
        const { text, eol: ended } = splitLines(lines[at]!)[0]!;
        const patch = ["*** Begin Patch", "*** Update File: f", "@@", `-${text}`, "+new", "*** End Patch"].join(
          patchEol,
        );
        const [plan] = planPatch(parsePatch(patch), () => lines.join(""));
        expect(plan).toMatchObject({ newText: lines.with(at, `new${ended}`).join("") });
      }),
    );
  });
});

function plansOf(patch: string, file: string) {
  try {
    return planPatch(parsePatch(patch), (path) => (/^[fhj]$/.test(path) ? file : null));
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
