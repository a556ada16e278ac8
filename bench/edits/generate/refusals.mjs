// Mutations about which place is meant: copies, siblings, changed or finished work. All but near_dup_ws must be refused.
import { newLines } from "./hunks.mjs";
import { extendWord, hasWord, removedLines, shiftBy, stableKept } from "./lines.mjs";

/** @typedef {import("./hunks.mjs").Hunk} Hunk @typedef {import("./hunks.mjs").Mutation} Mutation @typedef {import("./random.mjs").Random} Random */

/** @type {Record<string, (hunk: Hunk, random: Random) => Mutation | undefined>} */
export const refusalMutations = {
  dup_exact: ({ plain }) => ({ prefix: `${plain.prefix}${plain.region}\n`, expected: null }),

  dup_indent(hunk) {
    const deeper = hunk.old.map(shiftBy(4)).join("\n");
    return { ...shiftedModel(hunk), prefix: `${deeper}\n${hunk.plain.prefix}`, expected: null };
  },

  near_dup(hunk, random) {
    const at = wordLine(hunk, random);
    if (at === undefined) return undefined;
    const named = (/** @type {string} */ name) => sibling(at, name);
    return {
      prefix: `${hunk.plain.prefix}${hunk.old.map(named("Alfa")).join("\n")}\n`,
      region: hunk.old.map(named("Beta")).join("\n"),
      old: hunk.old.map(named("Zeta")).join("\n"),
      next: newLines(hunk.old, hunk.steps, named("Zeta")).join("\n"),
      expected: null,
    };
  },

  near_dup_ws(hunk, random) {
    const at = wordLine(hunk, random);
    if (at === undefined) return undefined;
    const other = hunk.old.map(sibling(at, "Alfa")).join("\n");
    return { ...shiftedModel(hunk), prefix: `${other}\n${hunk.plain.prefix}` };
  },

  absent_sibling: (hunk, random) => absentSibling(hunk, random.shuffle(wordLines(hunk)).slice(0, 2), "Other", 2),
  absent_sibling_ctx: (hunk, random) => absentSibling(hunk, keptWordLines(hunk, random), "Other"),
  absent_sibling_s: (hunk, random) => absentSibling(hunk, keptWordLines(hunk, random), "s"),
  absent_sibling_1char: (hunk, random) => absentSibling(hunk, keptWordLines(hunk, random), "2"),

  stale_minus(hunk, random) {
    const candidates = removedLines(hunk).filter((i) => hasWord(hunk.old[i] ?? ""));
    if (candidates.length === 0) return undefined;
    const at = random.pick(candidates);
    return { region: hunk.old.map(sibling(at, "_v2(timeout=30)")).join("\n"), expected: null };
  },

  already_applied({ plain }) {
    const content = plain.prefix + plain.next + plain.suffix;
    return content.includes(plain.old) ? undefined : { region: plain.next, expected: null };
  },

  already_applied_add(hunk) {
    const indent = /^[ \t]*/.exec(hunk.old[0] ?? "")?.[0];
    const added = [hunk.old[0], `${indent}register_once();`, ...hunk.old.slice(1)].join("\n");
    return { region: added, next: added, expected: null };
  },

  short_multi({ plain }, random) {
    const content = plain.prefix + plain.region + plain.suffix;
    const lines = [...new Set(content.split("\n").map((line) => line.trim()))];
    const repeated = lines.filter((line) => line !== "" && content.split(line).length > 2);
    if (repeated.length === 0) return undefined;
    const old = random.pick(repeated);
    return { prefix: "", region: "", suffix: content, old, next: `${old} /*x*/`, expected: null };
  },
};

/** The file holds a sibling in place of what the model asked for. @param {Hunk} hunk @param {readonly number[]} at @param {string} ending @param {number} [least] @returns {Mutation | undefined} */
function absentSibling(hunk, at, ending, least = 1) {
  if (at.length < least) return undefined;
  const region = hunk.old.map((line, i) => (at.includes(i) ? extendWord(line, ending) : line)).join("\n");
  // A word that only grew at the end of the last line: the old text is still there.
  return region.includes(hunk.plain.old) ? undefined : { region, expected: null };
}

/** The model shifted the block by two columns. @param {Hunk} hunk @returns {Mutation} */
function shiftedModel({ old, steps }) {
  const shift = shiftBy(2);
  return { old: old.map(shift).join("\n"), next: newLines(old, steps, shift, shift).join("\n") };
}

/** @param {number} at @param {string} ending */
const sibling = (at, ending) => (/** @type {string} */ line, /** @type {number} */ i) =>
  i === at ? extendWord(line, ending) : line;

/** @param {Hunk} hunk */
const wordLines = ({ old }) => old.flatMap((line, i) => (hasWord(line) ? [i] : []));

/** @param {Hunk} hunk @param {Random} random */
const keptWordLines = (hunk, random) =>
  random.shuffle(stableKept(hunk).filter((i) => hasWord(hunk.old[i] ?? ""))).slice(0, 1);

/** @param {Hunk} hunk @param {Random} random */
const wordLine = (hunk, random) => keptWordLines(hunk, random)[0];
