// Plausible edits inside a window: rename, change a literal, insert, delete or replace lines.

/**
 * @typedef {import("./hunks.mjs").Step} Step
 * @typedef {{ old: readonly string[], from: number, to: number, donors: readonly string[], random: import("./random.mjs").Random }} Target
 */

/** @type {readonly ((target: Target) => Step[])[]} */
const kinds = [renameWord, renameWord, changeLiteral, insertLines, deleteLines, replaceLines, replaceLines];

/**
 * The edit leaves context on both sides and never adds a line the window already has,
 * so that the pairing of kept lines is beyond doubt.
 * @param {readonly string[]} old @param {readonly string[]} donors @param {import("./random.mjs").Random} random
 * @returns {Step[] | undefined}
 */
export function editWindow(old, donors, random) {
  const context = 1 + random.below(old.length >= 8 ? 3 : 2);
  const from = context + random.below(Math.max(1, old.length - 2 * context - 2));
  const to = Math.min(old.length - context, from + 1 + random.below(3));
  const steps = random.pick(kinds)({ old, from, to, donors, random });
  const own = new Set(old.map((line) => line.trim()));
  const added = steps.flatMap((step) => ("add" in step ? [step.add] : []));
  const kept = new Set(steps.flatMap((step) => ("keep" in step ? [step.keep] : [])));
  const removed = old.filter((_, i) => !kept.has(i));
  const isClean = added.every((line) => line.trim() !== "" && !own.has(line.trim()));
  const changesWords = added.length > 0 || removed.some((line) => line.trim() !== "");
  return isClean && changesWords ? steps : undefined;
}

/** @param {Target} target */
function renameWord({ old, from, to, random }) {
  const words = old.slice(from, to).flatMap((line) => line.match(/\b[a-z][A-Za-z0-9_]{4,}\b/g) ?? []);
  const word = words.length === 0 ? "" : random.pick(words);
  const better = random.pick([`${word}Entry`, `${word}ByName`, `own${word[0]?.toUpperCase()}${word.slice(1)}`]);
  const pattern = new RegExp(`\\b${word}\\b`, "g");
  return rewriteLines(old, from, to, (line) => (word === "" ? line : line.replace(pattern, () => better)));
}

/** @param {Target} target */
function changeLiteral({ old, from, to }) {
  const literal = /\b(\d{1,6})\b|(["'])([^"'\\]{2,})\2/;
  return rewriteLines(old, from, to, (line) =>
    line.replace(literal, (_, digits, quote, body) =>
      digits === undefined ? `${quote}${body}-next${quote}` : String(Number(digits) + 1),
    ),
  );
}

/** @param {Target} target */
function insertLines({ old, from, donors, random }) {
  return splice(old, from, from, borrow(old[from], donors, random));
}

/** @param {Target} target */
function deleteLines({ old, from, to }) {
  return splice(old, from, to, []);
}

/** @param {Target} target */
function replaceLines({ old, from, to, donors, random }) {
  return splice(old, from, to, borrow(old[from], donors, random));
}

/** @param {readonly string[]} old @param {number} from @param {number} to @param {(line: string) => string} rewrite @returns {Step[]} */
function rewriteLines(old, from, to, rewrite) {
  return old.map((line, keep) => {
    const add = keep >= from && keep < to ? rewrite(line) : line;
    return add === line ? { keep } : { add };
  });
}

/** @param {readonly string[]} old @param {number} from @param {number} to @param {readonly string[]} added @returns {Step[]} */
function splice(old, from, to, added) {
  const steps = old.map((_, keep) => ({ keep }));
  return [...steps.slice(0, from), ...added.map((add) => ({ add })), ...steps.slice(to)];
}

/** Real lines of the same file, at the indentation of their new place. @param {string | undefined} neighbour @param {readonly string[]} donors @param {import("./random.mjs").Random} random */
function borrow(neighbour, donors, random) {
  const indent = /^[ \t]*/.exec(neighbour ?? "")?.[0] ?? "";
  return donors.slice(0, 1 + random.below(3)).map((line) => indent + line.trim());
}
