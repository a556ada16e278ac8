// Finds readable source files among the installed packages.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { hashOf } from "./random.mjs";

const languages = {
  js: [".js", ".mjs", ".cjs"],
  ts: [".ts", ".mts", ".cts"],
  md: [".md"],
  json: [".json"],
  yaml: [".yml", ".yaml"],
  css: [".css"],
  py: [".py"],
  c: [".c", ".h"],
};

/** How many of each hundred hunks; what a language cannot give goes to the first ones. */
export const shares = { js: 45, ts: 25, md: 12, json: 8, c: 4, yaml: 2, css: 2, py: 2 };

/** @typedef {keyof typeof languages} Language */

/**
 * In an order that only the seed and each path decide, so that one more package does not change the whole choice.
 * @param {string} nodeModules @param {string} seed @returns {Map<Language, string[]>} paths relative to nodeModules
 */
export function listSources(nodeModules, seed) {
  const entries = readdirSync(nodeModules, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(nodeModules, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/(^|\/)\./.test(path));
  const ranked = paths.map((path) => ({ path, rank: hashOf(`${seed}:${path}`) }));
  const order = ranked.sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
  return new Map(
    Object.entries(languages).map(([lang, extensions]) => [
      /** @type {Language} */ (lang),
      order.filter((path) => extensions.includes(extname(path))),
    ]),
  );
}

/** @param {string} path @returns {string | undefined} the text, if a person could have written it */
export function readSource(path) {
  const bytes = readFileSync(path);
  if (bytes.length < 400 || bytes.length > 40_000) return undefined;
  const text = bytes.toString("utf8");
  if (/[\0\r\uFEFF\uFFFD]/.test(text)) return undefined;
  const lines = text.split("\n");
  const isReadable = lines.length >= 25 && lines.length <= 330 && lines.every((line) => line.length <= 240);
  return isReadable ? text : undefined;
}
