// Mutants are whole programs, each with one change, and none of what only types say.
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { mutantsOf } from "./mutations.mjs";

const SOURCE = `import { a } from "./a.ts";
type Pair<T = 1> = [T, true];
export async function f(n: number, label?: string): Promise<boolean> {
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
      "4 && is ||: n < 3 && !a",
      "4 < is <=: n < 3",
      "4 not thrown: throw new Error(\`no \${n}\` + "x");",
      "4 one more: 3",
      "4 the other branch: n < 3 && !a",
      "4 without !: !a",
      "5 without await: await a(n as 7)",
      "6 === is !==: label === undefined",
      "6 > is >=: (n ?? 2) > 1",
      "6 nothing returned: return label === undefined ? (n ?? 2) > 1 : true;",
      "6 one more: 1",
      "6 one more: 2",
      "6 the opposite: true",
      "6 the other branch: label === undefined",
      "6 the right side of ?? always: n ?? 2",
    ]
  `);
});
