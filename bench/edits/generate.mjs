// Makes trials from real source text: real windows of installed files, a plausible edit, one mutation per class.
import { makeHunks } from "./generate/hunks.mjs";
import { layoutMutations } from "./generate/layout.mjs";
import { seededRandom } from "./generate/random.mjs";
import { refusalMutations } from "./generate/refusals.mjs";
import { wordingMutations } from "./generate/wording.mjs";

/** @typedef {import("./generate.mjs").Trial} Trial */

/** @param {{ nodeModules: string, seed?: number, hunks?: number }} options @returns {Trial[]} */
export function generateTrials({ nodeModules, seed = 1, hunks = 90 }) {
  const mutations = { ...layoutMutations, ...wordingMutations, ...refusalMutations };
  const trials = makeHunks({ nodeModules, seed, count: hunks }).flatMap((hunk, number) =>
    Object.entries(mutations).flatMap(([cls, mutate]) => {
      const parts = mutate(hunk, seededRandom(`${seed}:${number}:${cls}`));
      return parts === undefined ? [] : [trialOf(cls, `${number}-${cls}`, hunk, parts)];
    }),
  );
  return trials.filter(isSound);
}

/**
 * What a mutation leaves out is taken from the hunk.
 * @param {string} cls @param {string} id @param {import("./generate/hunks.mjs").Hunk} hunk
 * @param {import("./generate/hunks.mjs").Mutation} parts @returns {Trial}
 */
function trialOf(cls, id, hunk, parts) {
  const { prefix, region, suffix, old, next, expected } = { ...hunk.plain, ...parts };
  const content = prefix + region + suffix;
  const rs = prefix.length;
  const whole = expected === null ? null : prefix + expected + suffix;
  return { cls, id, lang: hunk.lang, content, old, new: next, expected: whole, rs, re: rs + region.length };
}

/** A mutation can cancel itself out on odd text; such a trial would ask for nothing. @param {Trial} trial */
const isSound = ({ content, old, new: next, expected }) => old !== next && old !== "" && expected !== content;
