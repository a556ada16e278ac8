// Encodings: for each, how bytes become text and back, how many bytes a text takes, and which characters it does not have.
import { isAscii, transcode } from "node:buffer";
import { createRequire } from "node:module";
import { refuse } from "../../words/index.ts";
import { decodeAsciiOnly, decodeEscaped, encodeEscaped, escapedByteLength } from "./stray-bytes.ts";

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

/** UTF-8 that holds stray bytes: see escaped.ts. */
export const utf8Escaped: Codec = {
  name: "utf-8",
  decode: (bytes) => decodeEscaped(bytes).body,
  encode: encodeEscaped,
  byteLength: escapedByteLength,
  firstUnencodable: (text) => text.search(/[\uD800-\uDC7F\uDD00-\uDFFF]/u),
  // Two stray bytes that meet may form a valid character.
  independent: false,
};

export const unknown8bit: Codec = {
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

/** For bytes known to be valid. Below 2 KiB the plain way is as fast; above, transcoding first is 2 to 10 times faster. */
function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return bytes.length < 2048 ? bytes.toString("utf8") : transcode(bytes, "utf8", "ucs2").toString("ucs2");
}

export function firstLoneSurrogate(text: string): number {
  return /[\uD800-\uDFFF]/.test(text) ? text.search(/\p{Surrogate}/u) : -1;
}

export function loneSurrogates(text: string): number {
  const first = firstLoneSurrogate(text);
  if (first === -1) return 0;
  let lone = 0;
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const isPair = unit < 0xdc00 && text.codePointAt(at)! > 0xffff;
    if (isPair) at++;
    else lone++;
  }
  return lone;
}

function firstDifference(a: string, b: string): number {
  if (a === b) return -1;
  let at = 0;
  while (a[at] === b[at]) at++;
  return at;
}
