// The sentences of the seeds and the stories that prove them: sentences/SEED.txt has every word of the seed, in order; below
// a sentence may stand, after a dash, why no story can. `npm run seeds` prints which proves what, and fails where none does.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const here = fileURLToPath(new URL("./", import.meta.url));
const seeds = join(here, "../../../shared/seeds");

export const SEEDS = readdirSync(join(here, "sentences")).map((name) => name.slice(0, 3));

/** `why` is there where no story can prove a sentence. */
export function sentencesOf(seed) {
  const parts = readFileSync(join(here, `sentences/${seed}.txt`), "utf8")
    .trimEnd()
    .split(/\n(?! )/);
  const proofs = proofsOf(seed);
  return parts.map((part) => {
    const [quote, ...below] = part.split("\n  ");
    const stories = proofs.filter(({ said }) => squeezed(quote).includes(squeezed(said))).map(({ story }) => story);
    return { quote, stories: [...new Set(stories)], why: below.find((line) => line.startsWith("—")) };
  });
}

const PROOFS = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".yaml"))
  .sort()
  .map((story) => ({ story, proves: parse(readFileSync(join(here, story), "utf8")).proves ?? {} }));

/** What stories say that they prove. */
export function proofsOf(seed) {
  return PROOFS.flatMap(({ story, proves }) => [proves[seed] ?? []].flat().map((said) => ({ story, said })));
}

/** The seed itself, where it is at hand. */
export function seedText(seed) {
  const name = existsSync(seeds) ? readdirSync(seeds).find((each) => each.startsWith(`${seed}_`)) : undefined;
  return name === undefined ? undefined : readFileSync(join(seeds, name), "utf8");
}

/** Words only: neither the layout nor the marks of tables, lists and code count. */
export function squeezed(text) {
  return text.replaceAll(/[\s`|#-]+/g, "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const seed of SEEDS) {
    const sentences = sentencesOf(seed);
    console.log(`\nSeed ${seed}\n`);
    for (const { quote, stories, why } of sentences) {
      if (why === undefined) console.log([quote, ...(stories.length > 0 ? stories : ["NO STORY"])].join("\n  → "));
    }
    const missing = sentences.filter(({ stories, why }) => why === undefined && stories.length === 0);
    if (missing.length === 0) continue;
    console.error(`\nSeed ${seed}: ${missing.length} of ${sentences.length} sentences have no story.`);
    process.exitCode = 1;
  }
}
