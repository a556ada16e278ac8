// Medians with their spread, and ratios beside a goal, as lines of text and as data.
import { median } from "../stats.mjs";

const results = [];

/** Runs every candidate in each round, the order turned round each time, after one round that does not count. */
export async function alternate(rounds, candidates, measure) {
  const values = candidates.map(() => []);
  for (let round = -1; round < rounds; round++) {
    const order = [...candidates.keys()];
    for (const at of round % 2 === 0 ? order : order.reverse()) {
      const value = await measure(candidates[at], round);
      if (round >= 0) values[at].push(value);
    }
  }
  return values;
}

/** `goal`: ["≤", 0.5] holds the median of ours, divided by that of theirs, against the number. */
export function report(title, unit, ours, theirs, goal) {
  const ratio = median(ours.values) / median(theirs.values);
  const met = goal === undefined || (goal[0] === "≤" ? ratio <= goal[1] : ratio >= goal[1]);
  const verdict = goal === undefined ? "" : ` (goal ${goal[0]} ${goal[1]}: ${met ? "met" : "MISSED"})`;
  console.log(
    `${title}, ${ours.name}: ${spread(ours.values)} ${unit}; ${theirs.name}: ${spread(theirs.values)} ${unit}`,
  );
  console.log(`  ratio ${ratio.toFixed(2)}${verdict}`);
  results.push({ title, unit, ours, theirs, ratio, ...(goal && { goal: goal.join(" "), met }) });
}

export function tell(title, data) {
  const shown = Object.entries(data).map(([name, value]) => `${name} ${value}`);
  console.log(`${title}: ${shown.join(", ")}`);
  results.push({ title, ...data });
}

export function allResults() {
  return results;
}

function spread(values) {
  const digits = median(values) < 100 ? 1 : 0;
  const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)];
  return `${middle.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;
}
