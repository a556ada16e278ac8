// The anchors of a text do not depend on the text that was looked at before it.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anchorIndex } from "../../src/edit/anchors/index.ts";

const line = fc.constantFrom("a", " a", "b = 1;", "\tc", "", "}", "é", "x".repeat(70));
const lines = fc.array(line, { maxLength: 30 });
const md5 = (text: string): string => createHash("md5").update(text.trim()).digest("hex");

it("are those of each line by itself, whatever stays the same at both ends", () => {
  fc.assert(
    fc.property(lines, lines, lines, lines, fc.boolean(), (start, before, after, end, ended) => {
      for (const middle of [before, after, before]) {
        const texts = [...start, ...middle, ...end];
        const hasEnd = texts.length > 0 && (ended || texts.at(-1) === "");
        const index = anchorIndex(`${texts.join("\n")}${hasEnd ? "\n" : ""}`);
        const digests = texts.map(md5);
        expect(index.lines.map(({ digest }) => digest)).toEqual(digests);
        for (const [at, digest] of digests.entries()) {
          const alike = digests.flatMap((each, n) => (each.startsWith(digest.slice(0, 6)) ? n + 1 : []));
          expect(index.line(at + 1).occurrences).toBe(alike.length);
          expect(index.find(digest.slice(0, 6))).toEqual(alike);
          expect(index.find(digest.slice(0, 4))).toEqual(
            digests.flatMap((each, n) => (each.startsWith(digest.slice(0, 4)) ? n + 1 : [])),
          );
        }
      }
    }),
    { numRuns: 60 },
  );
});
