// The digests of many texts, kept as numbers: ten thousand lines are hashed long before one of them is shown.

import { hexOf, md5Into } from "./md5.ts";

/** Texts whose digests are known: the first so many, and the last so many, of other digests. */
export interface KnownEnds {
  readonly digests: Digests;
  readonly first: number;
  readonly last: number;
}

export class Digests {
  readonly #words: Int32Array;
  /** By the first 6 characters, then by place. */
  #sorted: Float64Array | undefined;

  /** `textAt`: each text is asked for once, and not kept. */
  constructor(count: number, textAt: (at: number) => string, known?: KnownEnds) {
    this.#words = new Int32Array(count * WORDS);
    const [first, last] = [known?.first ?? 0, known?.last ?? 0];
    if (known !== undefined) {
      const others = known.digests.#words;
      this.#words.set(others.subarray(0, first * WORDS), 0);
      this.#words.set(others.subarray(others.length - last * WORDS), this.#words.length - last * WORDS);
    }
    for (let at = first; at < count - last; at++) md5Into(this.#words, at * WORDS, textAt(at));
  }

  hex(at: number): string {
    return hexOf(this.#words, at * WORDS);
  }

  /** How many digests start with the same 6 characters as this one, itself included. */
  occurrences(at: number): number {
    const start = this.#shown(at);
    return this.#below(start + 1) - this.#below(start);
  }

  /** Positions of the digests that start with a prefix of at least 4 characters. */
  find(prefix: string): number[] {
    const [least, most] = ["0", "f"].map((rest) => Number.parseInt(prefix.slice(0, SHOWN).padEnd(SHOWN, rest), 16));
    const places = Array.from(
      this.#order.subarray(this.#below(least!), this.#below(most! + 1)),
      (each) => each % PLACES,
    );
    return places.filter((at) => this.hex(at).startsWith(prefix)).sort((a, b) => a - b);
  }

  get #order(): Float64Array {
    if (this.#sorted !== undefined) return this.#sorted;
    const sorted = new Float64Array(this.#words.length / WORDS);
    for (let at = 0; at < sorted.length; at++) sorted[at] = this.#shown(at) * PLACES + at;
    this.#sorted = sorted.sort();
    return sorted;
  }

  /** The first 6 characters as a number. A word holds its first byte lowest. */
  #shown(at: number): number {
    const word = this.#words[at * WORDS]!;
    return ((word & 0xff) << 16) | (word & 0xff00) | ((word >>> 16) & 0xff);
  }

  /** How many come before what starts so. */
  #below(start: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order[middle]! < start * PLACES) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const WORDS = 4;
const SHOWN = 6;
/** Beside 24 bits of a digest, so many places fit exactly into a number. */
const PLACES = 2 ** 29;
