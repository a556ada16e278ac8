// Runs one loaded engine over all trials, on text or on a real file, and times the engine alone.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judge } from "./judge.mjs";

/**
 * @typedef {import("./generate.mjs").Trial} Trial
 * @typedef {{ trial: Trial, verdict: import("./judge.mjs").Verdict, ms: number, text?: string, note: string }} Judged
 */

/**
 * @param {Awaited<ReturnType<import("./engines/index.mjs").Engine["load"]>>} engine
 * @param {readonly Trial[]} trials @param {string} scratch @returns {Promise<Judged[]>}
 */
export async function measure(engine, trials, scratch) {
  const apply = "onText" in engine ? onText(engine) : onFile(engine, scratch);
  const judged = [];
  for (const trial of trials) judged.push(await runTrial(apply, trial));
  return judged;
}

/** @param {(trial: Trial, clock: Clock) => Promise<Applied>} apply @param {Trial} trial @returns {Promise<Judged>} */
async function runTrial(apply, trial) {
  const clock = new Clock();
  try {
    const { text, note } = await apply(trial, clock);
    return { trial, verdict: judge(trial, text), ms: clock.ms, note, ...(text === undefined ? {} : { text }) };
  } catch (error) {
    return {
      trial,
      verdict: "threw",
      ms: clock.ms,
      note: error instanceof Error ? (error.stack ?? "") : String(error),
    };
  }
}

/** @typedef {{ text: string | undefined, note: string }} Applied */

/** @param {import("./engines/index.mjs").TextEngine} engine */
function onText(engine) {
  return async (/** @type {Trial} */ trial, /** @type {Clock} */ clock) => {
    clock.start();
    const answer = engine.onText(trial.content, trial.old, trial.new);
    const result = answer instanceof Promise ? await answer : answer;
    clock.stop();
    if ("refused" in result) return { text: undefined, note: result.refused };
    return { text: result.text, note: result.how ?? "applied" };
  };
}

/** @param {import("./engines/index.mjs").FileEngine} engine @param {string} scratch */
function onFile(engine, scratch) {
  return async (/** @type {Trial} */ trial, /** @type {Clock} */ clock) => {
    const path = join(scratch, `edited.${trial.lang}`);
    writeFileSync(path, trial.content);
    clock.start();
    const result = await engine.onFile(path, trial.old, trial.new);
    clock.stop();
    const text = readFileSync(path, "utf8");
    // A refusal that still changed the file is judged by what it left behind.
    if (result !== undefined && text === trial.content) return { text: undefined, note: result.refused };
    return { text, note: "applied" };
  };
}

class Clock {
  ms = 0;
  #from = 0;
  start() {
    this.#from = performance.now();
  }
  stop() {
    this.ms = performance.now() - this.#from;
  }
}
