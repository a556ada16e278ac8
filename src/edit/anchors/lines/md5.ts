// MD5 of many short texts: names lines, protects nothing. Faster here than a native call for each line, and it works where
// the crypto library refuses MD5 (docs/decisions/018-md5-of-lines-in-javascript.md).

const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const block = new Int32Array(16);
const state = new Int32Array(4);

export function md5(text: string): string {
  const words = new Int32Array(4);
  md5Into(words, 0, text);
  return hexOf(words, 0);
}

/** Writes the digest of the UTF-8 bytes of a text as four little-endian words. */
export function md5Into(words: Int32Array, at: number, text: string): void {
  if (!digestOf(text)) digestOf(Buffer.from(text).toString("latin1"), true);
  words[at] = state[0]!;
  words[at + 1] = state[1]!;
  words[at + 2] = state[2]!;
  words[at + 3] = state[3]!;
}

export function hexOf(words: Int32Array, at: number): string {
  let hex = "";
  for (let i = at; i < at + 4; i++) {
    const word = words[i]!;
    hex += HEX[word & 255]! + HEX[(word >>> 8) & 255]! + HEX[(word >>> 16) & 255]! + HEX[word >>> 24]!;
  }
  return hex;
}

/** One byte a character. Gives up at the first character that is not ASCII, unless these are bytes already. */
function digestOf(bytes: string, encoded = false): boolean {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  let word = 0;
  let filled = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i);
    if (byte > 127 && !encoded) return false;
    word |= byte << ((i & 3) << 3);
    if ((i & 3) < 3) continue;
    block[filled++] = word;
    word = 0;
    if (filled < 16) continue;
    mix();
    filled = 0;
  }
  finish(word, filled, bytes.length);
  return true;
}

/** A one bit after the last byte, zeros, and the length in bits. */
function finish(word: number, filled: number, length: number): void {
  block[filled++] = word | (0x80 << ((length & 3) << 3));
  if (filled > 14) {
    if (filled === 15) block[15] = 0;
    mix();
    filled = 0;
  }
  while (filled < 14) block[filled++] = 0;
  block[14] = length << 3;
  block[15] = length >>> 29;
  mix();
}

function mix(): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  for (let i = 0; i < 16; i += 4) {
    a = turn(a + (d ^ (b & (c ^ d))) + block[i]! + SINES[i]!, 7, b);
    d = turn(d + (c ^ (a & (b ^ c))) + block[i + 1]! + SINES[i + 1]!, 12, a);
    c = turn(c + (b ^ (d & (a ^ b))) + block[i + 2]! + SINES[i + 2]!, 17, d);
    b = turn(b + (a ^ (c & (d ^ a))) + block[i + 3]! + SINES[i + 3]!, 22, c);
  }
  for (let i = 16; i < 32; i += 4) {
    a = turn(a + (c ^ (d & (b ^ c))) + block[(5 * i + 1) & 15]! + SINES[i]!, 5, b);
    d = turn(d + (b ^ (c & (a ^ b))) + block[(5 * i + 6) & 15]! + SINES[i + 1]!, 9, a);
    c = turn(c + (a ^ (b & (d ^ a))) + block[(5 * i + 11) & 15]! + SINES[i + 2]!, 14, d);
    b = turn(b + (d ^ (a & (c ^ d))) + block[(5 * i) & 15]! + SINES[i + 3]!, 20, c);
  }
  for (let i = 32; i < 48; i += 4) {
    a = turn(a + (b ^ c ^ d) + block[(3 * i + 5) & 15]! + SINES[i]!, 4, b);
    d = turn(d + (a ^ b ^ c) + block[(3 * i + 8) & 15]! + SINES[i + 1]!, 11, a);
    c = turn(c + (d ^ a ^ b) + block[(3 * i + 11) & 15]! + SINES[i + 2]!, 16, d);
    b = turn(b + (c ^ d ^ a) + block[(3 * i + 14) & 15]! + SINES[i + 3]!, 23, c);
  }
  for (let i = 48; i < 64; i += 4) {
    a = turn(a + (c ^ (b | ~d)) + block[(7 * i) & 15]! + SINES[i]!, 6, b);
    d = turn(d + (b ^ (a | ~c)) + block[(7 * i + 7) & 15]! + SINES[i + 1]!, 10, a);
    c = turn(c + (a ^ (d | ~b)) + block[(7 * i + 14) & 15]! + SINES[i + 2]!, 15, d);
    b = turn(b + (d ^ (c | ~a)) + block[(7 * i + 5) & 15]! + SINES[i + 3]!, 21, c);
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
}

function turn(sum: number, by: number, plus: number): number {
  const word = sum | 0;
  return (((word << by) | (word >>> (32 - by))) + plus) | 0;
}
