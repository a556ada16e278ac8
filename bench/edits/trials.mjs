// The trials: recorded ones where they lie beside the project, else generated from the source text in node_modules.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { generateTrials } from "./generate.mjs";

/** @typedef {import("./generate.mjs").Trial} Trial */

const recorded = fileURLToPath(new URL("../../../shared/data/edit-bench/trials.jsonl.gz", import.meta.url));
const nodeModules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

/**
 * @param {{ file?: string, generated?: boolean, sample?: number, seed: number }} options
 * @returns {{ trials: Trial[], origin: string, isDefault: boolean }}
 */
export function loadTrials({ file, generated, sample, seed }) {
  if (file !== undefined) return { trials: take(readTrials(file), sample), origin: file, isDefault: false };
  const isDefault = sample === undefined;
  if (!generated && existsSync(recorded)) {
    return { trials: take(readTrials(recorded), sample), origin: "recorded trials", isDefault };
  }
  if (!generated) console.log("There are no recorded trials here: they are generated from node_modules instead.");
  const trials = take(generateTrials({ nodeModules, seed }), sample);
  return { trials, origin: `generated from node_modules, seed ${seed}`, isDefault };
}

/** @param {string} file @returns {Trial[]} */
function readTrials(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => JSON.parse(line)).filter(isFair);
}

/** Old text that is in the file to the letter, once, always lands: no trial may ask to refuse it. @param {Trial} trial */
const isFair = ({ expected, content, old }) => expected !== null || content.split(old).length !== 2;

/** Evenly spread, so that every class keeps its share. @param {Trial[]} trials @param {number} [count] */
function take(trials, count) {
  if (count === undefined || count >= trials.length) return trials;
  return Array.from(
    { length: count },
    (_, i) => /** @type {Trial} */ (trials[Math.floor((i * trials.length) / count)]),
  );
}
