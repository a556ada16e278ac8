// Holds a seed against its table: every word of it stands in one row, in order, and every row names tests that exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** A part of the seed, and the tests that show it; or, after a dash, why it asks for nothing. */
export type Row = readonly [quote: string, ...tests: string[]];

export const HEADING = "— a heading";
export const LABEL = "— a label";
export const BACKGROUND = "— background";

export function holdSeed(seed: string, rows: readonly Row[]): void {
  const text = textOf(seed);
  const required = rows.filter(([, first]) => !first?.startsWith("—"));
  const known = testsOf(seed);

  describe(`the sentences of seed ${seed}`, () => {
    it.each(required)("%s", (_quote, ...tests) => {
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.filter((name) => !known.has(name))).toEqual([]);
    });

    it.skipIf(text === undefined)("are all here, in order (skipped where the seed is not at hand)", () => {
      let rest = squeezed(text!);
      for (const [quote] of rows) {
        const part = squeezed(quote);
        expect({ row: quote, seed: rest.slice(0, part.length) }).toEqual({ row: quote, seed: part });
        rest = rest.slice(part.length);
      }
      expect(rest).toBe("");
      const tests = new Set(required.flatMap(([, ...names]) => names));
      console.log(
        `seed ${seed}: ${rows.length} parts, ${required.length} that ask for something → ${tests.size} tests`,
      );
    });
  });
}

function textOf(seed: string): string | undefined {
  const folder = new URL("../../../shared/seeds/", import.meta.url);
  const name = existsSync(folder) ? readdirSync(folder).find((each) => each.startsWith(`${seed}_`)) : undefined;
  return name === undefined ? undefined : readFileSync(new URL(name, folder), "utf8");
}

/** Titles, and the names of the rows of a table of tests. */
function testsOf(seed: string): ReadonlySet<string> {
  const here = new URL("./", import.meta.url);
  const names = readdirSync(here).filter((name) => name.endsWith(".test.ts") && !name.includes("coverage"));
  const sources = names
    .filter((name) => name.startsWith(`${seed}-`))
    .map((name) => readFileSync(new URL(name, here), "utf8"));
  const titles = sources.flatMap((source) => [
    ...source.matchAll(/(?:\bit\(|\)\(|\[)\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1,/g),
  ]);
  return new Set(titles.map((match) => match[2]!.replaceAll(/\\(["'`])/g, "$1")));
}

/** Words only: neither the layout nor the marks of tables, lists and code count. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s`|#-]+/g, "");
}
