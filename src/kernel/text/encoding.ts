// Encodings: which one bytes are in, by declaration, byte order mark and validity, never by guessing; and how each is read and written.
import { isAscii, isUtf8, transcode } from "node:buffer";
import { createRequire } from "node:module";
import { refuse } from "../../words/index.ts";

export interface Codec {
  readonly name: string;
  decode(bytes: Buffer): string;
  /** Only for text that has passed `firstUnencodable`. */
  encode(text: string): Buffer;
  /** Bytes of a text that does not start or end inside a surrogate pair. */
  byteLength(text: string): number;
  /** Index of the first character that this encoding does not have, -1 when it has them all. Half pairs are refused before. */
  firstUnencodable(text: string): number;
  /** Characters cannot influence their neighbours: what was encoded in pieces also decodes right when put together. */
  readonly independent: boolean;
}

/** Bytes above 0x7F in an unknown encoding: they are kept, ASCII can be edited around them, nothing else can be added. */
export const UNKNOWN_8BIT = "unknown-8bit";

export function namedCodec(name: string, path?: string): Codec {
  const codec = codecFor(name);
  if (codec !== undefined) return codec;
  throw refuse("encoding_unknown", { path, encoding: name });
}

/** The codec of a name as people write it; undefined when there is none. UTF-16 without byte order means little-endian. */
export function codecFor(name: string): Codec | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (["utf8", "utf8sig", "utf8bom"].includes(plain)) return utf8;
  if (["utf16", "utf16le", "ucs2", "ucs2le"].includes(plain)) return utf16le;
  if (["utf16be", "ucs2be"].includes(plain)) return utf16be;
  if (["latin1", "iso88591", "l1"].includes(plain)) return latin1;
  if (["ascii", "usascii"].includes(plain)) return ascii;
  return legacy(name.toLowerCase());
}

export const utf8: Codec = {
  name: "utf-8",
  decode: decodeUtf8,
  encode: (text) => Buffer.from(text),
  byteLength: (text) => Buffer.byteLength(text),
  firstUnencodable: () => -1,
  independent: true,
};

/** UTF-8 with stray bytes: each byte that is not valid is carried as one lone surrogate, U+DC00 + byte, and comes back as that byte. */
const utf8Escaped: Codec = {
  name: "utf-8",
  decode: (bytes) => decodeEscaped(bytes).body,
  encode: encodeEscaped,
  byteLength: escapedByteLength,
  firstUnencodable: (text) => text.search(/[\uD800-\uDC7F\uDD00-\uDFFF]/u),
  // Two stray bytes that meet may form a valid character.
  independent: false,
};

const unknown8bit: Codec = {
  name: UNKNOWN_8BIT,
  decode: decodeAsciiOnly,
  // "latin1" keeps the low byte of each unit: the ASCII character, or the byte behind U+DC00 + byte.
  encode: (text) => Buffer.from(text, "latin1"),
  byteLength: (text) => text.length,
  firstUnencodable: (text) => text.search(/[^\0-\x7F\uDC80-\uDCFF]/u),
  independent: true,
};

const ascii: Codec = { ...unknown8bit, name: "ascii" };

export const utf16le: Codec = {
  name: "utf-16le",
  decode: (bytes) => bytes.toString("utf16le"),
  encode: (text) => Buffer.from(text, "utf16le"),
  byteLength: (text) => text.length * 2,
  firstUnencodable: () => -1,
  independent: true,
};

export const utf16be: Codec = {
  ...utf16le,
  name: "utf-16be",
  decode: (bytes) => Buffer.from(bytes).swap16().toString("utf16le"),
  encode: (text) => Buffer.from(text, "utf16le").swap16(),
};

export function isWide(codec: Codec): boolean {
  return codec === utf16le || codec === utf16be;
}

const latin1: Codec = {
  name: "iso-8859-1",
  decode: (bytes) => bytes.toString("latin1"),
  encode: (text) => Buffer.from(text, "latin1"),
  byteLength: (text) => text.length,
  firstUnencodable: (text) => text.search(/[^\0-\xFF]/u),
  independent: true,
};

