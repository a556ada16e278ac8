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
  const found = sources.flatMap((source) => [
    ...source.matchAll(/(?:\bit\(|\)\()\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1,/g),
    ...tablesOf(source).flatMap(rowNames),
  ]);
  return new Set(found.map((match) => match[2]!.replaceAll(/\\(["'`])/g, "$1")));
}

/** The lists that tests are made from, `it.each([…])` or `it.each(NAME)`, where the title takes the name of the row. */
function tablesOf(source: string): string[] {
  return [...source.matchAll(/\bit\.each\((\w*)/g)].flatMap(({ 1: name, index }) => {
    const start = name === "" ? index : source.search(new RegExp(`\\bconst ${name}\\b[^\\n]*= \\[`));
    const opening = source.indexOf(name === "" ? "[" : "= [", start);
    const table = start === -1 ? "" : balanced(source, opening);
    const title = source.slice(name === "" ? opening + table.length : index).match(/\)\(\s*(["'`])(.*?)\1/);
    return title?.[2]?.includes("%s") ? [table] : [];
  });
}

/** The strings that stand first in a row of the table. */
function rowNames(table: string): RegExpMatchArray[] {
  const rows: RegExpMatchArray[] = [];
  let depth = 0;
  for (const match of table.matchAll(TOKENS)) {
    if (match[0] === "[" || match[0] === "]") depth += match[0] === "[" ? 1 : -1;
    const row = match[0] === "[" && depth === 2 ? table.slice(match.index).match(ROW_START) : null;
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** From the first bracket after `start` to the one that closes it. */
function balanced(source: string, start: number): string {
  const rest = source.slice(start);
  let depth = 0;
  for (const match of rest.matchAll(TOKENS)) {
    if (match[0] === "[") depth++;
    if (match[0] === "]" && --depth === 0) return rest.slice(0, match.index + 1);
  }
  return "";
}

/** Brackets, and strings so that brackets in them do not count. */
const TOKENS = /(["'`])(?:\\[\s\S]|(?!\1)[^\\])*\1|[[\]]/g;
const ROW_START = /^\[\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1,/;

/** Words only: neither the layout nor the marks of tables, lists and code count. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s`|#-]+/g, "");
}
