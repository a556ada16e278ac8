// The bytes of a page, taken from chunks as they pass: from a column of its first line on, and no more than will be shown.
import { Refusal } from "../../core/failure.ts";
import { detectPiece } from "../text/detect-encoding.ts";
import { escapedByteLength } from "../text/stray-bytes.ts";
import { decode } from "../text/text.ts";
import { behindLine, charactersIn, indexAfter } from "./page.ts";

interface Wanted {
  /** As the caller wrote it, for messages. */
  readonly raw: string;
  /** The first line of the page. */
  readonly line: number;
  /** Its first character in UTF-8. */
  readonly column: number;
  readonly most: number;
}

interface PageBytes {
  readonly bytes: Buffer;
  /** There was more. */
  readonly dropped: boolean;
}

export function bytesOfPage({ raw, line: first, column, most }: Wanted) {
  const pieces: Buffer[] = [];
  let held = 0;
  let dropped = false;
  let skipping = column > 1;
  let left = column - 1;
  /** Of the first line, what cannot be counted before more is known: the start of a character, or of a line end. */
  let unfinished: Buffer | undefined;

  /** A copy: the chunk that a small page lies in is not kept. */
  function hold(piece: Uint8Array): void {
    const fits = piece.subarray(0, most - held);
    dropped ||= fits.length < piece.length;
    held += fits.length;
    if (fits.length > 0) pieces.push(Buffer.from(fits));
  }

  function skip(bytes: Buffer, counted: Buffer, ended: boolean): void {
    const text = detectPiece(counted).body;
    const characters = charactersIn(text);
    if (characters > left) {
      skipping = false;
      hold(bytes.subarray(escapedByteLength(text.slice(0, indexAfter(text, left)))));
      return;
    }
    left -= characters;
    if (ended) throw behindLine(raw, first, column, column - 1 - left);
    unfinished = bytes.subarray(counted.length);
  }

  return {
    /** A piece of a line, with its line end if it has come to it. */
    take(line: number, piece: Uint8Array): void {
      if (line !== first || !skipping) {
        hold(piece);
        return;
      }
      const bytes = Buffer.concat([unfinished ?? EMPTY, piece]);
      const ended = bytes.at(-1) === NEWLINE;
      const end = ended ? -1 - Number(bytes.at(-2) === CR) : -unfinishedAtEnd(bytes);
      skip(bytes, bytes.subarray(0, bytes.length + end), ended);
    },
    /** Nothing follows any more. */
    end(): PageBytes {
      if (skipping && unfinished !== undefined) skip(unfinished, unfinished, true);
      return { bytes: Buffer.concat(pieces), dropped };
    },
  };
}

/** As text: UTF-8, with stray bytes kept, unless another encoding is declared. */
export function pieceOfPage({ bytes, dropped }: PageBytes, raw: string, encoding: string | undefined) {
  if (encoding === undefined) {
    const { codec, body, notes } = detectPiece(
      dropped ? bytes.subarray(0, bytes.length - unfinishedAtEnd(bytes)) : bytes,
    );
    return { body, encoding: codec.name, notes };
  }
  for (let cut = 0; ; cut++) {
    try {
      return decode(bytes.subarray(0, bytes.length - cut), { path: raw, encoding });
    } catch (error) {
      // The last character may lack some of its bytes.
      if (!dropped || cut === MAX_CHARACTER - 1 || !(error instanceof Refusal)) throw error;
    }
  }
}

const EMPTY = Buffer.alloc(0);
const NEWLINE = 10;
const CR = 13;
const MAX_CHARACTER = 4;

/** Bytes at the end that begin a character of UTF-8, or a line end, and do not complete it. */
function unfinishedAtEnd(bytes: Buffer): number {
  if (bytes.at(-1) === CR) return 1;
  for (let back = 1; back < MAX_CHARACTER; back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthBy(byte) ? back : 0;
  }
  return 0;
}

function lengthBy(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
