// Mutations of wording: Unicode look-alikes, escapes, pasted line numbers, elisions, typos, special characters.
import { newLines } from "./hunks.mjs";
import { adjacentKept, commentFor, removedLines, stableKept, transpose } from "./lines.mjs";

/** @typedef {import("./hunks.mjs").Hunk} Hunk @typedef {import("./hunks.mjs").Mutation} Mutation @typedef {import("./random.mjs").Random} Random */

/** @type {Record<string, (hunk: Hunk, random: Random) => Mutation | undefined>} */
export const wordingMutations = {
  smart_file(hunk, random) {
    const candidates = stableKept(hunk).filter((i) => /["'-]|\S \S/.test(hunk.old[i] ?? ""));
    if (candidates.length === 0) return undefined;
    const at = random.pick(candidates);
    const change = (/** @type {string} */ line, /** @type {number} */ i) => (i === at ? typographic(line) : line);
    return { region: hunk.old.map(change).join("\n"), expected: newLines(hunk.old, hunk.steps, change).join("\n") };
  },

  smart_old(hunk, random) {
    const candidates = stableKept(hunk).filter((i) => /["']/.test(hunk.old[i] ?? ""));
    const chosen = random.shuffle(candidates).slice(0, 2);
    if (chosen.length === 0) return undefined;
    return inModel(hunk, (line, i) => (chosen.includes(i) ? curlyQuotes(line) : line));
  },

  escape_quotes({ plain }) {
    const { old, next } = plain;
    const escaped = (/** @type {string} */ text) => text.replace(/"/g, '\\"');
    return old.includes('"') && !(old + next).includes("\\") ? { old: escaped(old), next: escaped(next) } : undefined;
  },

  escape_nl({ plain }) {
    const { old, next } = plain;
    const escaped = (/** @type {string} */ text) => JSON.stringify(text).slice(1, -1);
    return (old + next).includes("\\") ? undefined : { old: escaped(old), next: escaped(next) };
  },

  unescaped_nl({ plain }) {
    const toNewline = (/** @type {string} */ text) => text.replace(/\\n/g, "\n");
    return plain.old.includes("\\n") ? { old: toNewline(plain.old), next: toNewline(plain.next) } : undefined;
  },

  lineno({ plain }, random) {
    const first = plain.prefix.split("\n").length;
    const separator = random.pick(["\t", "\t", "→"]);
    const numbered = (/** @type {string} */ text) =>
      text
        .split("\n")
        .map((line, i) => `${String(first + i).padStart(6)}${separator}${line}`)
        .join("\n");
    return { old: numbered(plain.old), next: numbered(plain.next) };
  },

  ellipsis_dots: (hunk, random) => elide(hunk, random, "..."),

  ellipsis_comment: (hunk, random) => elide(hunk, random, commentFor(hunk.lang, "... existing code ...")),

  typo_ctx(hunk, random) {
    const candidates = stableKept(hunk).filter((i) => transpose(hunk.old[i] ?? "") !== hunk.old[i]);
    if (candidates.length === 0) return undefined;
    const at = random.pick(candidates);
    return inModel(hunk, (line, i) => (i === at ? transpose(line) : line));
  },

  typo_minus(hunk, random) {
    const candidates = removedLines(hunk).filter((i) => transpose(hunk.old[i] ?? "") !== hunk.old[i]);
    if (candidates.length === 0) return undefined;
    const at = random.pick(candidates);
    return { old: hunk.old.map((line, i) => (i === at ? transpose(line) : line)).join("\n") };
  },

  stale_ctx(hunk, random) {
    const donor = hunk.donors.at(-1)?.trim();
    const candidates = stableKept(hunk);
    if (donor === undefined || candidates.length === 0 || hunk.plain.next.includes(donor)) return undefined;
    const at = random.pick(candidates);
    const change = (/** @type {string} */ line, /** @type {number} */ i) =>
      i === at ? `${/^[ \t]*/.exec(line)?.[0]}${donor}` : line;
    return { region: hunk.old.map(change).join("\n"), expected: newLines(hunk.old, hunk.steps, change).join("\n") };
  },

  dollar(hunk) {
    const last = hunk.steps.findLastIndex((step) => "add" in step);
    if (last < 0) return undefined;
    const steps = hunk.steps.map((step, i) =>
      i === last && "add" in step ? { add: `${step.add} $& $1 $$ $' $\`` } : step,
    );
    return appliedBy(hunk, steps);
  },

  marker(hunk) {
    const first = hunk.steps.findIndex((step) => "add" in step);
    if (first < 0) return undefined;
    return appliedBy(hunk, hunk.steps.toSpliced(first + 1, 0, { add: "=======" }));
  },

  short_unique(hunk) {
    const at = hunk.steps.findIndex((step, i) => "add" in step && removedLines(hunk).includes(i));
    const step = hunk.steps[at];
    const { prefix, region, suffix } = hunk.plain;
    const content = prefix + region + suffix;
    const old = hunk.old[at]?.trim() ?? "";
    const rs = content.indexOf(old);
    if (step === undefined || !("add" in step) || old.length < 6 || content.indexOf(old, rs + 1) >= 0) return undefined;
    const next = step.add.trim();
    return {
      prefix: content.slice(0, rs),
      region: old,
      suffix: content.slice(rs + old.length),
      old,
      next,
      expected: next,
    };
  },
};

/** @param {Hunk} hunk @param {Random} random @param {string | undefined} placeholder @returns {Mutation | undefined} */
function elide(hunk, random, placeholder) {
  // The elided lines lie between two kept ones, and at least two of them go.
  const adjacent = new Set(adjacentKept(hunk));
  const places = [...adjacent].filter((i) => adjacent.has(i + 1) && adjacent.has(i + 2));
  if (placeholder === undefined || places.length === 0) return undefined;
  const before = random.pick(places);
  const indent = /^[ \t]*/.exec(hunk.old[before + 1] ?? "")?.[0];
  const gone = "\0";
  const kept = (/** @type {string} */ line, /** @type {number} */ i) => {
    if (i === before + 1) return `${indent}${placeholder}`;
    return i === before + 2 ? gone : line;
  };
  const present = (/** @type {string} */ line) => line !== gone;
  return {
    old: hunk.old.map(kept).filter(present).join("\n"),
    next: newLines(hunk.old, hunk.steps, kept).filter(present).join("\n"),
  };
}

/** @param {Hunk} hunk @param {(line: string, i: number) => string} kept @returns {Mutation} */
function inModel(hunk, kept) {
  return { old: hunk.old.map(kept).join("\n"), next: newLines(hunk.old, hunk.steps, kept).join("\n") };
}

/** @param {Hunk} hunk @param {readonly import("./hunks.mjs").Step[]} steps @returns {Mutation} */
function appliedBy(hunk, steps) {
  const next = newLines(hunk.old, steps).join("\n");
  return { next, expected: next };
}

/** @param {string} line */
const curlyQuotes = (line) => line.replace(/'/g, "\u2019").replace(/"/g, "\u201d");

/** @param {string} line */
function typographic(line) {
  if (/["']/.test(line)) return curlyQuotes(line);
  return line.includes("-") ? line.replace("-", "\u2014") : line.replace(/(\S) (\S)/, "$1\u00a0$2");
}
