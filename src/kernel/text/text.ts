// Decodes files, and encodes edits so that bytes differ only where the edit is.
import { constants } from "node:buffer";
import { sizeOf } from "../../core/version.ts";
import { applySplices, checkPlace, type Splice, sortSplices } from "../../edit/text/splice.ts";
import { refuse } from "../../words/index.ts";
import { type Codec, detect, firstLoneSurrogate, isWide, namedCodec, utf8 } from "./encoding.ts";

/** "cr": carriage returns and no newlines, as in old Mac files. To every tool the file is one line. */
export type EolStyle = "lf" | "crlf" | "cr" | "mixed" | "none";

/** A file as text. Only `decode` makes one: it belongs to the bytes that it was made from. */
export interface Text {
  /** Without byte order mark, every line with its own terminator, stray bytes as U+DC00 + byte. */
  readonly body: string;
  /** The encoding that the bytes were decoded as. */
  readonly encoding: string;
  /** Whether the file begins with a byte order mark. */
  readonly bom: boolean;
  /** How its lines end. */
  readonly eol: EolStyle;
  /** Whether the last line has an end. */
  readonly finalNewline: boolean;
  /** Bytes (in UTF-16: units) that are not valid in this encoding. They are kept. */
  readonly invalid: number;
  /** What a reader should know about how the bytes were understood. */
  readonly notes: readonly string[];
  /** For the words of a refusal. */
  readonly path?: string | undefined;
  /** Encodes it again. */
  readonly codec: Codec;
  /** How many bytes the byte order mark takes. */
  readonly bomBytes: number;
  /** Of all parts, in bytes. */
  readonly size: number;
  /** The bytes that it was read from. */
  readonly parts: readonly Uint8Array[];
}

const MARK = "\uFEFF";
const MAX_PARTS = 16;

export interface DecodeOptions {
  readonly encoding?: string | undefined;
  /** For the words of a refusal. */
  readonly path?: string | undefined;
}

export function decode(input: readonly Uint8Array[] | Uint8Array, options: DecodeOptions = {}): Text {
  const parts = input instanceof Uint8Array ? [input] : input;
  const { encoding, path } = options;
  const size = sizeOf(parts);
  refuseTooLong(size, path);
  const bytes = joined(parts);
  const detected = detect(bytes, encoding, path);
  const { codec, bomBytes, body } = detected;
  return {
    ...detected,
    encoding: codec.name,
    bom: bomBytes > 0,
    eol: eolStyle(body),
    finalNewline: body.endsWith("\n"),
    path,
    size,
    parts,
  };
}

/** The bytes after the splices: views of the original bytes outside them, and new bytes for what they insert. */
export function encodeSplices(text: Text, splices: readonly Splice[]): readonly Uint8Array[] {
  const edits = onWholeCharacters(text.body, splices);
  if (edits.length === 0) return text.parts;
  refuseTooLong(
    edits.reduce((sum, edit) => sum + edit.text.length - (edit.end - edit.start), text.body.length),
    text.path,
  );
  refuseNewMark(text, edits[0]!);
  const bytesBetween = byteCounter(text);
  const bytesOf = encoderFor(text);
  const bytes = joined(text.parts);
  const pieces: Uint8Array[] = [bytes.subarray(0, text.bomBytes)];
  let unit = 0;
  let byte = text.bomBytes;
  for (const edit of edits) {
    const from = byte + bytesBetween(unit, edit.start);
    pieces.push(bytes.subarray(byte, from), bytesOf(edit));
    byte = from + bytesBetween(edit.start, edit.end);
    unit = edit.end;
  }
  pieces.push(bytes.subarray(byte));
  // Each part costs a call to hash and one to write: few stay views, many are joined.
  const result = pieces.length > MAX_PARTS ? [Buffer.concat(pieces)] : pieces;
  if (!text.codec.independent) refuseMisread(text, result, applySplices(text.body, edits));
  return result;
}

/** A whole new body, in the encoding and with the byte order mark of the old file unless another encoding is asked for. */
export function encodeWhole(text: Text | null, newBody: string, encoding?: string): readonly Uint8Array[] {
  const codec = encoding === undefined ? (text?.codec ?? utf8) : namedCodec(encoding, text?.path);
  if (text === null || codec.name !== text.encoding) {
    if (text !== null) refuseShownBytes(text, text.body, newBody);
    checkWritable({ body: "", codec, invalid: 0, path: text?.path }, "", newBody);
    return [codec.encode(isWide(codec) && !newBody.startsWith(MARK) ? MARK + newBody : newBody)];
  }
  const { text: body } = withoutSecondMark(text, { start: 0, end: text.body.length, text: newBody });
  checkWritable(text, text.body, body);
  const result = [joined(text.parts).subarray(0, text.bomBytes), text.codec.encode(body)];
  if (!text.codec.independent) refuseMisread(text, result, body);
  return result;
}

/** Drops a byte order mark that a caller sends with the start of the text, unless the text itself begins with another. */
export function withoutSecondMark(text: Text, splice: Splice): Splice {
  const isSecond = text.bom && splice.start === 0 && splice.text.startsWith(MARK) && !text.body.startsWith(MARK);
  return isSecond ? { ...splice, text: splice.text.slice(1) } : splice;
}

/** Gives a body of one line-ending style that of the file, if the file has one style too. */
export function withEolOf(text: Text, body: string): string {
  if (text.eol === "lf" && eolStyle(body) === "crlf") return body.replaceAll("\r\n", "\n");
  return text.eol === "crlf" && !body.includes("\r") ? body.replaceAll("\n", "\r\n") : body;
}