function legacy(name: string): Codec | undefined {
  const iconv = loadIconv();
  // iconv-lite also "decodes" base64 and hex, and UTF-7 keeps a state from one character to the next.
  if (/^(utf|ucs|cesu|unicode|base64|hex|binary)/.test(name) || !iconv.encodingExists(name)) return;
  const encode = (text: string): Buffer => iconv.encode(text, name);
  const decode = (bytes: Buffer): string => iconv.decode(bytes, name, { stripBOM: false });
  return {
    name,
    decode,
    encode,
    byteLength: (text) => encode(text).length,
    firstUnencodable: (text) => {
      const at = text.indexOf("\uFFFD");
      return at === -1 ? firstDifference(text, decode(encode(text))) : at;
    },
    // Multi-byte encodings have trail bytes that look like ASCII, and some join a letter and its accent.
    independent: false,
  };
}

// Loaded when the first file needs it: most workspaces never do.
function loadIconv(): typeof import("iconv-lite") {
  const require = createRequire(import.meta.url);
  return require("iconv-lite");
}

/** Takes valid bytes only. From 2 KiB on, transcoding first is 2 to 10 times faster. */
function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return bytes.length < 2048 ? bytes.toString("utf8") : transcode(bytes, "utf8", "ucs2").toString("ucs2");
}

export function firstLoneSurrogate(text: string): number {
  return /[\uD800-\uDFFF]/.test(text) ? text.search(/\p{Surrogate}/u) : -1;
}

function loneSurrogates(text: string): number {
  return countOf(/\p{Surrogate}/gu, text);
}

function countOf(pattern: RegExp, text: string): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

function firstDifference(a: string, b: string): number {
  if (a === b) return -1;
  let at = 0;
  while (a[at] === b[at]) at++;
  return at;
}

export interface Detected {
  readonly codec: Codec;
  readonly bomBytes: number;
  readonly body: string;
  /** Bytes, or UTF-16 units, that are not valid in this encoding. */
  readonly invalid: number;
  readonly notes: readonly string[];
}

/** Where a NUL makes a file binary: the same distance that git and grep look. */
const BINARY_SAMPLE = 8192;

/** Reads bytes in the declared encoding, or else in that of their byte order mark, or as UTF-8. */
export function detect(bytes: Buffer, encoding: string | undefined, path?: string): Detected {
  const { codec, bomBytes } = startOf(bytes, encoding, path);
  if (isWide(codec)) return decodeWide(bytes, { codec, bomBytes }, path);
  if (isPdf(bytes)) throw refuse("binary", { path, is: "pdf" });
  if (hasNul(bytes)) throw refuse("binary", { path, is: "nul" });
  if (codec !== utf8) {
    const exact = decodeExactly(bytes, codec);
    if (exact === undefined) throw refuse("not_in_encoding", { path, encoding: codec.name });
    return exact;
  }
  const rest = bytes.subarray(bomBytes);
  if (isUtf8(rest)) return { codec, bomBytes, body: codec.decode(rest), invalid: 0, notes: [] };
  if (encoding === undefined) return withStrayBytes(rest, bomBytes);
  return { codec: utf8Escaped, bomBytes, ...decodeEscaped(rest), notes: [] };
}

function startOf(bytes: Buffer, encoding: string | undefined, path?: string): Mark {
  const mark = markOf(bytes);
  if (encoding === undefined) return mark ?? { codec: utf8, bomBytes: 0 };
  const codec = namedCodec(encoding, path);
  const isMarked = mark?.codec === codec || (mark && isWide(mark.codec) && isUnordered(encoding));
  return mark && isMarked ? mark : { codec, bomBytes: 0 };
}

/** Decodes a piece from within a file, where U+FEFF is no byte order mark. */
export function detectPiece(bytes: Buffer): { body: string; encoding: string; notes: readonly string[] } {
  if (isUtf8(bytes)) return { body: utf8.decode(bytes), encoding: utf8.name, notes: [] };
  const { body, invalid } = decodeEscaped(bytes);
  return { body, encoding: utf8.name, notes: [`not valid UTF-8 throughout: ${kept(invalid)}`] };
}

