// Turns source files into hunks: a unique window of real lines and a plausible edit inside it.
import { join } from "node:path";
import { editWindow } from "./edits.mjs";
import { seededRandom } from "./random.mjs";
import { listSources, readSource, shares } from "./sources.mjs";

/**
 * `steps` builds the new lines: a kept old line by its index, or an added line.
 * `plain` holds the unmutated parts; a mutation replaces some of them.
 * @typedef {{ keep: number } | { add: string }} Step
 * @typedef {{ prefix: string, region: string, suffix: string, old: string, next: string, expected: string | null }} Parts
 * @typedef {Partial<Parts>} Mutation
 * @typedef {{ lang: string, old: readonly string[], steps: readonly Step[], donors: readonly string[], plain: Parts }} Hunk
 */

/** @param {{ nodeModules: string, seed: number, count: number }} options @returns {Hunk[]} */
export function makeHunks({ nodeModules, seed, count }) {
  const queues = listSources(nodeModules, `hunks:${seed}`);
  /** @type {Hunk[]} */
  const hunks = [];
  const fill = (/** @type {import("./sources.mjs").Language} */ lang, /** @type {number} */ wanted) => {
    const queue = queues.get(lang) ?? [];
    for (let made = 0; made < wanted && queue.length > 0; ) {
      const hunk = hunkFrom(nodeModules, /** @type {string} */ (queue.pop()), lang, seed);
      if (hunk === undefined) continue;
      hunks.push(hunk);
      made++;
    }
  };
  for (const [lang, share] of Object.entries(shares))
    fill(/** @type {never} */ (lang), Math.round((count * share) / 100));
  for (const lang of Object.keys(shares)) fill(/** @type {never} */ (lang), count - hunks.length);
  return hunks.slice(0, count);
}

/** @param {string} nodeModules @param {string} path @param {string} lang @param {number} seed @returns {Hunk | undefined} */
function hunkFrom(nodeModules, path, lang, seed) {
  const random = seededRandom(`${seed}:${path}`);
  const text = readSource(join(nodeModules, path));
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  for (let attempt = 0; attempt < 12; attempt++) {
    const size = 5 + random.below(10);
    const start = random.below(lines.length - size);
    const old = lines.slice(start, start + size);
    if (!isUsableWindow(lines, start, old)) continue;
    const donors = random.shuffle(lines.filter((line) => isDonor(line, old))).slice(0, 6);
    const steps = editWindow(old, donors, random);
    if (steps === undefined) continue;
    const prefix = lines
      .slice(0, start)
      .map((line) => `${line}\n`)
      .join("");
    const region = old.join("\n");
    const suffix = text.slice(prefix.length + region.length);
    const next = newLines(old, steps).join("\n");
    return { lang, old, steps, donors, plain: { prefix, region, suffix, old: region, next, expected: next } };
  }
  return undefined;
}

/**
 * @param {readonly string[]} old @param {readonly Step[]} steps
 * @param {(line: string, index: number) => string} [kept] @param {(line: string) => string} [added]
 */
export function newLines(old, steps, kept = (line) => line, added = (line) => line) {
  return steps.map((step) =>
    "add" in step ? added(step.add) : kept(/** @type {string} */ (old[step.keep]), step.keep),
  );
}

/** Unique even when indentation and blank runs are ignored, so that each trial has one right answer. @param {readonly string[]} lines @param {number} start @param {readonly string[]} old */
function isUsableWindow(lines, start, old) {
  const first = old[0]?.trim();
  const last = old.at(-1)?.trim();
  if (!first || !last || old.filter((line) => line.trim() !== "").length < 4) return false;
  const looks = (/** @type {number} */ at) => old.every((line, i) => lines[at + i]?.trim() === line.trim());
  return !lines.some((_, at) => at !== start && looks(at));
}

/** A line worth borrowing as an insertion: real words, and not one of the window. @param {string} line @param {readonly string[]} old */
const isDonor = (line, old) =>
  /[A-Za-z]{4}/.test(line) && line.length < 120 && !old.some((own) => own.trim() === line.trim());
