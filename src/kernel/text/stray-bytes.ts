// UTF-8 with stray bytes: every byte that is not valid UTF-8 is carried as one lone surrogate, U+DC00 + byte, and comes back as that byte.

export interface Escaped {
  readonly body: string;
  /** Bytes that are not part of valid UTF-8. */
  readonly invalid: number;
  /** Characters of two bytes and more that are valid: evidence that the rest is meant as UTF-8. */
  readonly sequences: number;
}

const STRAY_BYTE = /[\uDC80-\uDCFF]/gu;

export function decodeEscaped(bytes: Buffer): Escaped {
  // A character never has more UTF-16 units than UTF-8 bytes, so this is always large enough.
  const units = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  let invalid = 0;
  let sequences = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!;
    const size = byte < 0x80 ? 1 : sequenceLength(bytes, at);
    if (size > 1) sequences++;
    if (size === 0) invalid++;
    const code = size === 0 ? 0xdc00 + byte : codePoint(bytes, at, size);
    if (code > 0xffff) length = put(units, length, 0xd7c0 + (code >> 10));
    length = put(units, length, code > 0xffff ? 0xdc00 + (code & 0x3ff) : code);
    at += size || 1;
  }
  return { body: units.toString("utf16le", 0, length), invalid, sequences };
}

/** For an encoding that is not known: ASCII, and every other byte as a stray byte. */
export function decodeAsciiOnly(bytes: Buffer): string {
  const units = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  // Walking through by index takes a fifth of the time.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    length = put(units, length, byte < 0x80 ? byte : 0xdc00 + byte);
  }
  return units.toString("utf16le");
}

/** The inverse of `decodeEscaped`. Lone surrogates other than stray bytes must have been refused before. */
export function encodeEscaped(text: string): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { index } of text.matchAll(STRAY_BYTE)) {
    pieces.push(Buffer.from(text.slice(at, index)), Buffer.of(text.charCodeAt(index) - 0xdc00));
    at = index + 1;
  }
  return at === 0 ? Buffer.from(text) : Buffer.concat([...pieces, Buffer.from(text.slice(at))]);
}

/** Buffer.byteLength counts three bytes for a lone surrogate; a stray byte is one. */
export function escapedByteLength(text: string): number {
  return Buffer.byteLength(text) - 2 * strayBytes(text);
}

function strayBytes(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(STRAY_BYTE)) count++;
  return count;
}

/** Length of the valid sequence that starts here, 0 when there is none. The bounds exclude overlong forms and surrogates. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return continues(second) ? 2 : 0;
  const third = bytes[at + 2] ?? 0;
  if (lead < 0xf0) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && continues(third) ? 3 : 0;
  }
  const low = lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high && continues(third) && continues(bytes[at + 3] ?? 0) ? 4 : 0;
}

function continues(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

function codePoint(bytes: Buffer, at: number, size: number): number {
  let code = size === 1 ? bytes[at]! : bytes[at]! & (0x7f >> size);
  for (let i = 1; i < size; i++) code = (code << 6) | (bytes[at + i]! & 0x3f);
  return code;
}

function put(units: Buffer, at: number, unit: number): number {
  units[at] = unit & 0xff;
  units[at + 1] = unit >> 8;
  return at + 2;
}
