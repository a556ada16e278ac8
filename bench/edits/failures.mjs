// Shows the trials of one class that an engine did not get right, with what it said.
import { percent } from "./report.mjs";

const shown = 10;

/** @param {string} engine @param {readonly import("./measure.mjs").Judged[]} judged @param {string} cls a class, or "wrong" for every wrong result */
export function printFailures(engine, judged, cls) {
  const ofClass = judged.filter(({ trial }) => cls === "wrong" || trial.cls === cls);
  const failed = ofClass.filter((one) => !isRight(one) && (cls !== "wrong" || one.text !== undefined));
  console.log(
    `\n### ${engine}, ${cls}: ${failed.length} of ${ofClass.length} (${percent(failed.length, ofClass.length)} %)`,
  );
  for (const one of failed.slice(0, shown)) console.log(describe(one));
  if (failed.length > shown) console.log(`... and ${failed.length - shown} more`);
}

/** @param {import("./measure.mjs").Judged} judged */
const isRight = ({ trial, verdict }) => verdict === (trial.expected === null ? "refused" : "correct");

/** @param {import("./measure.mjs").Judged} judged */
function describe({ trial, verdict, note, text }) {
  const tail = trial.content.length - trial.re;
  const part = (/** @type {string | null | undefined} */ whole) =>
    whole?.slice(trial.rs, Math.max(trial.rs, whole.length - tail));
  const parts = [
    ["old", trial.old],
    ["new", trial.new],
    ["file", part(trial.content)],
    ["expected", part(trial.expected) ?? "(refusal)"],
    ["got", part(text) ?? "(refused)"],
  ];
  const bodies = parts.map(([title, body]) => `[${title}]\n${visible(body ?? "")}`).join("\n");
  return `\n--- ${trial.cls} ${trial.id} (${trial.lang}): ${verdict}: ${note.split("\n")[0]}\n${bodies}`;
}

/** @param {string} text */
const visible = (text) =>
  text
    .replace(/\r/g, "␍")
    .replace(/\t/g, "→\t")
    .replace(/ +$/gm, (spaces) => "·".repeat(spaces.length));