interface Mark {
  readonly codec: Codec;
  readonly bomBytes: number;
}

function markOf(bytes: Buffer): Mark | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { codec: utf8, bomBytes: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { codec: utf16le, bomBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { codec: utf16be, bomBytes: 2 };
  return;
}

function isUnordered(encoding: string): boolean {
  return /^(utf-?16|ucs-?2)$/i.test(encoding);
}

function decodeWide(bytes: Buffer, { codec, bomBytes }: Mark, path?: string): Detected {
  if (bytes.length % 2 === 1) throw refuse("odd_bytes", { path, encoding: codec.name, size: bytes.length });
  const body = codec.decode(bytes.subarray(bomBytes));
  if (body.slice(0, BINARY_SAMPLE / 2).includes("\0")) throw refuse("binary", { path, is: "nul" });
  return { codec, bomBytes, body, invalid: loneSurrogates(body), notes: [] };
}

/** Decodes bytes that are not valid UTF-8. The caller may declare their encoding; nothing guesses it. */
function withStrayBytes(bytes: Buffer, bomBytes: number): Detected {
  const { body, invalid, sequences } = decodeEscaped(bytes);
  if (bomBytes > 0 || sequences * 2 > invalid) {
    return { codec: utf8Escaped, bomBytes, body, invalid, notes: [`not valid UTF-8 throughout: ${kept(invalid)}`] };
  }
  const raw = decodeExactly(bytes, unknown8bit)!;
  return { ...raw, notes: [`encoding not known: ${kept(raw.invalid)}`] };
}

function kept(bytes: number): string {
  return `${bytes} ${bytes === 1 ? "byte is" : "bytes are"} kept as found and shown as \\xNN`;
}

function decodeExactly(bytes: Buffer, codec: Codec): Detected | undefined {
  const body = codec.decode(bytes);
  // Some tables turn an unused byte into U+FFFD and back, which would show a character that is not there.
  if (body.includes("\uFFFD") || !codec.encode(body).equals(bytes)) return;
  return { codec, bomBytes: 0, body, invalid: loneSurrogates(body), notes: [] };
}

function hasNul(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_SAMPLE).includes(0);
}

/** A PDF without NUL bytes would pass as text; an edit breaks its table of offsets. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 5)).equals(PDF_START);
}

const PDF_START = Buffer.from("%PDF-");

interface Escaped {
  readonly body: string;
  /** Bytes that are not part of valid UTF-8. */
  readonly invalid: number;
  /** Characters of two bytes and more that are valid: evidence that the rest is meant as UTF-8. */
  readonly sequences: number;
}

const STRAY_BYTE = /[\uDC80-\uDCFF]/gu;

export function decodeEscaped(bytes: Buffer): Escaped {
  // Large enough: a character never has more UTF-16 units than UTF-8 bytes.
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

/** Decodes an unknown encoding: ASCII as it is, and every other byte as a stray byte. */
function decodeAsciiOnly(bytes: Buffer): string {
  const units = Buffer.from(bytes.toString("latin1"), "utf16le");
  for (let at = 0; at < units.length; at += 2) if (units[at]! >= 0x80) units[at + 1] = 0xdc;
  return units.toString("utf16le");
}

/** The inverse of `decodeEscaped`. The caller has refused lone surrogates that are no stray bytes. */
function encodeEscaped(text: string): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { index } of text.matchAll(STRAY_BYTE)) {
    pieces.push(Buffer.from(text.slice(at, index)), Buffer.of(text.charCodeAt(index) - 0xdc00));
    at = index + 1;
  }
  return at === 0 ? Buffer.from(text) : Buffer.concat([...pieces, Buffer.from(text.slice(at))]);
}

/** Buffer.byteLength counts three bytes for a lone surrogate; a stray byte is one. */
function escapedByteLength(text: string): number {
  return Buffer.byteLength(text) - 2 * countOf(STRAY_BYTE, text);
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
