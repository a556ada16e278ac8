// Splices on their way between threads: as columns of numbers, since a hundred thousand objects take long to copy.
import { numbersOf } from "../../edit/text/occurrences.ts";
import type { Splice } from "../../edit/text/splice.ts";

interface Packed {
  readonly packed: true;
  /** Start, end and which text, one after the other. */
  readonly numbers: Int32Array;
  readonly texts: readonly string[];
}

/** A list of splices, also as `splices` of an object, becomes columns; everything else stays as it is. */
export function pack(value: unknown): unknown {
  if (Array.isArray(value) && value.length > FEW && isSplice(value[0])) return packed(value);
  return hasSplices(value) ? { ...value, splices: pack(value.splices) } : value;
}

export function unpack(value: unknown): unknown {
  if (isPacked(value)) return unpacked(value);
  return hasSplices(value) ? { ...value, splices: unpack(value.splices) } : value;
}

const FEW = 1000;

function packed(splices: readonly Splice[]): Packed {
  const known = new Map<string, number>();
  const numbers = new Int32Array(3 * splices.length);
  const which = numbersOf(
    splices.map(({ text }) => text),
    known,
  );
  for (const [n, { start, end }] of splices.entries()) numbers.set([start, end, which[n]!], 3 * n);
  return { packed: true, numbers, texts: [...known.keys()] };
}

function unpacked({ numbers, texts }: Packed): Splice[] {
  const splices: Splice[] = [];
  for (let n = 0; n < numbers.length; n += 3) {
    splices.push({ start: numbers[n]!, end: numbers[n + 1]!, text: texts[numbers[n + 2]!]! });
  }
  return splices;
}

function isSplice(value: unknown): value is Splice {
  return typeof value === "object" && value !== null && "start" in value && "end" in value && "text" in value;
}

function hasSplices(value: unknown): value is { readonly splices: unknown } {
  return typeof value === "object" && value !== null && "splices" in value;
}

function isPacked(value: unknown): value is Packed {
  return typeof value === "object" && value !== null && "packed" in value;
}
