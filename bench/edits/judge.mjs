// Judges one result byte for byte against the expected text and adds the verdicts up.

/**
 * @typedef {import("./generate.mjs").Trial} Trial
 * @typedef {"correct" | "refused" | "cosmetic" | "inside" | "outside" | "accepted" | "threw"} Verdict
 */

/** @type {readonly Verdict[]} */
const wrongVerdicts = ["cosmetic", "inside", "outside", "accepted"];

/**
 * A refusal is `undefined`. On a trial that must be refused, "refused" is the right answer and "accepted" the wrong one.
 * @param {Trial} trial @param {string | undefined} text @returns {Verdict}
 */
export function judge(trial, text) {
  if (text === undefined) return "refused";
  if (trial.expected === null) return "accepted";
  if (text === trial.expected) return "correct";
  const before = trial.content.slice(0, trial.rs);
  const after = trial.content.slice(trial.re);
  const keepsOutside = text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
  if (!keepsOutside) return "outside";
  return withoutLayout(text) === withoutLayout(trial.expected) ? "cosmetic" : "inside";
}

/** @param {Verdict} verdict */
const isWrong = (verdict) => wrongVerdicts.includes(verdict);

/** @param {{ trial: Trial, verdict: Verdict, ms: number }[]} judged */
export function summarize(judged) {
  const applicable = judged.filter(({ trial }) => trial.expected !== null);
  const mustRefuse = judged.filter(({ trial }) => trial.expected === null);
  const count = (/** @type {Verdict} */ verdict) => applicable.filter((one) => one.verdict === verdict).length;
  return {
    applicable: applicable.length,
    mustRefuse: mustRefuse.length,
    correct: count("correct"),
    refused: count("refused"),
    wrong: applicable.filter(({ verdict }) => isWrong(verdict)).length,
    cosmetic: count("cosmetic"),
    outside: count("outside"),
    accepted: mustRefuse.filter(({ verdict }) => verdict === "accepted").length,
    refusedRightly: mustRefuse.filter(({ verdict }) => verdict === "refused").length,
    threw: judged.filter(({ verdict }) => verdict === "threw").length,
    meanMs: judged.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, judged.length),
  };
}

/** @param {{ trial: Trial, verdict: Verdict, ms: number }[]} judged */
export function summarizeByClass(judged) {
  const classes = [...new Set(judged.map(({ trial }) => trial.cls))];
  return new Map(classes.map((cls) => [cls, summarize(judged.filter(({ trial }) => trial.cls === cls))]));
}

/** How many trials each level of the ladder decided: the note of an edit that was applied. @param {import("./measure.mjs").Judged[]} judged */
export function countLevels(judged) {
  /** @type {Map<string, number>} */
  const levels = new Map();
  for (const { text, note } of judged) if (text !== undefined) levels.set(note, (levels.get(note) ?? 0) + 1);
  return levels;
}

/** @param {string} text */
function withoutLayout(text) {
  const lines = text.split("\n").map((line) => line.replace(/[ \t]+(?=\r?$)/, ""));
  return lines.filter((line) => line.trim() !== "").join("\n");
}
