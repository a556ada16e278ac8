// Mutants are whole programs, each with one change, and none of what only types say; marks tell which places were passed.
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { mutantsOf } from "./mutations.mjs";
import { marked, placeOf, placesOf } from "./places.mjs";
import { filesIn, importsOf, isJudge } from "./related.mjs";
import { COPIED, LINKED } from "./tree.mjs";

const SOURCE = `import { a } from "./a.ts";
type Pair<T = 1> = [T, true];
export async function f(n: number, label?: string): Promise<boolean> {
  "use strict";
  if (n < 3 && !a) throw new Error(\`no \${n}\` + "x");
  await a(n as 7);
  return label === undefined ? (n ?? 2) > 1 : true;
}
`;

it("every mutant differs in one place, and can be parsed", () => {
  const mutants = mutantsOf("src/f.ts", SOURCE);
  for (const { start, end, text } of mutants) {
    const mutated = SOURCE.slice(0, start) + text + SOURCE.slice(end);
    expect(mutated).not.toBe(SOURCE);
    expect(parseSync("f.ts", mutated).errors, mutated).toEqual([]);
  }
  expect(mutants.map(({ line, what }) => `${line} ${what}`).sort()).toMatchInlineSnapshot(`
    [
      "5 && is ||: n < 3 && !a",
      "5 < is <=: n < 3",
      "5 not thrown: throw new Error(\`no \${n}\` + "x");",
      "5 one more: 3",
      "5 the other branch: n < 3 && !a",
      "5 without !: !a",
      "6 left out: await a(n as 7);",
      "6 without await: await a(n as 7)",
      "7 === is !==: label === undefined",
      "7 > is >=: (n ?? 2) > 1",
      "7 nothing returned: return label === undefined ? (n ?? 2) > 1 : true;",
      "7 one more: 1",
      "7 one more: 2",
      "7 the opposite: true",
      "7 the other branch: label === undefined",
      "7 the right side of ?? always: n ?? 2",
    ]
  `);
});

const STEPS = `const kept = 1;
export const short = (n) => n > kept;
export function f(n) {
  if (n > 1) return "large";
  for (const each of [1, 2]) if (each === n) n += 1;
  else n -= 1;
  const g = () => { throw n; };
  return n > 5 ? g() : n;
}
`;

it("a marked program does what it did, on the same lines, and tells the innermost places that it passed", () => {
  const places = placesOf("f.js", STEPS);
  const text = marked(STEPS, places, 100);
  expect(parseSync("f.js", text).errors).toEqual([]);
  expect(text.split("\n")).toHaveLength(STEPS.split("\n").length);
  const passed: number[] = [];
  const run = new Function("globalThis", `${text.replaceAll("export ", "")}; return { f, short };`);
  const { f, short } = run({ placesPassed: passed }) as Record<string, (n: number) => unknown>;
  const passes = (code: string): boolean => passed[100 + placeOf(places, STEPS.indexOf(code))] === 1;
  expect(placeOf(places, STEPS.indexOf("1;"))).toBe(-1);
  expect([f!(2), passes("n > 1"), passes('return "large"'), passes("const g")]).toEqual(["large", true, true, false]);
  expect([f!(1), passes("n += 1"), passes("n -= 1"), passes("throw n")]).toEqual([3, true, false, false]);
  expect([passes("n > kept"), short!(2), passes("n > kept")]).toEqual([false, true, true]);
});

it("the copy of the tree has all that the tests import, those of databases and fleets too", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const imported = filesIn(root, "test")
    .filter(isJudge)
    .flatMap((test) => importsOf(root, test).map((path) => path.split("/")[0]!));
  expect([...new Set(imported)].filter((name) => ![...COPIED, ...LINKED].includes(name))).toEqual([]);
  expect(imported).toContain("scripts");
});
