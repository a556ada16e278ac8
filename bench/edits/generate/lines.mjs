// Questions the mutations ask about the lines of a hunk, and small changes to one line.

/** @typedef {import("./hunks.mjs").Hunk} Hunk */

/** Kept lines whose text occurs once in the window: no pairing can mistake them. @param {Hunk} hunk */
export function stableKept({ old, steps }) {
  const trimmed = old.map((line) => line.trim());
  const kept = steps.flatMap((step) => ("keep" in step ? [step.keep] : []));
  return kept.filter(
    (i) => trimmed[i] !== "" && trimmed.indexOf(trimmed[i] ?? "") === trimmed.lastIndexOf(trimmed[i] ?? ""),
  );
}

/** Indexes i where old lines i and i + 1 are kept side by side. @param {Hunk} hunk */
export function adjacentKept({ steps }) {
  return steps.flatMap((step, at) => {
    const following = steps[at + 1];
    if (!("keep" in step) || following === undefined || !("keep" in following)) return [];
    return following.keep === step.keep + 1 ? [step.keep] : [];
  });
}

/** @param {Hunk} hunk */
export function removedLines({ old, steps }) {
  const kept = new Set(steps.flatMap((step) => ("keep" in step ? [step.keep] : [])));
  return old.flatMap((line, i) => (kept.has(i) || line.trim() === "" ? [] : [i]));
}

/** Moves a line right (positive) or left; blank lines stay blank. @param {number} columns */
export const shiftBy = (columns) => (/** @type {string} */ line) => {
  if (line.trim() === "") return line;
  return columns < 0 ? line.slice(-columns) : " ".repeat(columns) + line;
};

/** @param {string} lang @param {string} words */
export function commentFor(lang, words) {
  if (["js", "ts", "c"].includes(lang)) return `// ${words}`;
  if (["yaml", "py"].includes(lang)) return `# ${words}`;
  if (lang === "css") return `/* ${words} */`;
  return undefined;
}

const longWord = /[A-Za-z]{4,}/g;

/** @param {string} line */
export const hasWord = (line) => line.match(longWord) !== null;

/** Extends the last long word of the line, as siblings do: save -> saveOther. @param {string} line @param {string} ending */
export function extendWord(line, ending) {
  const word = [...line.matchAll(longWord)].at(-1);
  if (word === undefined) return line;
  const end = word.index + word[0].length;
  return line.slice(0, end) + ending + line.slice(end);
}

/** Swaps two neighbouring letters inside a word of five or more. @param {string} line */
export function transpose(line) {
  for (const { 0: word, index } of line.matchAll(/[A-Za-z]{5,}/g)) {
    const at = [...word].findIndex((letter, i) => i >= 2 && i < word.length - 1 && letter !== word[i + 1]);
    if (at < 0) continue;
    const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
    return line.slice(0, index) + swapped + line.slice(index + word.length);
  }
  return line;
}
