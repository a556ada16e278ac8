// Files of the journal that can be made again from its entries: written whole, and believed only with the mark of this state.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readStateFile, replaceStateFile } from "../state/file.ts";

/** What a derived file says about itself, and its parts. All numbers in it are as this machine has them in memory. */
export interface Derived {
  readonly head: Readonly<Record<string, unknown>>;
  readonly parts: readonly Uint8Array[];
}

/** `key`: known to this state's record alone, which lies outside the workspace. */
export function writeDerived(path: string, key: string, { head, parts }: Derived, maxBytes: number): boolean {
  const lengths = parts.map(({ byteLength }) => byteLength);
  const text = Buffer.from(`${JSON.stringify({ ...head, format: FORMAT, lengths })}\n`);
  const padded = [Buffer.alloc(roundedUp(text.length), " "), ...parts.map(inSteps)];
  text.copy(padded[0]!, padded[0]!.length - text.length);
  const size = padded.reduce((sum, { byteLength }) => sum + byteLength, MARK_BYTES);
  if (size > maxBytes) return false;
  replaceStateFile(path, [markOf(path, key, padded), ...padded], false);
  return true;
}

/** Null when it is not there, or anything but what this state wrote under this name. */
export function readDerived(path: string, key: string, maxBytes: number): Derived | null {
  try {
    const bytes = readStateFile(path, maxBytes);
    if (bytes === undefined || bytes.length < MARK_BYTES) return null;
    const rest = bytes.subarray(MARK_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, MARK_BYTES), markOf(path, key, [rest]))) return null;
    const end = rest.indexOf(LINE_END) + 1;
    const { format, lengths, ...head } = JSON.parse(rest.toString("utf8", 0, end)) as Record<string, unknown>;
    if (format !== FORMAT || !Array.isArray(lengths)) return null;
    let at = end;
    const parts = (lengths as number[]).map((length) => {
      const part = rest.subarray(at, at + length);
      at += roundedUp(length);
      return part;
    });
    return { head, parts };
  } catch {
    return null;
  }
}

/** Whole numbers of 4 bytes. What is not where numbers may lie in memory is copied. */
export function numbersIn(part: Uint8Array): Uint32Array {
  return new Uint32Array(...placeOf(part, Uint32Array.BYTES_PER_ELEMENT));
}

export function timesIn(part: Uint8Array): Float64Array {
  return new Float64Array(...placeOf(part, Float64Array.BYTES_PER_ELEMENT));
}

export const bytesOfNumbers = (numbers: Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

function placeOf(part: Uint8Array, each: number): [ArrayBuffer, number, number] {
  const lies = part.byteOffset % each === 0 ? part : new Uint8Array(part);
  return [lies.buffer as ArrayBuffer, lies.byteOffset, Math.floor(lies.byteLength / each)];
}

const MARK_BYTES = 32;
const LINE_END = 10;
/** Another machine may have numbers the other way round. */
const FORMAT = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? "1" : "1 big";
const STEP = 8;

const roundedUp = (length: number): number => Math.ceil(length / STEP) * STEP;

function inSteps(part: Uint8Array): Uint8Array {
  const length = roundedUp(part.byteLength);
  if (length === part.byteLength) return part;
  const padded = new Uint8Array(length);
  padded.set(part);
  return padded;
}

/** One file cannot stand in for another: its name is part of what is marked. */
function markOf(path: string, key: string, parts: readonly Uint8Array[]): Buffer {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const mark = createHmac("sha256", key).update(`derived ${name}\n`);
  for (const part of parts) mark.update(part);
  return mark.digest();
}
