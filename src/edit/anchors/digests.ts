// The digests of many texts, kept as numbers: ten thousand lines are hashed long before one of them is shown.

import { hexOf, md5Into } from "./md5.ts";

// A word holds its first byte lowest: 4 hex characters are its low 16 bits, 6 are its low 24.
const FOUR_CHARACTERS = 0xffff;
const SIX_CHARACTERS = 0xffffff;

export class Digests {
  readonly #words: Int32Array;
  readonly #shown = new Map<number, number>();
  #buckets: Map<number, number[]> | undefined;

  constructor(texts: readonly string[]) {
    this.#words = new Int32Array(texts.length * 4);
    texts.forEach((text, at) => {
      md5Into(this.#words, at * 4, text);
      const shown = this.#words[at * 4]! & SIX_CHARACTERS;
      this.#shown.set(shown, (this.#shown.get(shown) ?? 0) + 1);
    });
  }

  hex(at: number): string {
    return hexOf(this.#words, at * 4);
  }

  /** How many digests start with the same 6 characters as this one, itself included. */
  occurrences(at: number): number {
    return this.#shown.get(this.#words[at * 4]! & SIX_CHARACTERS)!;
  }

  /** Positions of the digests that start with a prefix of at least 4 characters. */
  find(prefix: string): number[] {
    this.#buckets ??= this.#sort();
    const key = Number.parseInt(prefix.slice(2, 4) + prefix.slice(0, 2), 16);
    return (this.#buckets.get(key) ?? []).filter((at) => this.hex(at).startsWith(prefix));
  }

  #sort(): Map<number, number[]> {
    const buckets = new Map<number, number[]>();
    for (let at = 0; at * 4 < this.#words.length; at++) {
      const key = this.#words[at * 4]! & FOUR_CHARACTERS;
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [at]);
      bucket?.push(at);
    }
    return buckets;
  }
}