/** Makes text safe to show: a stray byte as \xE9, half of a surrogate pair as \uD83D. */
export function displayable(body: string): string {
  if (firstLoneSurrogate(body) === -1) return body;
  return body.replace(/\p{Surrogate}/gu, (unit) => {
    const code = unit.charCodeAt(0);
    const stray = code >= 0xdc80 && code <= 0xdcff;
    const hex = (stray ? code - 0xdc00 : code).toString(16).toUpperCase();
    return stray ? `\\x${hex}` : `\\u${hex}`;
  });
}

function joined(parts: readonly Uint8Array[]): Buffer {
  const [first = Buffer.alloc(0), ...rest] = parts;
  return rest.length > 0 ? Buffer.concat(parts) : Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

function eolStyle(body: string): EolStyle {
  if (!body.includes("\n")) return body.includes("\r") ? "cr" : "none";
  return !body.includes("\r\n") ? "lf" : /(?<!\r)\n/.test(body) ? "mixed" : "crlf";
}

/** Sorts splices, joins neighbours, and widens one that would cut a surrogate pair: half of a pair has no bytes. */
function onWholeCharacters(body: string, splices: readonly Splice[]): Splice[] {
  const joinedSplices: Splice[] = [];
  for (const splice of sortSplices(splices)) {
    const last = joinedSplices.at(-1);
    checkPlace(splice, last?.end ?? 0, body.length);
    if (last?.end !== splice.start) joinedSplices.push(splice);
    else joinedSplices.splice(-1, 1, { start: last.start, end: splice.end, text: last.text + splice.text });
  }
  return joinedSplices.map((splice) => {
    const { start, end, text } = splice;
    if (!cutsPair(body, start) && !cutsPair(body, end)) return splice;
    const before = cutsPair(body, start) ? body.charAt(start - 1) : "";
    const after = cutsPair(body, end) ? body.charAt(end) : "";
    return { start: start - before.length, end: end + after.length, text: before + text + after };
  });
}

function cutsPair(body: string, at: number): boolean {
  return body.codePointAt(at - 1)! > 0xffff;
}

/** Checks and encodes what a splice inserts; a text inserted at many places is encoded once. */
function encoderFor(text: Text): (edit: Splice) => Uint8Array {
  let last: { readonly added: string; readonly bytes: Uint8Array } | undefined;
  return ({ start, end, text: added }) => {
    if (last?.added === added && text.invalid === 0) return last.bytes;
    checkWritable(text, text.body.slice(start, end), added);
    last = { added, bytes: text.codec.encode(added) };
    return last.bytes;
  };
}

function byteCounter(text: Text): (from: number, to: number) => number {
  const bytes = text.size - text.bomBytes;
  if (bytes === text.body.length) return (from, to) => to - from;
  return (from, to) => text.codec.byteLength(text.body.slice(from, to));
}

/** U+FEFF in front of a text without a mark would be read back as a mark. */
function refuseNewMark(text: Text, first: Splice): void {
  if (text.bom || first.start > 0 || !text.encoding.startsWith("utf-")) return;
  if (!(first.text || text.body.slice(first.end, first.end + 1)).startsWith(MARK)) return;
  throw refuse("bom_added", { path: text.path });
}

function refuseMisread(
  { codec, bomBytes, encoding, path }: Text,
  parts: readonly Uint8Array[],
  intended: string,
): void {
  if (codec.decode(joined(parts).subarray(bomBytes)) !== intended)
    throw refuse("reads_differently", { path, encoding });
}

function refuseTooLong(size: number, path?: string): void {
  if (size > constants.MAX_STRING_LENGTH) throw refuse("text_too_long", { path, size });
}

type Target = Pick<Text, "body" | "codec" | "invalid" | "path">;

function checkWritable(target: Target, removed: string, added: string): void {
  if (added === "") return;
  const { body, codec, path } = target;
  const nul = added.indexOf("\0");
  if (nul !== -1 && !body.includes("\0")) throw refuse("nul_added", { path, ...placeOf(added, nul) });
  const at = firstMissing(target, added);
  const character = String.fromCodePoint(added.codePointAt(Math.max(0, at))!);
  if (at !== -1) throw refuse("character_missing", { path, character, encoding: codec.name, ...placeOf(added, at) });
  refuseShownBytes(target, removed, added);
}

/** Lone surrogates stand for invalid bytes: only a file that has some may get them. */
function firstMissing({ codec, invalid }: Target, added: string): number {
  if (invalid > 0) return isWide(codec) ? -1 : codec.firstUnencodable(added);
  const alone = firstLoneSurrogate(added);
  return alone === -1 ? codec.firstUnencodable(added) : alone;
}

/** A stray byte copied from a listing, as \xE9, is four characters: writing these would lose the byte. */
function refuseShownBytes(target: Target, removed: string, added: string): void {
  if (target.invalid === 0 || !added.includes("\\x")) return;
  for (const stray of new Set(target.body.match(/[\uDC80-\uDCFF]/gu))) {
    const shown = `\\x${(stray.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`;
    const isLost = removed.split(stray).length > added.split(stray).length;
    if (!added.includes(shown) || (!isLost && added.split(shown).length <= removed.split(shown).length)) continue;
    const is = removed === target.body ? "in the whole" : removed.includes(stray) ? "replaced" : "elsewhere";
    throw refuse("byte_spelled_out", { path: target.path, shown, is });
  }
}

function placeOf(text: string, at: number): { at: number; line: number; column: number } {
  const before = text.slice(0, at).split("\n");
  return { at, line: before.length, column: before.at(-1)!.length + 1 };
}
