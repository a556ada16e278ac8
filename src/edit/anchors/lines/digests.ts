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
  #groups: Groups | undefined;

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
    const { sizes, groupOf } = this.#grouped;
    return sizes[groupOf[at]!]!;
  }

  /** Positions of the digests that start with a prefix of at least 4 characters. */
  find(prefix: string): number[] {
    const { shift, heads, nextGroup, firsts, nextPlace } = this.#grouped;
    const least = Number.parseInt(prefix.slice(0, SHOWN).padEnd(SHOWN, "0"), 16);
    const places: number[] = [];
    for (let group = heads[least >>> shift]!; group !== 0; group = nextGroup[group]!) {
      for (let place = firsts[group]!; place !== 0; place = nextPlace[place - 1]!) places.push(place - 1);
    }
    return places.filter((at) => this.hex(at).startsWith(prefix)).sort((a, b) => a - b);
  }

  /** Digests that start with the same 6 characters are a group; groups lie in buckets by their first bits. */
  get #grouped(): Groups {
    if (this.#groups !== undefined) return this.#groups;
    const count = this.#words.length / WORDS;
    // No more bits than a prefix has at least: then all that it may mean lies in one bucket.
    const bits = Math.min(LEAST_PREFIX_BITS, Math.max(4, Math.ceil(Math.log2(count + 1))));
    const shift = SHOWN * 4 - bits;
    const heads = new Int32Array(2 ** bits);
    const groupOf = new Int32Array(count);
    const nextPlace = new Int32Array(count);
    // Few lines differ where there are very many.
    const [nextGroup, firsts, sizes]: [number[], number[], number[]] = [[0], [0], [0]];
    for (let at = count - 1; at >= 0; at--) {
      const shown = this.#shown(at);
      let group = heads[shown >>> shift]!;
      while (group !== 0 && this.#shown(firsts[group]! - 1) !== shown) group = nextGroup[group]!;
      if (group === 0) {
        group = sizes.push(0) - 1;
        firsts.push(0);
        nextGroup.push(heads[shown >>> shift]!);
        heads[shown >>> shift] = group;
      }
      nextPlace[at] = firsts[group]!;
      firsts[group] = at + 1;
      sizes[group]!++;
      groupOf[at] = group;
    }
    this.#groups = { shift, heads, nextGroup, firsts, sizes, groupOf, nextPlace };
    return this.#groups;
  }

  /** The first 6 characters as a number. A word holds its first byte lowest. */
  #shown(at: number): number {
    const word = this.#words[at * WORDS]!;
    return ((word & 0xff) << 16) | (word & 0xff00) | ((word >>> 16) & 0xff);
  }
}

/** Linked by numbers from 1 on: 0 is the end. */
interface Groups {
  /** From the first 6 characters to their bucket. */
  readonly shift: number;
  /** Of a bucket: a group in it. */
  readonly heads: Int32Array;
  /** Of a group: another one in its bucket. */
  readonly nextGroup: readonly number[];
  /** Of a group: the first place in it. */
  readonly firsts: readonly number[];
  /** Of a group: how many places are in it. */
  readonly sizes: readonly number[];
  /** Of a place, from 0 on. */
  readonly groupOf: Int32Array;
  /** Of a place, from 0 on: the next one in its group. */
  readonly nextPlace: Int32Array;
}

const WORDS = 4;
const SHOWN = 6;
const LEAST_PREFIX_BITS = 16;
