// Mutations of layout: whitespace, indentation, line endings, blank and comment lines. All have one right answer.
import { newLines } from "./hunks.mjs";
import { adjacentKept, commentFor, shiftBy, stableKept } from "./lines.mjs";

/** @typedef {import("./hunks.mjs").Hunk} Hunk @typedef {import("./hunks.mjs").Mutation} Mutation @typedef {import("./random.mjs").Random} Random */

/** @type {Record<string, (hunk: Hunk, random: Random) => Mutation | undefined>} */
export const layoutMutations = {
  exact: () => ({}),

  final_newline: ({ plain }) =>
    plain.suffix.startsWith("\n") ? { old: `${plain.old}\n`, next: `${plain.next}\n` } : undefined,

  trail_file(hunk, random) {
    const chosen = random.shuffle(stableKept(hunk)).slice(0, 2);
    if (chosen.length === 0) return undefined;
    return inFile(hunk, (line, i) => (chosen.includes(i) ? `${line}   ` : line));
  },

  trail_old(hunk, random) {
    const chosen = random.shuffle(stableKept(hunk)).slice(0, 2);
    if (chosen.length === 0) return undefined;
    const mutated = inModel(hunk, (line, i) => (chosen.includes(i) ? `${line}  ` : line));
    return random.pick([mutated, { ...mutated, next: hunk.plain.next }]);
  },

  dedent_all(hunk) {
    const all = [...hunk.old, ...newLines(hunk.old, hunk.steps)].filter((line) => line.trim() !== "");
    const depth = Math.min(...all.map((line) => /^(?: +|\t+)/.exec(line)?.[0].length ?? 0));
    const isUniform = new Set(all.map((line) => line.slice(0, depth))).size === 1;
    return depth > 0 && isUniform ? inModel(hunk, shiftBy(-depth), shiftBy(-depth)) : undefined;
  },

  dedent_first(hunk) {
    const { old, next } = hunk.plain;
    const keepsFirst = hunk.steps[0] !== undefined && "keep" in hunk.steps[0];
    return keepsFirst && /^[ \t]/.test(old) ? { old: old.trimStart(), next: next.trimStart() } : undefined;
  },

  indent_extra: (hunk) => (hasTabs(hunk) ? undefined : inModel(hunk, shiftBy(4), shiftBy(4))),

  spaces_to_tabs(hunk) {
    const all = [...hunk.old, ...newLines(hunk.old, hunk.steps)];
    const depths = all.map((line) => /^ */.exec(line)?.[0].length ?? 0).filter((depth) => depth > 0);
    const unit = depths.every((depth) => depth % 4 === 0) ? 4 : 2;
    const isRegular = depths.every((depth) => depth % unit === 0) && /^ /m.test(hunk.plain.old);
    if (!isRegular || hasTabs(hunk)) return undefined;
    const tabbed = (/** @type {string} */ line) => line.replace(/^ +/, (spaces) => "\t".repeat(spaces.length / unit));
    return inModel(hunk, tabbed, tabbed);
  },

  tabs_to_spaces(hunk) {
    const all = [...hunk.old, ...newLines(hunk.old, hunk.steps)];
    if (!/^\t/m.test(hunk.plain.old) || all.some((line) => /^\t* /.test(line))) return undefined;
    const spaced = (/** @type {string} */ line) => line.replace(/^\t+/, (tabs) => "    ".repeat(tabs.length));
    return inModel(hunk, spaced, spaced);
  },

  crlf_file({ plain }) {
    const { prefix, region, suffix } = plain;
    return { prefix: crlf(prefix), region: crlf(region), suffix: crlf(suffix), expected: crlf(plain.next) };
  },

  crlf_old: ({ plain }) => ({ old: crlf(plain.old), next: crlf(plain.next) }),

  mixed_eol({ plain }) {
    const prefix = plain.prefix.replace(/\n/g, (eol, at) => (at % 2 === 0 ? "\r\n" : eol));
    const suffix = plain.suffix.slice(0, 1) + crlf(plain.suffix.slice(1));
    return prefix === plain.prefix && suffix === plain.suffix ? undefined : { prefix, suffix };
  },

  drop_blank(hunk, random) {
    const places = adjacentKept(hunk).filter((i) => hunk.old[i]?.trim() !== "" && hunk.old[i + 1]?.trim() !== "");
    if (places.length === 0) return undefined;
    return withExtraLine(hunk, random.pick(places), "");
  },

  drop_comment(hunk, random) {
    const comment = commentFor(hunk.lang, "the reader relies on this order");
    const places = adjacentKept(hunk);
    if (comment === undefined || places.length === 0) return undefined;
    const at = random.pick(places);
    return withExtraLine(hunk, at, `${/^[ \t]*/.exec(hunk.old[at] ?? "")?.[0]}${comment}`);
  },

  add_blank(hunk, random) {
    const places = adjacentKept(hunk).filter((i) => hunk.old[i]?.trim() !== "" && hunk.old[i + 1]?.trim() !== "");
    if (places.length === 0) return undefined;
    const at = random.pick(places);
    return inModel(hunk, (line, i) => (i === at ? `${line}\n` : line));
  },
};

/** The file differs from what the model wrote; kept lines keep the file's bytes. @param {Hunk} hunk @param {(line: string, i: number) => string} change @returns {Mutation} */
function inFile(hunk, change) {
  return { region: hunk.old.map(change).join("\n"), expected: newLines(hunk.old, hunk.steps, change).join("\n") };
}

/** The model wrote old and the shared lines of new differently from the file. @param {Hunk} hunk @param {(line: string, i: number) => string} kept @param {(line: string) => string} [added] @returns {Mutation} */
function inModel(hunk, kept, added) {
  return { old: hunk.old.map(kept).join("\n"), next: newLines(hunk.old, hunk.steps, kept, added).join("\n") };
}

/** @param {Hunk} hunk @param {number} after @param {string} extra */
const withExtraLine = (hunk, after, extra) => inFile(hunk, (line, i) => (i === after ? `${line}\n${extra}` : line));

/** @param {string} text */
const crlf = (text) => text.replace(/\n/g, "\r\n");

/** @param {Hunk} hunk */
const hasTabs = ({ plain }) => /^[ ]*\t/m.test(`${plain.old}\n${plain.next}`);
