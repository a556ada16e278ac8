// The same patterns mean the same with ripgrep and without, or are refused in words: never another answer.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import type { GrepRequest } from "../../src/search/index.ts";
import { ONLY_RIPGREP, PATTERNS, TEXTS, WRONG } from "./dialect.ts";
import { PLACES, type Place, shown } from "./places.ts";

type Ask = Partial<GrepRequest> & { readonly pattern: string };

const [inMemory, withRipgrep, without] = PLACES.map(([, open]) => open(TEXTS)) as [Place, Place, Place];

async function answer(place: Place, ask: Ask): Promise<readonly string[] | string> {
  try {
    return shown(await place.grep(ask));
  } catch (error) {
    // Never an answer: what was wrong with the machine has to be seen.
    if (error instanceof Refusal && error.kind !== "io_error") return error.kind;
    throw error;
  }
}

/** Line by line, and across lines in either case. */
function variantsOf(pattern: string): Ask[] {
  return [{ pattern }, { pattern, caseSensitive: false, multiline: true }];
}

describe("patterns in ripgrep's dialects", () => {
  const found = new Map<string, number>();

  it.each(Object.entries(PATTERNS))("%s", async (_, patterns) => {
    const asks = patterns.flatMap(variantsOf);
    const answers = await Promise.all(asks.map((ask) => answer(withRipgrep, ask)));
    for (const [n, ask] of asks.entries()) {
      const expected = answers[n]!;
      expect(expected, ask.pattern).toBeInstanceOf(Array);
      found.set(ask.pattern, (found.get(ask.pattern) ?? 0) + expected.length);
      expect([ask, await answer(inMemory, ask)]).toEqual([ask, expected]);
      if (n === 0) expect([ask, await answer(without, ask)]).toEqual([ask, expected]);
    }
  });

  it("and most of them find something", () => {
    expect([...found].filter(([, number]) => number === 0).map(([pattern]) => pattern)).toEqual(NOTHING);
  });

  it("are refused alike when they are wrong", async () => {
    for (const pattern of WRONG) {
      for (const place of [inMemory, withRipgrep, without]) {
        expect([pattern, await answer(place, { pattern })]).toEqual([pattern, "command_failed"]);
      }
    }
  });

  it("are refused in words where only ripgrep knows them", async () => {
    for (const pattern of ONLY_RIPGREP) {
      expect([pattern, await answer(withRipgrep, { pattern })]).toEqual([pattern, expect.any(Array)]);
      await expect(inMemory.grep({ pattern })).rejects.toThrow(
        /^The pattern cannot be searched: .+ where ripgrep does not/,
      );
    }
  });

  it("mean the same when they are put together by chance", async () => {
    const atom = fc.constantFrom(
      ...[
        "a",
        "b",
        "A",
        "k",
        "ß",
        "σ",
        "foo",
        " ",
        ".",
        "\\w",
        "\\D",
        "\\s",
        "\\S",
        "\\b",
        "^",
        "$",
        "[a-c]",
        "[^a-c]",
      ],
      ...[
        "[[:upper:]]",
        "[\\w&&[^a]]",
        "\\p{Lu}",
        "\\P{Greek}",
        "\\x{e4}",
        "}",
        "]",
        "{",
        "(?=a)",
        "(?!b)",
        "(?<=o)",
        "é",
      ],
    );
    const repeated = fc
      .tuple(atom, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "+?"))
      .map((two) => two.join(""));
    const sequence = fc.array(repeated, { minLength: 1, maxLength: 4 }).map((items) => items.join(""));
    const group = fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?P<n>", "(?=", "(?<!"), sequence, fc.constantFrom("", "|a"))
      .map(([open, inside, other]) => `${open}${inside}${other})`);
    const pattern = fc.array(fc.oneof(sequence, group), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), fc.boolean(), async (text, caseSensitive, multiline) => {
        const ask = { pattern: text, caseSensitive, multiline, include: ["*lf.txt", "ascii.txt"] };
        const here = await answer(inMemory, ask);
        const there = await answer(withRipgrep, ask);
        if (here !== "command_failed") expect(here).toEqual(there);
      }),
      // The example makes ripgrep itself crash.
      { numRuns: process.env.STET_HEAVY ? 3000 : 30, examples: [["\\b[^a-c]{2}", false, true]] },
    );
  });
});

const NOTHING = ["[a&&b]", "[&&a]", "caf."];
