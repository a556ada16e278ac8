// Edit calls that real models made, replayed: what was applied gives the same bytes, what was refused is judged.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

const folder = new URL("../../../shared/data/real-edits/", import.meta.url);

/** The calls lie beside the project, or there are none. */
export const realEditsMissing = !existsSync(folder);

/** Recorded bytes that are damage: lines without context, behind a hunk that says where to look, went to the end of the file. */
const DAMAGED = new Set(["5627d09e0e"]);

/** Refused by the tool they were made for, applied by stet, and looked at one by one: the beginning of the sha256 of what is right. */
const RIGHT = {
  "971e0dde05": "aaf89ec4aaa2",
  "61343d1c6b": "d4702e4b5604",
  bb1890c164: "9237e9772b05",
  bf5ba52ee8: "851e587dfca7",
  c027703f9a: "ac1b79962b2a",
  de6e7f2388: "d34b9824bb72",
  "9b353bec25": "6da5c4b65346",
  "9da7c9c703": "6e882ce1208e",
  "20b6b31071": "5bf592d3b35b",
  "7fb595bbff": "d5430c4efbfb",
};

/** @param {import("./real.d.mts").RealEngines} engines @returns {import("./real.d.mts").RealFigures} */
export function replayRealEdits(engines) {
  return { applied: replayApplied(engines), patches: replayPatches(engines), refused: replayRefused(engines) };
}

/** @param {import("./real.d.mts").RealEngines} engines */
function replayApplied({ replaceText, replaceEdits }) {
  const calls = rowsOf("applied.jsonl");
  /** @type {string[]} */
  const differing = [];
  for (const { id, before, after, edits } of calls) {
    const inOrder = (/** @type {(text: string, edit: any) => string | undefined} */ apply) =>
      edits.reduce((/** @type {any} */ text, /** @type {any} */ edit) => text && apply(text, edit), before);
    const forgiving = inOrder((text, edit) => replaceText(text, edit.old, edit.new, { replaceAll: edit.all }));
    const exact = inOrder((text, edit) => replaceEdits(text, edit));
    if (forgiving !== after) differing.push(`${id} by the ladder`);
    if (exact !== after) differing.push(`${id} to the letter`);
  }
  return { calls: calls.length, differing };
}

/** @param {import("./real.d.mts").RealEngines} engines */
function replayRefused({ replaceText }) {
  const calls = rowsOf("refused.jsonl");
  /** @type {string[]} */
  const right = [];
  /** @type {string[]} */
  const wrong = [];
  for (const { id, before, edits } of calls) {
    const [{ old, new: text, all }] = edits;
    for (const seen of [false, true]) {
      const result = replaceText(before, old, text, { replaceAll: all, seen });
      if (result === undefined) continue;
      const isRight = before.split(old).length === 2 ? result === before.split(old).join(text) : isJudged(id, result);
      const list = isRight ? right : wrong;
      if (!list.includes(id)) list.push(id);
    }
  }
  return { calls: calls.length, right, wrong };
}

/** @param {string} id @param {string} text */
function isJudged(id, text) {
  const known = /** @type {Record<string, string>} */ (RIGHT)[id];
  return known !== undefined && createHash("sha256").update(text).digest("hex").startsWith(known);
}

/** @param {import("./real.d.mts").RealEngines} engines */
function replayPatches({ parsePatch, planPatch, relativeTo }) {
  const calls = rowsOf("codex-patches.jsonl");
  const figures = {
    calls: calls.length,
    parsed: 0,
    applied: 0,
    known: 0,
    locators: 0,
    not: /** @type {string[]} */ ([]),
  };
  for (const { id, patch: text, files, after } of calls) {
    try {
      const patch = parsePatch(text);
      figures.parsed++;
      const { sections } = patch;
      if (sections.some((each) => each.hunks?.some((hunk) => hunk.lines.every(({ sign }) => sign === " ")))) {
        figures.locators++;
      }
      if (!sections.every((each) => isIn(relativeTo, each.path))) throw new Error("a path is not taken");
      const isKnown = files !== null && after !== null;
      if (isKnown) figures.known++;
      const before = isKnown ? files : reconstructed(sections, "-");
      const expected = isKnown ? after : reconstructed(sections, "+");
      const now = { ...before };
      for (const plan of planPatch(patch, (path) => before[path] ?? null)) {
        if (plan.op === "delete") delete now[plan.path];
        else now[plan.path] = plan.newText;
      }
      const same = Object.keys(expected).every((path) => now[path] === expected[path]);
      if (!same) throw new Error("other bytes");
      figures.applied++;
    } catch (error) {
      const why = DAMAGED.has(id)
        ? "the recorded bytes are damage"
        : /** @type {Error} */ (error).message.split("\n")[0];
      figures.not.push(`${id}: ${why}`);
    }
  }
  return figures;
}

/** An absolute path is taken in a workspace that holds it: here the first two directories on its way. */
function isIn(/** @type {import("./real.d.mts").RealEngines["relativeTo"]} */ relativeTo, /** @type {string} */ path) {
  const platform = /^[A-Za-z]:/.test(path) ? "win32" : "linux";
  const names = path.split(/[\\/]/).filter((name) => name !== "");
  const isAbsolute = platform === "win32" || path.startsWith("/");
  return !isAbsolute || relativeTo([names.slice(0, 2)], path, platform) === names.slice(2).join("/");
}

/**
 * Files that are not known, from what the patch itself says of them: the lines of its hunks in their order, with others
 * between them. "-" gives them before, "+" after.
 * @param {readonly any[]} sections @param {"-" | "+"} side @returns {Record<string, string>}
 */
function reconstructed(sections, side) {
  const files = sections.flatMap((section) => {
    if (section.op === "add") return side === "+" ? [[section.path, section.text]] : [];
    if (section.op === "delete") return side === "-" ? [[section.path, "x\n"]] : [];
    const alone =
      section.hunks.length === 1 && section.hunks[0].lines.every((/** @type {any} */ { sign }) => sign === "+");
    const lines = section.hunks.flatMap((/** @type {any} */ hunk, /** @type {number} */ n) => [
      ...(alone ? [] : [`before hunk ${n} of ${section.path}`, ...hunk.headers]),
      ...hunk.lines
        .filter((/** @type {any} */ { sign }) => sign === " " || sign === side)
        .map((/** @type {any} */ { text }) => text),
    ]);
    return [[section.path, lines.map((/** @type {string} */ line) => `${line}\n`).join("")]];
  });
  return Object.fromEntries(files);
}

/** @param {string} name @returns {any[]} */
function rowsOf(name) {
  const lines = readFileSync(new URL(name, folder), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}
