// Medians with their spread, and contestants measured in alternating order so that none has the warmer machine.

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle)
    ? (Number(sorted[middle - 1]) + Number(sorted[middle])) / 2
    : Number(sorted[Math.floor(middle)]);
}

/** @typedef {{ median: number, low: number, high: number }} Spread */

/** @param {readonly number[]} values @returns {Spread} */
export function spread(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/**
 * Milliseconds per call of each contestant over several rounds.
 * @param {Readonly<Record<string, (round: number) => Promise<unknown>>>} contestants
 * @param {{ rounds: number, perRound: number }} size
 * @returns {Promise<Record<string, Spread>>}
 */
export async function alternate(contestants, { rounds, perRound }) {
  const names = Object.keys(contestants);
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const started = performance.now();
      for (let n = 0; n < perRound; n++) await contestants[name]?.(round * perRound + n);
      // The first round warms up and is not counted.
      if (round >= 0) times[name]?.push((performance.now() - started) / perRound);
    }
  }
  return Object.fromEntries(names.map((name) => [name, spread(times[name] ?? [])]));
}
