// Chances that come again: the same seed gives the same state, the same mutations and the same commands.

export function chancesOf(seed) {
  let at = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(at ^ (at >>> 15), at | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  const pick = (list) => list[below(list.length)];
  return {
    below,
    pick,
    chance: (share) => next() < share,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
    /** Of [weight, value] pairs. */
    weighted(pairs) {
      let left = next() * pairs.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of pairs) {
        left -= weight;
        if (left < 0) return value;
      }
      return pairs[0][1];
    },
  };
}
