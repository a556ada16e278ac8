// Reads trials: from a .jsonl or .jsonl.gz file, or generated from real source text when there is no file.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { generateTrials } from "./generate.mjs";

/** @typedef {import("./generate.mjs").Trial} Trial */

const root = new URL("../../", import.meta.url);
const defaultFile = fileURLToPath(new URL("../shared/data/edit-bench/trials.jsonl.gz", root));

/**
 * @param {{ file?: string, generated?: boolean, sample?: number, seed: number }} options
 * @returns {{ trials: Trial[], origin: string, isDefaultFile: boolean }}
 */
export function loadTrials({ file, generated, sample, seed }) {
  if (file !== undefined) return { trials: take(readTrials(file), sample), origin: file, isDefaultFile: false };
  if (!generated && existsSync(defaultFile)) {
    const trials = take(readTrials(defaultFile), sample);
    return { trials, origin: "the default trials file", isDefaultFile: sample === undefined };
  }
  if (!generated) console.log("The default trials file is absent: trials are generated from node_modules instead.");
  const trials = generateTrials({ nodeModules: fileURLToPath(new URL("node_modules/", root)), seed });
  return { trials: take(trials, sample), origin: `generated from node_modules, seed ${seed}`, isDefaultFile: false };
}

/** @param {string} file @returns {Trial[]} */
function readTrials(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => JSON.parse(line));
}

/** Evenly spread, so that every class keeps its share. @param {Trial[]} trials @param {number} [count] */
function take(trials, count) {
  if (count === undefined || count >= trials.length) return trials;
  return Array.from(
    { length: count },
    (_, i) => /** @type {Trial} */ (trials[Math.floor((i * trials.length) / count)]),
  );
}
