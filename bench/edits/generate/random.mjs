// Repeatable random choices.

/** @typedef {{ below: (n: number) => number, pick: <T>(items: readonly T[]) => T, shuffle: <T>(items: readonly T[]) => T[] }} Random */

/** @param {string} seed @returns {Random} */
export function seededRandom(seed) {
  let state = hashOf(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  return {
    below,
    pick: (items) => /** @type {never} */ (items[below(items.length)]),
    shuffle(items) {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [shuffled[i], shuffled[j]] = [/** @type {never} */ (shuffled[j]), /** @type {never} */ (shuffled[i])];
      }
      return shuffled;
    },
  };
}

/** FNV-1a. @param {string} text */
export function hashOf(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
