// The digests of many texts: of each the first 6 characters are kept as a number, the rest is computed when it is asked for.

import { md5 } from "./hash.ts";

/** Texts whose digests are known: the first so many, and the last so many, of other digests. */
export interface KnownEnds {
  readonly digests: Digests;
  readonly first: number;
  readonly last: number;
}

export class Digests {
  readonly #shown: Int32Array;
  readonly #textAt: (at: number) => string;
  #counts: Map<number, number> | undefined;

  constructor(count: number, textAt: (at: number) => string, known?: KnownEnds) {
    this.#shown = new Int32Array(count);
    this.#textAt = textAt;
    const [first, last] = [known?.first ?? 0, known?.last ?? 0];
    if (known !== undefined) {
      const others = known.digests.#shown;
      this.#shown.set(others.subarray(0, first), 0);
      this.#shown.set(others.subarray(others.length - last), count - last);
    }
    for (let at = first; at < count - last; at++)
      this.#shown[at] = Number.parseInt(md5(textAt(at)).slice(0, SHOWN), 16);
  }

  hex(at: number): string {
    return md5(this.#textAt(at));
  }

  /** The first 6 characters. */
  shown(at: number): string {
    return this.#shown[at]!.toString(16).padStart(SHOWN, "0");
  }

  /** How many digests start with the same 6 characters as this one, itself included. */
  occurrences(at: number): number {
    if (this.#counts === undefined) {
      this.#counts = new Map();
      for (const shown of this.#shown) this.#counts.set(shown, (this.#counts.get(shown) ?? 0) + 1);
    }
    return this.#counts.get(this.#shown[at]!)!;
  }

  /** Positions of the digests that start with a prefix of at least 4 characters. */
  find(prefix: string): number[] {
    const start = prefix.slice(0, SHOWN);
    const [wanted, bits] = [Number.parseInt(start, 16), 4 * (SHOWN - start.length)];
    const places: number[] = [];
    this.#shown.forEach((shown, at) => {
      if (shown >>> bits === wanted && (prefix.length <= SHOWN || this.hex(at).startsWith(prefix))) places.push(at);
    });
    return places;
  }
}

const SHOWN = 6;
