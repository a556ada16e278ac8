// Globs of a policy match as picomatch does, but for what only its regular expressions make of them, and in one pass.
import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { definePolicy, policyUnlessRefused } from "../support/policy.ts";

const RUNS = process.env.STET_HEAVY === "1" ? 100_000 : 1000;

const piece = fc.constantFrom(
  ..."aabbA.-_, é()+@!$^|#~".split(""),
  ..."ab.*?".split(""),
  ...["*", "*", "?", "**", "[ab]", "[a-c]", "[!a]", "[^b.]", "[!a-b]", "[. -]", "[é]", "[B_]"],
  ...["{a,b}", "{a,}", "{ab,*b}", "{a*,b?}", "{[ab],c}", "{a,{b,c*}}", "{*,b}a", "{.a,b.}", "{a,b}{b,c}"],
);
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(""))
  .filter(
    (text) =>
      !["**", "."].includes(text) &&
      text.trim() === text &&
      policyUnlessRefused({ allowedPaths: [text] }) !== undefined,
  );
const letters = fc.constantFrom(..."aaabbbcA.-_, é()+@!$^|#~[]{}*?\\B".split(""));
const anyName = fc.array(letters, { minLength: 1, maxLength: 8 }).map((all) => all.join(""));

/** A name that the pattern has a chance to match: its wildcards filled in. */
const near = (text: string, fill: readonly string[]): string => {
  let at = 0;
  const one = (): string => fill[at++ % fill.length]!;
  return text
    .replaceAll(/\[[^\]]*\]/g, (set) => (one() < "b" ? set : one()))
    .replaceAll(/\{[^{}]*\}/g, (all) => all.slice(1, -1).split(",")[at++ % 2]!)
    .replaceAll(/\{[^{}]*\}/g, (all) => all.slice(1, -1).split(",")[at++ % 2]!)
    .replaceAll(/\*+/g, () => (one() < "b" ? "" : one() + one()))
    .replaceAll("?", one);
};

/** How a name was matched when picomatch did it. */
function byPicomatch(name: string): RegExp {
  const escaped = name
    .replaceAll(/\*+/g, "*")
    .replaceAll("[!", "[^")
    .replaceAll(/\[[^\]]*\]|[^\p{L}\p{N}\p{M}\s_.,*?{}-]/gu, (all) => (all.startsWith("[") ? all : `\\${all}`));
  return picomatch.makeRe(escaped, { dot: true, debug: true });
}

describe("a glob of one name", () => {
  it("matches what picomatch matches", () => {
    let matched = 0;
    const fill = fc.array(letters, { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(pattern, fill, anyName, (text, filling, other) => {
        const expression = byPicomatch(text);
        const { allows } = definePolicy({ protect: false, allowedPaths: [text] });
        for (const name of [near(text, filling), other]) {
          // picomatch wants something after a dot in some places and not in others.
          if (name === "" || name.endsWith(".") || name.includes("/")) continue;
          // A set is also the very text that it is written with; picomatch knows that of whole patterns only.
          if (text.includes("[") && name.includes("[")) continue;
          const expected = expression.test(name);
          if (expected) matched++;
          expect([name, allows(name, "read")]).toEqual([name, expected]);
        }
      }),
      { numRuns: RUNS },
    );
    expect(matched).toBeGreaterThan(RUNS / 5);
  });
});
