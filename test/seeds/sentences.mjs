// The sentences of the seeds and the tests that show what each asks for: sentences/SEED.txt has every word of the seed, in order;
// below a sentence stand the titles of its tests or, after a dash, why it asks for nothing. Prints them: npm run seeds
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = new URL("./", import.meta.url);
const seeds = new URL("../../../shared/seeds/", import.meta.url);

export const SEEDS = readdirSync(new URL("sentences/", here)).map((name) => name.slice(0, 3));

/** `tests` is empty where the sentence asks for nothing. */
export function sentencesOf(seed) {
  const parts = readFileSync(new URL(`sentences/${seed}.txt`, here), "utf8")
    .trimEnd()
    .split(/\n(?! )/);
  return parts.map((part) => {
    const [quote, ...below] = part.split("\n  ");
    const asksForNothing = below[0]?.startsWith("—");
    return { quote, tests: asksForNothing ? [] : below, why: asksForNothing ? below[0] : undefined };
  });
}

/** The seed itself, where it is at hand. */
export function seedText(seed) {
  const name = existsSync(seeds) ? readdirSync(seeds).find((each) => each.startsWith(`${seed}_`)) : undefined;
  return name === undefined ? undefined : readFileSync(new URL(name, seeds), "utf8");
}

/** Titles of tests, and names of the rows that tests are made from. */
export function titlesOf(seed) {
  const files = readdirSync(here).filter((name) => name.startsWith(`${seed}-`) && name.endsWith(".test.ts"));
  const found = files.flatMap((name) => [...readFileSync(new URL(name, here), "utf8").matchAll(TITLE)]);
  return new Set(found.map(([, , title]) => title.replaceAll(/\\(["'`])/g, "$1")));
}

const TITLE = /(?:\bit\(|\)\(|\[)\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** Words only: neither the layout nor the marks of tables, lists and code count. */
export function squeezed(text) {
  return text.replaceAll(/[\s`|#-]+/g, "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const seed of SEEDS) {
    const sentences = sentencesOf(seed);
    const asking = sentences.filter(({ tests }) => tests.length > 0);
    console.log(`\nSeed ${seed}: ${sentences.length} parts, of which ${asking.length} ask for something\n`);
    for (const { quote, tests } of asking) console.log([quote, ...tests].join("\n  → "));
  }
}
