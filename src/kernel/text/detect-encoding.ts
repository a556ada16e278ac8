// Detects the encoding of bytes: by declaration, byte order mark and validity. It is never guessed.
import { isUtf8 } from "node:buffer";
import { refuse } from "../../words/index.ts";
import {
  type Codec,
  isWide,
  loneSurrogates,
  namedCodec,
  unknown8bit,
  utf8,
  utf8Escaped,
  utf16be,
  utf16le,
} from "./encoding.ts";
import { decodeEscaped } from "./stray-bytes.ts";

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

export function detect(bytes: Buffer, path?: string): Detected {
  if (isPdf(bytes)) throw refuse("binary", { path, is: "pdf" });
  const mark = markOf(bytes);
  if (mark !== undefined && mark.codec !== utf8) return decodeWide(bytes, mark, path);
  if (hasNul(bytes)) throw refuse("binary", { path, is: "nul" });
  const bomBytes = mark?.bomBytes ?? 0;
  const rest = bytes.subarray(bomBytes);
  if (!isUtf8(rest)) return withStrayBytes(rest, bomBytes);
  return { codec: utf8, bomBytes, body: utf8.decode(rest), invalid: 0, notes: [] };
}

/** A piece from within a file: a mark in it is none, and it has too little to guess by. */
export function detectPiece(bytes: Buffer): { body: string; encoding: string; notes: readonly string[] } {
  if (isUtf8(bytes)) return { body: utf8.decode(bytes), encoding: utf8.name, notes: [] };
  const { body, invalid } = decodeEscaped(bytes);
  return { body, encoding: utf8.name, notes: [`not valid UTF-8 throughout: ${kept(invalid)}`] };
}

export function detectDeclared(bytes: Buffer, encoding: string, path?: string): Detected {
  const named = namedCodec(encoding, path);
  const mark = markOf(bytes);
  const marked = mark !== undefined && (mark.codec === named || (isWide(mark.codec) && isUnordered(encoding)));
  const { codec, bomBytes } = marked ? mark : { codec: named, bomBytes: 0 };
  if (isWide(codec)) return decodeWide(bytes, { codec, bomBytes }, path);
  if (hasNul(bytes)) throw refuse("binary", { path, is: "nul" });
  if (isPdf(bytes)) throw refuse("binary", { path, is: "pdf" });
  if (codec !== utf8) {
    const exact = decodeExactly(bytes, codec);
    if (exact === undefined) throw refuse("not_in_encoding", { path, encoding: codec.name });
    return exact;
  }
  const rest = bytes.subarray(bomBytes);
  if (!isUtf8(rest)) return { codec: utf8Escaped, bomBytes, ...decodeEscaped(rest), notes: [] };
  return { codec, bomBytes, body: codec.decode(rest), invalid: 0, notes: [] };
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

/** Not valid UTF-8. Which other encoding it is, the caller may declare; it is not guessed. */
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
  // Some tables turn an unused byte into U+FFFD and back: exact, but shown as what it is not.
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
